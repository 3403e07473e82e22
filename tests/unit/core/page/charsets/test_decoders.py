import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.charsets.decoders import decode_as

CODECS = ("cp932", "euc_jp", "iso2022_jp", "cp949", "gb18030", "big5hkscs", "koi8_u", "cp1255")


@pytest.mark.parametrize(
    ("codec", "body", "text"),
    [
        # What Microsoft, NEC and IBM added to the standards of Japan.
        ("cp932", b"\x87\x40\x87\x8a\xfa\x40", "①㈱ⅰ"),  # noqa: RUF001
        ("euc_jp", b"\xad\xa1\xad\xea\xfc\xfe", "①㈱＂"),  # noqa: RUF001
        ("euc_jp", b"\xa1\xc1\xa1\xdd", "～－"),  # noqa: RUF001
        ("euc_jp", b"\x8e\xb1\x8f\xb0\xa1", "ｱ丂"),
        ("iso2022_jp", b"a\x1b$B-!F|\x1b(Bb\x1b(I1\x1b(J\\", "a①日bｱ¥"),
        ("iso2022_jp", b"\x1b$BF|\nplain", "日\nplain"),
        # Korean syllables beyond the standard.
        ("cp949", b"\x8c\x63\xb9\xe6\xb0\xa2\xc7\xcf", "똠방각하"),
        # Hong Kong's signs of 2008, and Taiwan's euro.
        ("big5hkscs", b"\x87\x7a\x87\xdf\xa3\xe1\xa1\xe3", "㡵鿋€～"),  # noqa: RUF001
        ("gb18030", b"\x80\xa8\xbc\xfe\x59", "€ḿ\u9fb4"),
        ("koi8_u", b"\xae\xbe", "ўЎ"),
        ("cp1252", b"\x81\x8d", "\x81\x8d"),
        ("cp874", b"\x80\x85\xdb", "€…\ufffd"),
        ("cp1255", b"\xca", "\u05ba"),
    ],
)
def test_a_body_is_decoded_as_browsers_do(codec, body, text):
    assert decode_as(body, codec) == text


@pytest.mark.parametrize("codec", ["cp932", "euc_jp", "cp949", "gb18030", "big5hkscs"])
def test_a_broken_character_does_not_swallow_the_beginning_of_a_tag(codec):
    assert decode_as(b"\xff<p>", codec).endswith("<p>")
    assert decode_as(b"\x81<p>", codec).endswith("<p>")


@given(st.binary(max_size=100), st.sampled_from(CODECS))
def test_no_bytes_raise(body, codec):
    decode_as(body, codec).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("codec", ["cp932", "euc_jp", "cp949", "gb18030", "big5hkscs"])
def test_all_that_the_codec_of_python_writes_is_read_again(codec):
    changed = set("•､‾∼♁☉¥¢£〜‖−¬／＼")  # noqa: RUF001 - browsers read another sign
    for code in range(0x80, 0x10000):
        if 0xD800 <= code < 0xF900 or chr(code) in changed:
            continue
        try:
            body = chr(code).encode(codec)
        except UnicodeEncodeError:
            continue
        assert decode_as(body, codec) == chr(code)
