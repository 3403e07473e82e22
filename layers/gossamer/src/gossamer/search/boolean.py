"""Which documents match a boolean query? Complete, not best-effort."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from gossamer.core.index.postings import AS_WRITTEN
from gossamer.core.index.schema import FIRST_POSITION, STRETCH, TITLE
from gossamer.core.search.query import All, And, Field, Node, Not, Or, Phrase, Prefix, Word
from gossamer.core.urls import host_of, hostname_of
from gossamer.search.snapshot import POSITION_SHIFT

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.core.index.analyzer import Analyzer
    from gossamer.ports.index import Ordinal
    from gossamer.search.snapshot import Ints, Snapshot

NOBODY = np.zeros(0, np.int64)


class Evaluator:
    """Evaluates queries against one snapshot. None stands for "says nothing": a stop word."""

    def __init__(
        self, snapshot: Snapshot, analyzer: Analyzer, pages: Callable[[], dict[int, Ordinal]]
    ) -> None:
        self._snapshot = snapshot
        self._analyzer = analyzer
        self._pages = pages

    def matches(self, node: Node) -> Ints:
        """The matching documents, ascending."""
        found = self._match(node, in_title=False)
        return NOBODY if found is None else found

    def _match(self, node: Node, *, in_title: bool) -> Ints | None:
        match node:
            case All():
                return self._snapshot.live
            case Word(text) | Phrase(text):
                return self._phrase(text, in_title=in_title)
            case Prefix(text):
                return self._prefix(text, in_title=in_title)
            case Field(name, inner):
                return self._field(name, inner)
            case Not(inner):
                found = self._match(inner, in_title=in_title)
                return None if found is None else self._without(found)
            case And(parts):
                return self._combine(parts, _intersect, in_title)
            case Or(parts):
                return self._combine(parts, self._unite, in_title)
        raise TypeError(f"{node!r} is no query")

    def _combine(
        self, parts: tuple[Node, ...], join: Callable[[Ints, Ints], Ints], in_title: bool
    ) -> Ints | None:
        found = [self._match(part, in_title=in_title) for part in parts]
        non_stop = [documents for documents in found if documents is not None]
        return reduce(join, non_stop) if non_stop else None

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

    def _phrase(self, text: str, *, in_title: bool) -> Ints | None:
        """Documents with these words side by side; a stop word is a gap of one."""
        words = [self._analyzer.term(word) for word in self._analyzer.words(text)]
        terms = [(place, term) for place, term in enumerate(words) if term]
        if not terms:
            return None
        if len(terms) == 1 and not in_title:
            return self._snapshot.documents(terms[0][1]).ordinals
        last = terms[-1][0]
        shifted = [self._places(term, in_title) + (last - place) for place, term in terms]
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

    def _prefix(self, text: str, *, in_title: bool) -> Ints | None:
        *before, beginning = self._analyzer.words(text) or [""]
        beginning = self._analyzer.fold(beginning)
        if not beginning:
            return None
        if in_title:
            lists = [
                np.unique(self._places(AS_WRITTEN + word, in_title) >> POSITION_SHIFT)
                for word in self._snapshot.words(beginning)
            ]
            found = np.unique(np.concatenate(lists)) if lists else NOBODY
        else:
            found = self._snapshot.prefixed(beginning)
        others = [self._phrase(word, in_title=in_title) for word in before]
        return reduce(_intersect, [found, *(o for o in others if o is not None)])

    def _field(self, name: str, inner: Node) -> Ints | None:
        if name == "title":
            return self._match(inner, in_title=True)
        chosen = [number for number, page in self._pages().items() if _fits(page, name, inner)]
        return np.array(sorted(chosen), np.int64)


def _intersect(one: Ints, other: Ints) -> Ints:
    """What two ascending lists have in common: each of the shorter is looked up in the longer."""
    few, many = sorted((one, other), key=len)
    if not len(few):
        return few
    places = np.minimum(np.searchsorted(many, few), len(many) - 1)
    common: Ints = few[many[places] == few]
    return common


def _fits(page: Ordinal, field: str, node: Node) -> bool:
    """Whether a page has such an address or language."""
    match node:
        case Not(inner):
            return not _fits(page, field, inner)
        case And(parts):
            return all(_fits(page, field, part) for part in parts)
        case Or(parts):
            return any(_fits(page, field, part) for part in parts)
        case Word(text) | Phrase(text) | Prefix(text):
            return _TESTS[field](page, text.casefold(), isinstance(node, Prefix))
        case _:
            return True


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
