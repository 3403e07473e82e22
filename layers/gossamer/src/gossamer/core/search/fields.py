"""The fields that queries may name, count and sort by: a collection's own, and those of all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from gossamer.core.errors import QueryError
from gossamer.core.index import schema
from gossamer.core.index.declared import CURRENCY, currency_of, stored_name
from gossamer.core.search.plan import TITLE, Between, Filter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gossamer.core.collection import IndexSchema
    from gossamer.core.index.declared import DeclaredType
    from gossamer.core.search.plan import Match

RELEVANCE: Final = "relevance"
RANK: Final = "rank"  # to sort by: no column, because it changes when documents do not
# What can be counted and sorted by in every collection, and the columns behind it.
FACETS: Final = {
    "site": schema.HOST,
    "domain": schema.DOMAIN,
    "lang": schema.LANGUAGE,
    "kind": schema.KIND,
    "template": schema.TEMPLATE,
    "date": schema.PUBLISHED,
    "year": schema.PUBLISHED,
}
SORTS: Final = {
    "date": schema.PUBLISHED,
    "published": schema.PUBLISHED,
    "fetched": schema.FETCHED,
    RANK: RANK,
}
ALL: Final = "*"  # stands for the facets that a page shows: these, and all that are declared
SHOWN: Final = ("site", "lang", "kind", "year")
WORDS: Final = "words"  # the type of a text field
_QUERY_TYPES: Final[dict[DeclaredType, str]] = {
    "keyword": "keyword",
    "keywords": "keyword",
    "number": "float",
    "date": "day",
    "bool": "bool",
    "money": "float",
}


@dataclass(frozen=True, slots=True)
class Order:
    """Another order of results than by score."""

    column: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class SearchFields:
    """What a collection declares, as queries see it, and what every collection has."""

    types: Mapping[str, str] = field(default_factory=dict)  # of declared fields, by name
    columns: Mapping[str, str] = field(default_factory=dict)  # that they are kept in
    facets: Mapping[str, str] = field(default_factory=lambda: dict(FACETS))
    sorts: Mapping[str, str] = field(default_factory=lambda: dict(SORTS))
    automatic: frozenset[str] = frozenset()  # names that not every collection has values of

    def facets_named(self, names: Sequence[str]) -> dict[str, str]:
        """The columns behind the names of facets."""
        place = 0
        found: dict[str, str] = {}
        for name in names:
            if name != ALL and name not in self.facets:
                known = ", ".join(self.facets)
                raise QueryError(f"unknown facet {name!r}; known: {known}", place, "facets")
            chosen = self.shown_facets if name == ALL else [name]
            found |= {each: self.facets[each] for each in chosen}
            place += len(name) + 1
        return found

    def automatic_in(self, leaves: Iterable[Match]) -> tuple[str, ...]:
        """The automatic columns that parts of a plan filter by."""
        asked = {leaf.field for leaf in leaves if isinstance(leaf, Filter | Between)}
        return tuple(sorted(n for n in self.automatic if self.columns.get(n) in asked))

    @property
    def shown_facets(self) -> list[str]:
        """The facets that a page shows, those that are declared first."""
        return [*(name for name in self.facets if name not in FACETS), *SHOWN]

    def is_column(self, name: str) -> bool:
        """Whether the values of a field are compared as they are, and not as words."""
        return name != TITLE and self.types.get(name) != WORDS

    def order(self, sort: str) -> Order | None:
        """What to sort by; None for the score."""
        name = sort.removeprefix("-")
        if not name or name == RELEVANCE:
            return None
        if name not in self.sorts:
            known = ", ".join([RELEVANCE, *self.sorts])
            place = len(sort) - len(name)
            raise QueryError(f"cannot sort by {name!r}; known: {known}; - reverses", place, "sort")
        return Order(self.sorts[name], descending=sort.startswith("-"))


def fields_of(declared: IndexSchema) -> SearchFields:
    """What queries may name. Of a column and a text field of one name, the column is asked."""
    types, columns = dict.fromkeys(declared.fields, WORDS), {}
    facets, sorts = dict(FACETS), dict(SORTS)
    automatic = frozenset(name + ending for name in declared.automatic for ending in ("", CURRENCY))
    for name, each in declared.all_columns.items():
        types[name], columns[name] = _QUERY_TYPES[each.type], stored_name(name, each.type)
        counted = name
        if each.type == "money":
            counted = name + CURRENCY
            types[counted], columns[counted] = "keyword", currency_of(name)
        if each.facet:
            facets[counted] = columns[counted]
        if each.sort:
            sorts[name] = columns[name]
    return SearchFields(types, columns, facets, sorts, automatic)
