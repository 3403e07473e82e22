from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.index.analyzer import Analyzer
from gossamer.core.search.plan import Wanted, Written
from gossamer.core.search.result import Highlight
from gossamer.core.search.snippet import (
    MAX_CHARS,
    _read_all,
    _read_enough,
    snippet,
)
from tests.unit.core.index.tokens import tokens_of

ENGLISH = Analyzer()
FILLER = "Nothing to see in this sentence at all. " * 20


def wanted(*terms: str, prefixes=(), phrases=(), written=()) -> Wanted:
    joined = tuple([Written(term, tuple(parts)) for term, parts in written])
    return Wanted(frozenset(terms), tuple(prefixes), tuple(map(tuple, phrases)), joined)


def marked(text: str, asked: Wanted, max_chars: int = MAX_CHARS, analyzer=ENGLISH) -> str:
    """A snippet with [hits]."""
    pieces = snippet(text, analyzer, asked, max_chars)
    return "".join([f"[{piece.text}]" if piece.hit else piece.text for piece in pieces])


CLAIMS = {
    "all words that were asked for are marked, in every form": (
        "Running dogs run. The dog ran.",
        wanted("run", "dog"),
        "[Running] [dogs] [run]. The [dog] ran.",
    ),
    "words are marked without the signs around them": (
        "(\"Dogs'\") 'dog' l'dog dog-eared",
        wanted("dog"),
        "(\"[Dogs]'\") '[dog]' [l'dog] [dog]-eared",
    ),
    "a prefix is compared with the folded beginning of words": (
        "Écoles, ecology and Éclair; the eel",
        wanted(prefixes=["eco"]),
        "[Écoles], [ecology] and Éclair; the eel",
    ),
    "a stop word matches no prefix": ("the theory", wanted(prefixes=["the"]), "the [theory]"),
    "the words of a phrase are marked only in sequence": (
        "query phrase, le phrase query, le query",
        wanted(phrases=[["le", "phrase", "queri"]]),
        "query phrase, [le] [phrase] [query], le query",
    ),
    "a word that signs join is marked whole, and its parts are not elsewhere": (
        "In c, C++, (c++) and c+ of c++11",
        wanted(written=[("c++", ["c"])]),
        "In c, [C++], ([c++]) and c+ of c++11",
    ),
    "the parts of a word that signs join are marked where it is not": (
        "utf 8 or UTF:8, not utf16",
        wanted(written=[("utf-8", ["utf", "8"])]),
        "[utf] [8] or [UTF]:[8], not utf16",
    ),
    "a word that signs join is whole in a phrase": (
        "We learn C++ now",
        wanted(phrases=[["learn", "c", "now"]], written=[("c++", [])]),
        "We [learn] [C++] [now]",
    ),
    "a gap in a phrase is exactly one word": (
        "bread butter bread and butter bread and some butter",
        wanted(phrases=[["bread", "", "butter"]]),
        "bread butter [bread] and [butter] bread and some butter",
    ),
    "a word that is also asked for alone is marked everywhere": (
        "le query, le phrase query",
        wanted("le", phrases=[["le", "phrase", "queri"]]),
        "[le] query, [le] [phrase] [query]",
    ),
    "the words of a phrase that stands nowhere are marked alone": (
        "query the phrase",
        wanted(phrases=[["phrase", "queri"]]),
        "[query] the [phrase]",
    ),
    "gaps around a phrase are nothing": (
        "bread butter",
        wanted(phrases=[["", "bread", "butter", ""], [""], []]),
        "[bread] [butter]",
    ),
    "neighbours without a space are marked as one": (
        "私は東京に住む",
        wanted(phrases=[["東", "京"]]),
        "私は[東京]に住む",
    ),
    "space is one space": ("  a\n\n dog\t ran \n", wanted("dog"), "a [dog] ran"),
    "an empty text has an empty snippet": ("", wanted("dog"), ""),
    "a text of space has an empty snippet": (" \n ", wanted("dog"), ""),
    "nothing asked marks nothing": ("A dog.", wanted(), "A dog."),
}


@pytest.mark.parametrize(("text", "asked", "shown"), CLAIMS.values(), ids=CLAIMS)
def test_a_short_text_is_shown_whole(text, asked, shown):
    assert marked(text, asked) == shown


def test_without_a_match_the_beginning_is_shown():
    shown = marked("  First words of all " + FILLER, wanted("absent"))

    assert shown.startswith("First words of all Nothing")
    assert len(shown) <= MAX_CHARS


