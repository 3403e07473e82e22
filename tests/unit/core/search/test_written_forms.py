"""Is a word that the index has without accents shown as documents write it?"""

from __future__ import annotations

import pytest

from gossamer.core.index.analyzer import Analyzer
from gossamer.core.search.planning.other_languages import Readers
from gossamer.core.search.written_forms import LOOKED_AT, form_in

ENGLISH, TURKISH = Analyzer(), Analyzer("tr")


@pytest.mark.parametrize(
    ("text", "word", "form"),
    [
        ("Le Cœur de la forêt", "coeur", "cœur"),
        ("ΟΔΟΣ ΑΘΗΝΩΝ", "οδοσ", "οδος"),
        ("Die Straße", "strasse", "straße"),
        ("spiders, and a Spider.", "spider", "spider"),
        ("İstanbul", "istanbul", "İstanbul"),  # in small letters it would be one character more
    ],
)
def test_a_word_is_in_the_letters_of_the_text_and_small(text, word, form):
    assert form_in([text], word, Readers(ENGLISH)) == form


def test_the_first_text_that_has_it_decides():
    texts = ["no such word", "la rivière", "la riviere"]

    assert form_in(texts, "riviere", Readers(ENGLISH)) == "rivière"
    assert form_in(texts[:1], "riviere", Readers(ENGLISH)) == ""


def test_of_a_long_text_the_beginning_is_looked_at():
    texts = ["x " * LOOKED_AT + "cœur", "Cœur"]

    assert form_in(texts[:1], "coeur", Readers(ENGLISH)) == ""
    assert form_in(texts, "coeur", Readers(ENGLISH)) == "cœur"


def test_what_is_elided_before_it_is_no_part_of_it():
    assert form_in(["l'été, d’été"], "ete", Readers(Analyzer("fr"))) == ""
    assert form_in(["l'été, un été"], "ete", Readers(Analyzer("fr"))) == "été"


def test_each_language_reads_its_own_letters():
    both = Readers(ENGLISH, (TURKISH,))

    assert form_in(["Diş"], "dis", both) == "diş"
    assert form_in(["Işık, İZMİR"], "isik", both, "tr") == "ışık"
    assert form_in(["Işık, İZMİR"], "izmir", Readers(TURKISH)) == "izmir"
