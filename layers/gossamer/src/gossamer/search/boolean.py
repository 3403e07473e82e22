"""Boolean matching: the exact set of documents of a segment that a plan asks for."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt

from gossamer.core.index import schema
from gossamer.core.index.schema import FIRST_POSITION, STRETCH, TITLE
from gossamer.core.index.segments.columns import (
    KeywordColumn,
    KeywordsColumn,
    NumberColumn,
    TextColumn,
)
from gossamer.core.search.plan import (
    AllOf,
    AnyOf,
    Beginning,
    Between,
    Everything,
    Excluded,
    Filter,
    Match,
    Words,
)
from gossamer.search.budget import UNLIMITED
from gossamer.search.segment_view import POSITION_SHIFT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.index.segments.numbers import Ints
    from gossamer.search.budget import Budget
    from gossamer.search.segment_view import SegmentView

    Mask = npt.NDArray[np.bool_]


def matches(view: SegmentView, match: Match | None, budget: Budget = UNLIMITED) -> Mask:
    """By document, whether it matches; dead documents may. Raises OverBudget."""
    return np.zeros(view.documents, np.bool_) if match is None else _match(view, match, budget)


def _match(view: SegmentView, node: Match, budget: Budget) -> Mask:
    budget.check()
    match node:
        case Words():
            return _words(view, node, budget)
        case Beginning():
            return _beginning(view, node, budget)
        case Filter():
            return _filter(view, node)
        case Between():
            return _between(view, node)
        case Everything():
            return np.ones(view.documents, np.bool_)
        case Excluded(part):
            return ~_match(view, part, budget)
        case AllOf(parts) | AnyOf(parts):
            join = np.logical_and if isinstance(node, AllOf) else np.logical_or
            return reduce(join, [_match(view, part, budget) for part in parts])


def _words(view: SegmentView, words: Words, budget: Budget) -> Mask:
    """Documents with these words, or with others that count as them."""
    others = [_together(view, each.words, budget) for each in words.synonyms]
    return reduce(np.logical_or, others, _together(view, words, budget))


def _together(view: SegmentView, words: Words, budget: Budget) -> Mask:
    terms, in_title = words.looked_up, words.field == TITLE
    if len(terms) == 1 and not in_title:
        return view.having(terms[0][1])
    if words.are_apart:
        return reduce(np.logical_and, [_together(view, each, budget) for each in one_by_one(words)])
    return view.kept(kept_as(words), lambda: _side_by_side(view, terms, in_title, budget))


def one_by_one(words: Words) -> list[Words]:
    """Each of some words by itself."""
    return [Words((term,), words.field) for _, term in words.placed]


def kept_as(words: Words) -> tuple[str, tuple[tuple[int, str], ...], str]:
    """The key under which a segment keeps the documents of a phrase."""
    return "phrase", tuple(words.looked_up), words.field


def _side_by_side(
    view: SegmentView, terms: Sequence[tuple[int, str]], in_title: bool, budget: Budget
) -> Mask:
    """Documents with terms at these offsets; positions are read only of those that have all."""
    there: Mask = reduce(np.logical_and, [view.having(term) for _, term in terms])
    last = terms[-1][0]
    shifted = []
    for place, term in terms:
        budget.check()
        shifted.append(_places(view, term, there, in_title) + (last - place))
    together = reduce(_intersect, sorted(shifted, key=len))
    return view.mask([together >> POSITION_SHIFT])


def _places(view: SegmentView, term: str, there: Mask, in_title: bool) -> Ints:
    places = view.places(term, there)
    if not in_title:
        return places
    position = places & ((1 << POSITION_SHIFT) - 1)
    first = FIRST_POSITION[TITLE]
    chosen: Ints = places[(position >= first) & (position < first + STRETCH)]
    return chosen


def _intersect(one: Ints, other: Ints) -> Ints:
    """What two ascending lists have in common: each of the shorter is looked up in the longer."""
    few, many = sorted((one, other), key=len)
    if not len(few):
        return few
    places = np.minimum(np.searchsorted(many, few), len(many) - 1)
    common: Ints = few[many[places] == few]
    return common


def _beginning(view: SegmentView, beginning: Beginning, budget: Budget) -> Mask:
    in_title = beginning.field == TITLE
    found = view.beginning(beginning.looked_up, budget, in_title=in_title)
    before = [_words(view, words, budget) for words in beginning.before]
    return reduce(np.logical_and, [found, *before])


def _filter(view: SegmentView, wanted: Filter) -> Mask:
    column = view.column(column_of(wanted))
    if isinstance(column, TextColumn):
        return column.containing(_readable(wanted.text), _readable)
    if isinstance(column, KeywordColumn | KeywordsColumn):
        fits = _TESTS.get(wanted.field, _is_value)
        return column.matching(lambda value: fits(value, wanted.text, wanted.begins))
    return np.zeros(view.documents, np.bool_)


def column_of(wanted: Filter | Between) -> str:
    """The column that a filter reads."""
    return _COLUMNS.get(wanted.field, wanted.field)


def _between(view: SegmentView, wanted: Between) -> Mask:
    column = view.column(column_of(wanted))
    if isinstance(column, NumberColumn):
        return column.between(wanted.low, wanted.high)
    return np.zeros(view.documents, np.bool_)


def _readable(addresses: str) -> str:
    """Addresses as people read them: percent signs decoded, small letters."""
    return (unquote(addresses) if "%" in addresses else addresses).casefold()


def _is_value(value: str, wanted: str, begins: bool) -> bool:
    value = value.casefold()
    return value.startswith(wanted) if begins else value == wanted


def _is_on_site(host: str, wanted: str, begins: bool) -> bool:
    if begins:
        return host.startswith(wanted)
    name = host.rpartition(":")[0] if ":" in host and not host.endswith("]") else host
    return wanted in (host, name) or name.endswith("." + wanted)


def _is_language(language: str, wanted: str, begins: bool) -> bool:
    """zh-CN is asked for by those who want zh: documents have a language without a region."""
    if begins:
        return language.startswith(wanted)
    return language.partition("-")[0] == wanted.replace("_", "-").partition("-")[0]


_COLUMNS = {
    "site": schema.HOST,
    "domain": schema.DOMAIN,
    "url": schema.URL,
    "lang": schema.LANGUAGE,
    "date": schema.PUBLISHED,
    "before": schema.PUBLISHED,
    "after": schema.PUBLISHED,
}
_TESTS = {"site": _is_on_site, "lang": _is_language}
