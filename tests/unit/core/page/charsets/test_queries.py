import pytest

from gossamer.core.page.charsets.queries import in_charset


@pytest.mark.parametrize(
    ("href", "codec", "written"),
    [
        ("/a?q=é&r=1", "utf-8", "/a?q=é&r=1"),
        ("/a?q=é&r=1", "cp1252", "/a?q=%E9&r=1"),
        ("/é?q=é#é", "cp1252", "/é?q=%E9#é"),
        ("/s?q=日本", "cp932", "/s?q=%93%FA%96{"),
        ("/s?q=日本", "euc_jp", "/s?q=%C6%FC%CB%DC"),
        ("/s?q=中文", "gb18030", "/s?q=%D6%D0%CE%C4"),
        ("/s?q=日", "cp1252", "/s?q=%26%2326085;"),
        ("/s?q=é", "utf-16-le", "/s?q=é"),
        ("/é", "cp1252", "/é"),
    ],
)
def test_a_query_is_sent_in_the_encoding_of_its_page(href, codec, written):
    assert in_charset(href, codec).replace("%7B", "{") == written
