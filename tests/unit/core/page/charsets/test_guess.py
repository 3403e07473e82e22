import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.charset import decode
from gossamer.core.page.charsets.guess import guess
from gossamer.core.page.charsets.letters import ALPHABETS
from tests.unit.core.page.test_language import TEXTS

CASES = [
    (language, codec)
    for languages, codecs in {
        "de es fr it nl pt sv da fi ca": "cp1252 mac_roman",
        "pl cs sk hu ro hr sl": "cp1250 iso8859-2",
        "ru": "cp1251 koi8-r iso8859-5 cp866 mac_cyrillic",
        "uk": "cp1251 koi8-u",
        "bg": "cp1251 koi8-r",
        "el": "cp1253 iso8859-7",
        "he": "cp1255 iso8859-8",
        "ar": "cp1256 iso8859-6",
        "th": "cp874",
        "tr": "cp1254",
        "lt lv": "cp1257",
        "et": "cp1257 cp1252",
        "ja": "shift_jis euc_jp iso2022_jp",
        "ko": "euc_kr cp949",
        "zh": "gb2312 gbk gb18030",
    }.items()
    for language in languages.split()
    for codec in codecs.split()
    if language in TEXTS and not TEXTS[language].isascii()
]
TRADITIONAL = (  # its commas are full width
    "這個頁面說明如何安裝與設定這個軟體, 並且介紹它的主要功能。請先閱讀使用手冊, "
    "然後再開始進行操作; 如果遇到問題, 可以在討論區裡發問, 其他的使用者會幫助您解決。"
)


@pytest.mark.parametrize(("language", "codec"), CASES)
def test_a_text_without_a_label_is_read_in_its_own_encoding(language, codec):
    body = TEXTS[language].encode(codec, "ignore")

    assert decode(body, "text/plain") == body.decode(codec)


@pytest.mark.parametrize("codec", ["big5", "big5hkscs", "cp950"])
def test_traditional_chinese_is_read_without_a_label(codec):
    assert decode(TRADITIONAL.encode(codec)) == TRADITIONAL


def test_korean_syllables_beyond_the_standard_are_read_without_a_label():
    text = "똠방각하는 펲시콜라를 좋아한다. 오늘은 날씨가 좋고 하늘이 맑습니다. 쑛 그리고 뷁"

    assert decode(text.encode("cp949"), "text/html") == text


def test_no_letter_is_named_twice():
    for letters in ALPHABETS.values():
        assert len(set(letters)) == len(letters)


@given(st.binary(max_size=200))
def test_whatever_is_guessed_is_a_codec(body):
    body.decode(guess(body), "replace")
