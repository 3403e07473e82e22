"""Is every entry found by every beginning of its words, and by one mistake?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from gossamer.core.errors import CorruptRecord
from gossamer.core.index.suggestions.beginnings import MOST_OF_ENTRY
from gossamer.core.index.suggestions.completing import Completing
from gossamer.core.index.suggestions.gathering import Described, gather
from gossamer.core.index.suggestions.region import EntryRegion, pack_entries

words = st.text("abcé中", min_size=1, max_size=4)
titles = st.lists(words, min_size=1, max_size=5).map(" ".join).filter(lambda text: len(text) > 1)


def packed(titles: list[str]) -> bytes:
    documents = [Described(n, f"http://a.test/{n}", title, ()) for n, title in enumerate(titles)]
    return pack_entries(gather(documents).entries(np.zeros(len(titles), np.uint8)))


def completing(titles: list[str]) -> Completing:
    return Completing(EntryRegion(packed(titles), "the region"))


def keys(found: Completing, matching) -> set[str]:
    return {found.key(entry) for entry in matching.entries.tolist()}


@given(st.lists(titles, min_size=1, max_size=8), words)
def test_entries_are_found_by_the_beginning_of_any_word(titles, typed):
    known = completing(titles)
    folded = typed.replace("é", "e")

    matching = known.exact(folded)

    every = {title.replace("é", "e") for title in titles}
    assert keys(known, matching) == {
        title
        for title in every
        if any(title[at:].startswith(folded) for at in range(len(title)) if begins(title, at))
    }
    whole = {e for e, yes in zip(matching.entries, matching.is_whole, strict=True) if yes}
    assert {known.key(e) for e in whole} == {title for title in every if title.startswith(folded)}


def begins(title: str, at: int) -> bool:
    return at == 0 or title[at - 1] == " " or title[at] == "中"


def test_long_texts_that_begin_alike_are_told_apart():
    common = "the free encyclopedia of everything that"
    known = completing([f"{common} crawls", f"{common} flies", f"a {common} crawls"])

    assert keys(known, known.exact(f"{common} cr")) == {f"{common} crawls", f"a {common} crawls"}
    assert keys(known, known.exact("encyclopedia of everything that f")) == {f"{common} flies"}
    assert keys(known, known.exact(f"{common} crawls and more")) == set()


def test_words_far_behind_are_no_beginnings():
    many = " ".join(f"w{number}" for number in range(20))
    known = completing([many])

    assert keys(known, known.exact(f"w{MOST_OF_ENTRY - 1}")) == {many}
    assert keys(known, known.exact(f"w{MOST_OF_ENTRY}")) == set()


@given(st.text("abc", min_size=4, max_size=7), st.text("abc", min_size=4, max_size=7))
def test_a_word_with_one_mistake_is_found_unless_it_is_in_the_first_letter(meant, typed):
    known = completing([f"{meant} x"])

    found = keys(known, known.with_a_mistake(typed))

    near = any(OSA.distance(typed, meant[:size]) <= 1 for size in range(len(meant) + 1))
    if found:
        assert near
    elif near and typed[0] == meant[0]:
        # Only what differs in the first two letters' order, or is too short, is left out.
        assert typed[1:2] == meant[0] or typed[0] == meant[1] or meant.startswith(typed)


@given(st.integers(0, 10_000), st.integers(0, 255))
def test_a_damaged_region_is_refused_or_read_but_breaks_nothing(place, value):
    data = bytearray(packed(["Spider silk", "Orb web"]))
    data[place % len(data)] = value

    try:
        known = Completing(EntryRegion(bytes(data), "the region"))
        known.exact("s")
    except CorruptRecord:
        pass
    except (IndexError, ValueError):
        pytest.fail("a damaged region must be told")