def test_where_nothing_is_wanted_no_word_is_read():
    class Unread:
        """An analyzer that cannot."""

    text = "A spider. " * 1000

    shown = snippet(text, Unread(), Wanted())  # type: ignore[arg-type]
    assert shown == snippet(text, ENGLISH, wanted("none"))


def test_the_part_with_the_most_different_words_wins():
    text = f"A dog, a dog, a dog. {FILLER} The cat met the dog. {FILLER} A cat."

    assert "[cat] met the [dog]" in marked(text, wanted("dog", "cat"))


def test_of_parts_with_the_same_words_the_shortest_wins():
    text = f"A dog that saw one cat. {FILLER} Dog, cat. {FILLER} Cat and a dog."

    assert "[Dog], [cat]." in marked(text, wanted("dog", "cat"))


def test_of_equal_parts_the_earliest_wins():
    text = f"{FILLER} First dog. {FILLER} Second dog."

    assert "First [dog]." in marked(text, wanted("dog"))


def test_words_that_are_too_far_apart_for_one_snippet_do_not_count_together():
    text = f"One dog. {FILLER} One cat. {FILLER} One cat ate one bird."

    assert "[cat] ate one [bird]" in marked(text, wanted("dog", "cat", "bird"))


def test_a_phrase_wins_over_its_scattered_words():
    text = f"Query this, phrase that. {FILLER} A phrase query. {FILLER}"

    assert "A [phrase] [query]." in marked(text, wanted(phrases=[["phrase", "queri"]]))


def test_a_snippet_begins_with_the_sentence_and_ends_with_one_if_there_is_room():
    text = f"{FILLER}Here a dog barks loudly at night. {FILLER}"

    shown = marked(text, wanted("dog"))

    assert shown.startswith("Here a [dog] barks")
    assert shown.endswith("at all.")


def test_a_snippet_that_cuts_a_sentence_says_so():
    text = "so " * 200 + "dog " + "and " * 200

    shown = marked(text, wanted("dog"))

    assert shown.startswith("…so so")
    assert shown.endswith("and and…")


def test_a_heading_is_a_sentence():
    text = f"{FILLER}\nThe dog\n{'word ' * 100}"

    assert marked(text, wanted("dog")).startswith("The [dog] word")


@pytest.mark.parametrize("text", ["x" * 10_000, "東" * 1_000, "a" * 300 + " dog " + "b" * 300])
@pytest.mark.parametrize("max_chars", [1, 2, 3, 10, 220])
def test_text_without_space_is_cut_anywhere(text, max_chars):
    pieces = snippet(text, ENGLISH, wanted("x" * 64, "東", "dog"), max_chars)

    assert 0 < sum(len(piece.text) for piece in pieces) <= max(3, max_chars)
    assert any(piece.hit for piece in pieces)


def test_pieces_are_highlights():
    assert snippet("a dog", ENGLISH, wanted("dog")) == [Highlight("a "), Highlight("dog", hit=True)]


WORDS = st.sampled_from(["dog", "Dogs", "cat", "bird", "the", "xylophone", "dogma", "été", "東"])
GLUE = st.sampled_from([" ", ". ", ", ", "\n", " - ", "' '", "  "])
TEXTS = st.lists(st.tuples(WORDS, GLUE), max_size=60).map(lambda t: "".join(map("".join, t)))
WANTED = st.builds(
    Wanted,
    st.frozensets(st.sampled_from(["dog", "cat", "bird", "ete", "東"]), max_size=3),
    st.lists(st.sampled_from(["dog", "xy", "b"]), max_size=2, unique=True).map(tuple),
    st.lists(
        st.lists(st.sampled_from(["dog", "cat", "", "bird"]), min_size=1, max_size=3).map(tuple),
        max_size=2,
    ).map(tuple),
)


def asked_tokens(text: str, asked: Wanted):
    """By definition: which words of a text are asked for, and by which keys."""
    tokens = {token.position: token for token in tokens_of(ENGLISH, text)}
    keys: dict[int, set[str]] = {position: set() for position in tokens}
    loose = set(asked.terms)
    for phrase in asked.phrases:
        stands = False
        for begin in range(-len(phrase), len(ENGLISH.terms(text))):
            places = {begin + n: term for n, term in enumerate(phrase) if term}
            if places and all(p in tokens and tokens[p].term == t for p, t in places.items()):
                stands = True
                for place, term in places.items():
                    keys[place].add(term)
        loose |= set() if stands else set(phrase)
    for position, token in tokens.items():
        word = ENGLISH.fold(text[token.start : token.end])
        keys[position] |= {token.term} & loose
        keys[position] |= {f"{p}*" for p in asked.prefixes if word.startswith(p)}
    return [(tokens[position], found) for position, found in sorted(keys.items()) if found]


