"""Boolean matching: the exact set of documents that a plan asks for."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from gossamer.core.index.postings import AS_WRITTEN
from gossamer.core.index.schema import FIRST_POSITION, STRETCH, TITLE
from gossamer.core.search.plan import (
    AllOf,
    AnyOf,
    Beginning,
    Everything,
    Excluded,
    Filter,
    Match,
    Words,
)
from gossamer.core.urls import host_of, hostname_of
from gossamer.search.snapshot import POSITION_SHIFT

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.ports.live_documents import Ordinal
    from gossamer.search.snapshot import Ints, Snapshot

NONE = np.zeros(0, np.int64)


class Evaluator:
    """Evaluates plans against one snapshot."""

    def __init__(self, snapshot: Snapshot, pages: Callable[[], dict[int, Ordinal]]) -> None:
        self._snapshot = snapshot
        self._pages = pages

    def matches(self, match: Match | None) -> Ints:
        """The matching documents, ascending."""
        return NONE if match is None else self._match(match)

    def _match(self, node: Match) -> Ints:
        match node:
            case Words():
                return self._words(node)
            case Beginning():
                return self._beginning(node)
            case Filter():
                return self._filter(node)
            case Everything():
                return self._snapshot.live
            case Excluded(part):
                return self._without(self._match(part))
            case AllOf(parts):
                return reduce(_intersect, map(self._match, parts))
            case AnyOf(parts):
                return reduce(self._unite, map(self._match, parts))

    def _unite(self, one: Ints, other: Ints) -> Ints:
        """By a mask over all documents: numpy's own union hashes, and takes fifty times as long."""
        mask = np.zeros(self._snapshot.capacity, np.bool_)
        mask[one] = True
        mask[other] = True
        return np.flatnonzero(mask)

    def _without(self, found: Ints) -> Ints:
        mask = np.zeros(self._snapshot.capacity, np.bool_)
        mask[self._snapshot.live] = True
        mask[found] = False
        return np.flatnonzero(mask)

    def _words(self, words: Words) -> Ints:
        terms = words.placed
        if len(terms) == 1 and not words.in_title:
            return self._snapshot.documents(terms[0][1]).ordinals
        last = terms[-1][0]
        shifted = [self._places(term, words.in_title) + (last - place) for place, term in terms]
        together = reduce(_intersect, sorted(shifted, key=len))
        return np.unique(together >> POSITION_SHIFT)

    def _places(self, term: str, in_title: bool) -> Ints:
        places = self._snapshot.places(term)
        if not in_title:
            return places
        position = places & ((1 << POSITION_SHIFT) - 1)
        first = FIRST_POSITION[TITLE]
        chosen: Ints = places[(position >= first) & (position < first + STRETCH)]
        return chosen

    def _beginning(self, beginning: Beginning) -> Ints:
        if beginning.in_title:
            lists = [
                np.unique(self._places(AS_WRITTEN + word, True) >> POSITION_SHIFT)
                for word in self._snapshot.words(beginning.prefix)
            ]
            found = np.unique(np.concatenate(lists)) if lists else NONE
        else:
            found = self._snapshot.prefixed(beginning.prefix)
        return reduce(_intersect, [found, *map(self._words, beginning.before)])

    def _filter(self, wanted: Filter) -> Ints:
        fits = _TESTS[wanted.field]
        pages = self._pages().items()
        chosen = [number for number, page in pages if fits(page, wanted.text, wanted.begins)]
        return np.array(sorted(chosen), np.int64)


def _intersect(one: Ints, other: Ints) -> Ints:
    """What two ascending lists have in common: each of the shorter is looked up in the longer."""
    few, many = sorted((one, other), key=len)
    if not len(few):
        return few
    places = np.minimum(np.searchsorted(many, few), len(many) - 1)
    common: Ints = few[many[places] == few]
    return common


def _is_on_site(page: Ordinal, wanted: str, begins: bool) -> bool:
    host, name = host_of(page.url), hostname_of(page.url)
    if begins:
        return host.startswith(wanted)
    return wanted in (host, name) or name.endswith("." + wanted)


def _is_in_url(page: Ordinal, wanted: str, begins: bool) -> bool:
    return wanted in page.url.casefold()


def _is_language(page: Ordinal, wanted: str, begins: bool) -> bool:
    return page.language.startswith(wanted) if begins else page.language == wanted


_TESTS = {"site": _is_on_site, "url": _is_in_url, "lang": _is_language}
