"""Are texts without spaces cut into characters and pairs, the same way for pages and queries?"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.collection import Weights
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.character_pairs import is_character, paired
from gossamer.core.index.postings import read
from gossamer.core.page.document import Document
from tests.effort import often

if TYPE_CHECKING:
    from gossamer.core.index.segments.table import Postings

ANALYZER = Analyzer()
DECOMPOSED = {each: unicodedata.normalize("NFD", each) for each in "한국"}
HAN, KANA, HANGUL = "東京都天気予報中国语", "ひらがなカタカナがガー", "한국어검색은"
texts = st.text(st.sampled_from(HAN + KANA + HANGUL + "ﾊﾝｶｸ。、 aZ9\n"), max_size=40)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("東京都", ["東", "京", "都"]),
        ("Python入門", ["Python", "入", "門"]),
        ("か\u3099ｶﾞ", ["か\u3099", "ｶﾞ"]),  # decomposed and half-width voicing
        ("한국어", ["한", "국", "어"]),
        (
            unicodedata.normalize("NFD", "한국"),
            [unicodedata.normalize("NFD", each) for each in "한국"],
        ),
        ("ภาษาไทยน้ำ", ["ภ", "า", "ษ", "า", "ไ", "ท", "ย", "น้ำ"]),
        ("ພາສາ", ["ພ", "າ", "ສ", "າ"]),
        ("ខ្មែរ", ["ខ្មែ", "រ"]),  # the second letter is written below the first
        ("မြန်မာ", ["မြ", "န်", "မာ"]),
        ("㐀𠀀", ["㐀", "𠀀"]),
    ],
)
def test_a_character_is_a_letter_with_all_that_belongs_to_it(text, words):
    assert ANALYZER.words(text) == words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("\uff30\uff59thon", "python"),
        ("ｶﾞ", "ガ"),
        ("か\u3099", "が"),
        ("\uf900", "豈"),
        (unicodedata.normalize("NFD", "한"), "한"),
        ("กํา", "กำ"),
        ("\uff1311", "311"),
    ],
)
def test_full_and_half_width_and_decomposed_letters_are_one(one, other):
    assert ANALYZER.terms(one) == ANALYZER.terms(other)


def test_characters_are_looked_up_by_pairs_and_other_words_by_themselves():
    assert ANALYZER.asked(ANALYZER.words("Python入門書 v2")) == ("python", "入門", "門書", "", "v2")
    assert ANALYZER.asked(["猫"]) == ("猫",)
    assert Analyzer(version=2).asked(["入", "門"]) == ("入", "門")
    assert paired([]) == ()


def test_an_index_has_each_character_and_each_pair_where_it_begins():
    document = Document(url="http://a.test/", text="東京、都 x 東京")

    found = read([document], ANALYZER).postings(ANALYZER, Weights())

    places = {term: _positions(found, row) for row, term in enumerate(found.terms)}
    assert places["東"] == [0, 4]
    assert places["東京"] == [0, 4]
    assert places["京都"] == [1]  # signs between two words do not count
    assert "都x" not in places
    assert "都東" not in places


def _positions(found: Postings, row: int) -> list[int]:
    positions: list[int] = found.rows(row, row + 1).positions.tolist()
    return positions


@given(texts)
@often(500)
def test_folding_is_idempotent(text):
    for word in ANALYZER.words(text):
        folded = ANALYZER.fold(word)
        assert ANALYZER.fold(folded) == folded
        assert ANALYZER.term(folded) == ANALYZER.term(word)


@given(texts, st.data())
@often(500)
def test_what_is_cut_out_of_a_text_is_found_in_it(text, data):
    words = ANALYZER.words(text)
    if not words:
        return
    begin = data.draw(st.integers(0, len(words) - 1))
    part = words[begin : begin + data.draw(st.integers(1, 6))]
    if not all(map(is_character, part)):
        return

    asked = ANALYZER.asked(part)
    tokens = {(t.position, t.term) for t in ANALYZER.find(text, frozenset(asked) - {""})}

    assert {(begin + n, term) for n, term in enumerate(asked) if term} <= tokens


@pytest.mark.parametrize(
    "text",
    [
        "語" * 1_000_000,
        "한" * 300_000,
        "a" + "\u0301" * 300_000,
        "語" + "\u3099" * 300_000,
        "\ud800語\udc00",
    ],
    ids=["one run", "Hangul", "zalgo", "marks on a character", "half characters"],
)
@pytest.mark.timeout(60)
def test_hostile_texts_are_read_in_bounded_time_and_terms_stay_short(text):
    found = read([Document(url="http://a.test/", text=text)], ANALYZER)

    terms = found.postings(ANALYZER, Weights()).terms

    assert all(len(term) <= 130 for term in terms)
    assert len(terms) <= 6
