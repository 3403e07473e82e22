"""Which words of a query are taken for misspelt, and by which words they are replaced."""

from __future__ import annotations

from typing import Any

from gossamer.core.collection import TypoSettings
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.search.planning.other_languages import Readers
from gossamer.core.search.spelling import near_word
from gossamer.core.search.written_forms import Written
from gossamer.search.spelling.corrector import TIMES_MORE, Corrector

SIZE = 10_000
CORRECTOR = Corrector(Readers(Analyzer()), TypoSettings(), {})


class Known:
    """Words with their documents, and the pairs that occur together."""

    def __init__(self, words, pairs=(), forms=()):
        self.forms = dict(forms)
        self.words, self.pairs = words, {frozenset(pair) for pair in pairs}
        self.asked = 0

    def near(self, words):
        self.asked += 1
        return [
            [near_word(typed, word, *facts) for word, facts in self.words.items()]
            for typed, _ in words
        ]

    def written(self, words, readers):
        return [Written(self.forms.get(word, ""), 1) for word in words]

    def together(self, pairs):
        return [frozenset(pair) in self.pairs for pair in pairs]


def correct(query, words, counts=None, pairs=()):
    return CORRECTOR.correct(query, counts or {}, SIZE, Known(words, pairs))


def test_an_unknown_word_is_corrected():
    found = correct("spdier", {"spider": (3, 1)})

    assert (found.corrected, found.applied) == ("spider", True)


def test_a_word_that_is_too_short_is_only_suggested():
    found = correct("wbe", {"web": (3, 1)})

    assert (found.corrected, found.applied) == ("web", False)


def test_more_mistakes_than_are_allowed_are_only_suggested():
    found = correct("spdire", {"spider": (3, 2)})

    assert (found.corrected, found.applied) == ("spider", False)


def test_what_is_far_away_is_not_even_suggested():
    assert correct("spdire", {"spruce": (3, 3)}) is None
    assert correct("xpdire", {"spider": (3, 2)}) is None


def test_a_form_of_the_same_word_is_no_correction():
    assert correct("spidering", {"spider": (900, 1)}) is None


def test_a_word_is_suspicious_if_another_is_in_fifty_times_as_many_documents():
    counts = {"spyder": 2}

    assert correct("spyder", {"spider": (2 * TIMES_MORE - 1, 1)}, counts) is None
    found = correct("spyder", {"spider": (2 * TIMES_MORE, 1)}, counts)
    assert (found.corrected, found.applied) == ("spider", False)


def test_a_word_of_the_language_is_offered_another_but_never_replaced():
    found = correct("spinner", {"spider": (900, 2), "spanner": (3, 1)})

    assert (found.corrected, found.applied) == ("spanner", False)


def test_a_word_of_the_language_that_pages_have_is_not_suspicious():
    words = {"spinner": (2 * TIMES_MORE, 1)}

    assert correct("spanner", words, {"spanner": 2}) is None
    assert correct("spannner", words, {"spannner": 2}).corrected == "spinner"


def test_no_other_is_offered_for_a_word_of_the_language_if_pages_have_the_rest():
    assert correct("spinner silk", {"spanner": (3, 1)}, {"silk": 4}) is None


def test_a_word_of_one_language_is_answered_in_the_accents_of_another():
    readers = Readers(Analyzer("fr"), (Analyzer("en"),))
    corrector = Corrector(readers, TypoSettings(), {})
    known = Known({"premier": (90, 1)}, forms={"premiere": "première"})

    found: Any = corrector.correct("premiere page", {"pag": 9, "page": 9}, SIZE, known)

    assert (found.corrected, found.applied) == ("première page", True)


def test_beside_a_misspelt_word_those_of_the_language_are_left_alone():
    found = correct("spdier spinner", {"spider": (3, 1), "spanner": (900, 1)})

    assert (found.corrected, found.applied) == ("spider spinner", True)


def test_the_words_are_those_of_the_languages_of_the_collection():
    words = {"spanner": (3, 1)}

    for language, is_replaced in {"en": False, "auto": False, "auto:fr": True, "de": True}.items():
        readers = Readers(Analyzer(language))
        found: Any = Corrector(readers, TypoSettings(), {}).correct(
            "spinner", {}, SIZE, Known(words)
        )
        assert found.applied == is_replaced, language


def test_the_other_words_of_a_query_tell_its_language():
    readers = Readers(Analyzer("en"), (Analyzer("nl"),))
    corrector, known = Corrector(readers, TypoSettings(), {}), Known({"vespers": (90, 1)})

    found: Any = corrector.correct("vensters", {}, SIZE, known)  # Dutch for windows
    assert not found.applied
    found = corrector.correct("erroneous vensters", {"erron": 9}, SIZE, known)
    assert found.corrected == "erroneous vespers"
    assert corrector.correct("beschikbaar vensters", {"beschikbaar": 9}, SIZE, known) is None


def test_a_suspicious_word_is_kept_if_the_other_does_not_occur_with_the_rest():
    words, counts = {"spider": (500, 1)}, {"spyder": 2, "ide": 9}

    assert correct("spyder ide", words, counts) is None
    found = correct("spyder ide", words, counts, [("spider", "ide")])
    assert found.corrected == "spider ide"


def test_of_two_words_the_one_that_occurs_with_the_rest_is_likelier():
    words, counts = {"spinner": (40, 1), "spanner": (9, 1)}, {"wrench": 3}

    assert correct("spnner wrench", words, counts).corrected == "spinner wrench"
    together = [("spanner", "wrench")]
    assert correct("spnner wrench", words, counts, together).corrected == "spanner wrench"


def test_frequent_words_are_never_looked_up():
    counts = {"spider": SIZE // TIMES_MORE + 1}

    assert not CORRECTOR.may_correct("spider", counts, SIZE)
    assert not CORRECTOR.may_correct("the 2024 C++", {}, SIZE)
    assert CORRECTOR.may_correct("spdier", counts, SIZE)


def test_a_collection_can_switch_it_off():
    off = Corrector(Readers(Analyzer()), TypoSettings(on=False), {})

    assert not off.may_correct("spdier", {}, SIZE)


def test_only_some_words_of_a_long_query_are_looked_up():
    query = " ".join(f"spdier{letter}" for letter in "abcdefgh")

    found = correct(query, {"spiders": (3, 1)})

    assert len(found.words) == 4


def test_a_word_that_stands_twice_is_corrected_twice():
    assert correct("spdier OR spdier", {"spider": (3, 1)}).corrected == "spider OR spider"
