import pytest

from gossamer.core.page.page_dates.in_address import date_in_address


@pytest.mark.parametrize(
    ("url", "date"),
    [
        ("http://a.test/2025/12/16/title", "2025-12-16"),
        ("http://a.test/blog/2025-12-16-title.html", "2025-12-16"),
        ("http://a.test/20251216/x", "2025-12-16"),
        ("http://a.test/2025/12/title", ""),
        ("http://a.test/2025/13/16/", ""),
        ("http://a.test/12025121699", ""),
        ("http://a.test/x?d=2025/12/16/", ""),
        ("http://a.test/", ""),
    ],
)
def test_the_day_in_an_address_is_read(url, date):
    assert date_in_address(url) == date
