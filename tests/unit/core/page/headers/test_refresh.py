import pytest

from gossamer.core.page.headers.refresh import refresh_target


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("5; url=/next", "/next"),
        ("0;URL='http://a.test/x'", "http://a.test/x"),
        ("0, /next", "/next"),
        ("5", ""),
        ("", ""),
        ("soon; url=/x", ""),
    ],
)
def test_the_target_of_a_refresh_is_read(text, target):
    assert refresh_target(text) == target
