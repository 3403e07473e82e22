"""Which texts of documents may be suggested?"""

from __future__ import annotations

import numpy as np
import pytest

from gossamer.core.index.suggestions.entries import HEADING, MOST_DOCUMENTS, NAME, TITLE, Entries
from gossamer.core.index.suggestions.gathering import (
    LONGEST,
    MOST_HEADINGS,
    Described,
    gather,
    shortened,
    without_site,
)
from gossamer.core.index.suggestions.region import EntryRegion, merged, pack_entries


def entries(*documents: Described, levels: list[int] | None = None, most: int = 100) -> Entries:
    known = np.array(levels or [0] * 200, np.uint8)
    return gather(documents).entries(known, most)


def test_a_title_loses_what_the_site_adds_if_a_heading_says_what_that_is():
    assert without_site("Silk — A book", ["Contents", "Silk"]) == "Silk"
    assert without_site("Silk moths", ["Silk"]) == "Silk moths"
    assert without_site("Silk", ["Silk"]) == "Silk"
    assert without_site("Silk | Book", []) == "Silk | Book"
    assert without_site("Learn C#", ["Learn C"]) == "Learn C#"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (" a\tb\n c ", "a b c"),
        ("a\x00b\x1b[1mc", "ab[1mc"),
        ("word " * 50, ("word " * 20).strip()),
        ("x" * 500, "x" * LONGEST),
    ],
)
def test_a_text_is_one_line_of_printable_signs_and_not_too_long(text, kept):
    assert shortened(text) == kept


def test_numbers_single_letters_and_empty_texts_are_no_entries():
    assert entries(Described(0, "u", "", ["7", "x", " ", "2024"])).keys == []


def test_a_text_is_one_entry_of_its_best_kind_with_all_documents():
    found = entries(
        Described(0, "http://a.test/0", "Orb", ["Silk"]),
        Described(1, "http://a.test/1", "SILK", ["Orb"]),
        Described(2, "http://a.test/2", "Web", ["silk"], names=("Silk", "silk")),
    )

    at = found.keys.index("silk")
    assert (found.texts[at], found.about[at], found.kinds[at]) == ("SILK", "http://a.test/1", TITLE)
    assert found.documents[found.starts[at] : found.starts[at + 1]].tolist() == [1, 2, 0]


def test_of_equal_titles_the_address_is_that_of_the_highest_rank():
    two = Described(0, "http://a.test/0", "Silk", ()), Described(1, "http://a.test/1", "Silk", ())

    assert entries(*two, levels=[1, 9]).about == ["http://a.test/1"]


def test_a_document_has_so_many_headings_and_an_entry_so_many_documents():
    headings = [f"heading {number}" for number in range(20)]
    many = [Described(n, "u", "Same", headings) for n in range(MOST_DOCUMENTS + 5)]

    found = entries(*many)

    assert len(found) == 1 + MOST_HEADINGS
    assert np.diff(found.starts).max() == MOST_DOCUMENTS


def test_the_best_entries_are_kept_if_there_are_too_many():
    found = entries(
        Described(0, "u", "Title", ["a heading", "another"]),
        Described(1, "u", "Other", ["a heading"], names=("a name",)),
        most=3,
    )

    assert found.keys == ["a name", "other", "title"]


def region(data: Entries) -> Entries:
    return EntryRegion(pack_entries(data, is_part=True), "the region").entries()


def test_entries_are_read_as_they_were_packed():
    made = entries(Described(3, "http://a.test/é", "Über\tSeide", ["x y"], names=("Name",)))

    read = region(made)

    assert (read.keys, read.texts, read.about) == (made.keys, made.texts, made.about)
    assert read.kinds.tolist() == made.kinds.tolist() == [NAME, TITLE, HEADING]
    assert read.documents.tolist() == [3, 3, 3]


def test_merging_renumbers_documents_and_forgets_the_dead():
    one = entries(Described(0, "http://a.test/0", "Silk", ["Gone"]), Described(1, "u1", "Silk", ()))
    two = entries(Described(0, "http://a.test/2", "silk", ["Web"]))
    levels = np.zeros(10, np.uint8)

    found = merged([(region(one), np.array([-1, 4])), (region(two), np.array([7]))], levels)

    assert found.keys == ["silk", "web"]
    assert (found.texts[0], found.about[0]) == ("silk", "http://a.test/2")
    assert found.documents.tolist() == [7, 4, 7]


def test_an_entry_whose_first_document_died_has_no_address():
    one = entries(Described(0, "http://a.test/0", "Silk", ()), Described(1, "u1", "Silk", ()))

    found = merged([(region(one), np.array([-1, 0]))], np.zeros(1, np.uint8))

    assert (found.keys, found.about) == (["silk"], [""])


def test_merging_in_several_steps_is_merging_at_once(monkeypatch):
    from gossamer.core.index.suggestions import region as module

    sources = [
        (entries(Described(0, f"u{n}", f"Title {n % 3}", [f"h{n}"])), np.array([n]))
        for n in range(9)
    ]
    levels = np.arange(9, dtype=np.uint8)
    at_once = merged(sources, levels)
    monkeypatch.setattr(module, "AT_ONCE", 2)

    stepwise = merged(sources, levels)

    assert (stepwise.keys, stepwise.about) == (at_once.keys, at_once.about)
    assert stepwise.documents.tolist() == at_once.documents.tolist()