def best_span(found, room: int) -> tuple[int, int] | None:
    """By definition: the most keys, in the fewest words, earliest; a word alone always fits."""
    spans = [
        (-len(set().union(*[keys for _, keys in found[a : b + 1]])), z.position - y.position, y, z)
        for a, (y, _) in enumerate(found)
        for b, (z, _) in enumerate(found)
        if a == b or (a < b and z.end - y.start <= room)
    ]
    if not spans:
        return None
    _, _, first, last = min(spans, key=lambda span: (span[0], span[1], span[2].start))
    return first.start, last.end


MANUAL = """VACUUM
Prev\xa0 Up SQL Commands Home\xa0 Next

VACUUM

25.1.5. Preventing Transaction ID Wraparound Failures

VACUUM reclaims storage occupied by dead tuples. In normal operation, tuples that are deleted are
not physically removed from their table; they remain present until a VACUUM is done.
"""
NAMES = ("VACUUM", "25.1.5.\xa0Preventing  Transaction ID Wraparound Failures")


@pytest.mark.parametrize(
    ("asked", "beginning"),
    [
        (wanted("vacuum"), "VACUUM reclaims storage"),
        (wanted("vacuum", "command", "home"), "VACUUM reclaims storage"),
        (wanted("nowher"), "VACUUM reclaims storage"),
        (wanted("tupl"), "VACUUM reclaims storage"),
        (wanted("home", "next"), "VACUUM Prev Up SQL Commands Home"),  # it stands nowhere else
        (wanted(phrases=[["sql", "command"]]), "VACUUM Prev Up SQL Commands Home"),
    ],
)
def test_a_snippet_is_prose_rather_than_the_title_once_more_and_menus(asked, beginning):
    shown = "".join([piece.text for piece in snippet(MANUAL, ENGLISH, asked, names=NAMES)])

    assert shown.startswith(beginning)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Silk\nIt is strong.", "It is strong."),
        ("Silk", "Silk"),
        ("Silk\n\n", "Silk"),
        ("Home\nSilk is strong", "Home Silk is strong"),
        ("\n".join(["Silk", *["one two"] * 50]), None),
    ],
)
def test_a_short_text_loses_its_title_and_one_without_prose_nothing(text, shown):
    pieces = snippet(text, ENGLISH, wanted("strong"), names=("Silk",))

    found = "".join([piece.text for piece in pieces])
    assert found == shown if shown else found.startswith("Silk one two")


@given(TEXTS, WANTED, st.sampled_from([12, 40, 90, 220]))
def test_the_part_shown_is_the_best_by_definition(text, asked, room):
    read = _read_all if asked.phrases else _read_enough

    window = read(text, ENGLISH, asked, room)

    assert window.span == best_span(asked_tokens(text, asked), room)


@given(TEXTS, WANTED, st.sampled_from([12, 40, 90, 220]))
def test_a_snippet_is_a_part_of_the_text_in_which_all_that_was_asked_for_is_marked(
    text, asked, room
):
    pieces = snippet(text, ENGLISH, asked, room)

    shown = "".join([piece.text for piece in pieces])
    assert len(shown) <= room
    assert shown.removeprefix("…").removesuffix("…") in " ".join(text.split())
    assert all(piece.text for piece in pieces)
    found = asked_tokens(text, asked)
    hits = [piece.text for piece in pieces if piece.hit]
    assert bool(hits) == bool(found)
    if len(text) <= room - 2:
        assert "".join(hits) == "".join([text[token.start : token.end] for token, _ in found])


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("dog cat " * 125_000, wanted("dog", "bird")),
        ("dog cat " * 125_000, wanted("absent", phrases=[["dog", "cat", "dog"]])),
        ("dog.\n" * 200_000 + "é cat", wanted(prefixes=["d", "c"])),
        ("x" * 10**6 + " dog", wanted("dog", "cat")),
        ("é" * 10**6 + " dog", wanted(phrases=[["dog", "cat"]])),
        (" " * 10**6 + ".dog", wanted("cat")),
    ],
)
def test_a_text_of_a_million_characters_is_read_in_linear_time(text, asked):
    started = time.process_time()

    snippet(text, ENGLISH, asked)

    assert time.process_time() - started < 5


def test_a_phrase_of_one_word_twice_is_shown_where_it_stands_twice():
    text = f"One dog sat. {FILLER}A dog dog ran. {FILLER}"

    assert "A [dog] [dog] ran" in marked(text, wanted(phrases=[("dog", "dog")]))
