import pytest

from gossamer.core.page.charsets.labels import codec_of


@pytest.mark.parametrize(
    ("label", "codec"),
    [
        ("latin1", "cp1252"),
        (" ISO-8859-1 ", "cp1252"),
        ("shift_jis", "cp932"),
        ("Windows-31J", "cp932"),
        ("euc-kr", "cp949"),
        ("euc_kr", "cp949"),
        ("ks_c_5601-1987", "cp949"),
        ("gb2312", "gb18030"),
        ("GBK", "gb18030"),
        ("Big5-HKSCS", "big5hkscs"),
        ("x-euc-jp", "euc_jp"),
        ("tis-620", "cp874"),
        ("x-mac-cyrillic", "mac_cyrillic"),
        ("iso-8859-8-i", "iso8859-8"),
        ("hz-gb-2312", "hz"),
        ("ISO-2022-KR", "iso2022_kr"),
        ("utf8", "utf-8"),
        ("utf-7", ""),
        ("bogus", ""),
        ("", ""),
    ],
)
def test_a_label_means_what_browsers_take_it_for(label, codec):
    assert codec_of(label) == codec
