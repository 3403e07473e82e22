import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.charset import decode, decoded
from tests.unit.core.page.test_language import TEXTS

GERMAN = "Grüße aus Köln, äußerst schöne Straßen über Brücken und Flüsse. " * 5
RUSSIAN = "Съешь же ещё этих мягких французских булок да выпей чаю. " * 5


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        (b"", "", ""),
        ("é".encode(), "", "é"),
        # A byte order mark is stronger than the header.
        (b"\xef\xbb\xbf" + "é".encode(), "text/html; charset=latin1", "é"),
        ("é".encode("utf-16"), "text/html; charset=utf-8", "é"),
        (b"\xfe\xff" + "é".encode("utf-16-be"), "", "é"),
        # The header is stronger than the page.
        (b"<meta charset=utf-8>\xe9", "text/html; charset=ISO-8859-1", "<meta charset=utf-8>é"),
        (b"\xe9", 'text/html;charset="iso-8859-1"', "é"),
        # Labels mean what browsers take them for.
        (b"\x93q\x94", "text/html; charset=iso-8859-1", "“q”"),
        (b"\x82\xa0", "text/html; charset=x-sjis", "あ"),
        # An unknown label is no label.
        ("é".encode(), "text/html; charset=bogus", "é"),
        # The page's own word.
        (b'<meta charset="windows-1251">\xcf', "text/html", '<meta charset="windows-1251">П'),
        (
            b"<META http-equiv=Content-Type content='text/html; charset=koi8-r'>\xf0",
            "",
            "<META http-equiv=Content-Type content='text/html; charset=koi8-r'>П",
        ),
        (b'<meta charset="utf-16">\xc3\xa9', "", '<meta charset="utf-16">é'),
        ("<!--<meta charset=koi8-r>-->é".encode(), "", "<!--<meta charset=koi8-r>-->é"),
        # What means nothing is replaced.
        (b"a\xffb", "text/html; charset=utf-8", "a\ufffdb"),
    ],
)
def test_an_encoding_is_chosen_as_browsers_choose_it(body, content_type, text):
    assert decode(body, content_type) == text


def test_a_declaration_after_the_first_kilobyte_comes_too_late():
    body = b" " * 1024 + b"<meta charset=koi8-r>" + "é".encode()

    assert decode(body).endswith("é")


@pytest.mark.parametrize(
    ("text", "encoding"), [(GERMAN, "windows-1252"), (RUSSIAN, "windows-1251"), (RUSSIAN, "koi8-r")]
)
def test_an_undeclared_encoding_is_guessed(text, encoding):
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    "text",
    [
        "El niño comió piñas",
        "año",
        "Così fan tutte è un'opera di Mozart",
        "Þetta er íslenska",
        "déjà vu",
    ],
)
def test_a_short_western_text_is_not_taken_for_a_rare_encoding(text):
    assert decode(text.encode("latin-1"), "text/plain") == text


@pytest.mark.parametrize(
    ("language", "encoding"),
    [
        ("it", "cp1252"),
        ("ca", "cp1252"),
        ("es", "latin-1"),
        ("cs", "cp1250"),
        ("pl", "iso8859-2"),
        ("hr", "cp1250"),
        ("tr", "cp1254"),
        ("ru", "koi8-r"),
        ("ko", "euc-kr"),
        ("ja", "shift_jis"),
    ],
)
@pytest.mark.parametrize("markup", ["%s", "<html><body class=x><p>%s</p>"])
def test_an_undeclared_text_is_read_in_its_own_encoding(language, encoding, markup):
    text = markup % TEXTS[language]

    assert decode(text.encode(encoding), "text/html") == text


def test_what_a_plain_text_says_of_markup_is_not_about_itself():
    body = 'Write <meta charset="koi8-r"> in the é head.'.encode()

    assert decode(body, "text/plain") == 'Write <meta charset="koi8-r"> in the é head.'


@given(st.binary(max_size=200), st.text(max_size=30))
def test_no_bytes_raise(body, label):
    for content_type in ("", f"text/html; charset={label}"):
        decode(body, content_type).encode()
    decode(f"<meta charset={label}>".encode("utf-8", "replace") + body).encode()


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-32"])
def test_wide_characters_are_known_by_their_zeros(codec):
    assert decode("Grüße, plain text".encode(codec)) == "Grüße, plain text"
    assert decode(RUSSIAN.encode(codec)) == RUSSIAN


@pytest.mark.parametrize(
    ("text", "codec"),
    [("日本語のテキスト", "iso2022_jp"), ("한국어 문서", "iso2022_kr"), ("中文", "hz")],
)
def test_escapes_tell_an_encoding(text, codec):
    assert decode(f"{text} in ASCII".encode(codec)) == f"{text} in ASCII"


def test_what_is_utf_8_but_for_a_few_bytes_is_utf_8():
    body = RUSSIAN.encode() * 3

    assert decode(body + b"\xff") == RUSSIAN * 3 + "\ufffd"
    assert decode(body[:-4] + "é".encode("latin-1")).startswith(RUSSIAN)


def test_a_late_declaration_is_better_than_a_guess():
    body = b" " * 1024 + b"<meta charset=windows-1257>\xf0\xfe"

    assert decode(body).endswith("šž")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text", ["蜘蛛は網を張る、そして獲物を待つ。", "蜘蛛结网捕食、它有八条腿。\n丝很结实。"]
)
def test_wide_signs_are_known_by_their_stops(codec, text):
    assert decode(text.encode(codec), "text/plain") == text


@pytest.mark.parametrize("codec", ["shift_jis", "euc_jp", "gb18030", "big5", "utf-8"])
def test_what_is_not_wide_is_not_taken_for_it(codec):
    text = "蜘蛛は網を張る、そして獲物を待つ。" if codec != "big5" else "蜘蛛結網捕食、牠有八條腿。"

    assert not decoded(text.encode(codec) * 3, "text/plain").codec.startswith("utf-16")
    assert decode(b"\x02\x30 of an ASCII text", "text/plain") == "\x020 of an ASCII text"
