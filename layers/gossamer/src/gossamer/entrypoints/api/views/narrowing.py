"""How results without scripts are narrowed: filters, facets, order and spelling, all as links."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.search.result import Correction, FacetValue, SearchResponse

ALL_FACETS = "*"
ORDERS = {"": "Relevance", "-date": "Newest first", "date": "Oldest first"}
FIELDS = {"site": "host", "year": "date"}  # by which the values of a facet are filtered
TITLES = {"lang": "Language"}


class Narrowed(NamedTuple):
    """What an address says besides the query: links on the page keep it."""

    similar: str = "one"  # of similar pages, or "all"
    filters: tuple[str, ...] = ()
    sort: str = ""
    facets: str = ""
    correct: bool = True

    def address(self, query: str, page: int = 1) -> str:
        """The address of a page of the same results, for an attribute."""
        asked = [("q", query), *self.kept]
        asked += [("page", str(page))] if page > 1 else []
        asked += [("similar", self.similar)] if self.similar == "all" else []
        asked += [] if self.correct else [("correct", "false")]
        return escape(f"html?{urlencode(asked)}")

    @property
    def kept(self) -> list[tuple[str, str]]:
        """What another query keeps."""
        told = [("filter", each) for each in self.filters]
        told += [("sort", self.sort)] if self.sort else []
        return [*told, *([("facets", self.facets)] if self.facets else [])]

    def choosing(self, facet: str, value: str) -> Narrowed:
        """With a value of a facet in place of the one that was chosen."""
        field = FIELDS.get(facet, facet)
        others = [each for each in self.filters if not each.startswith(f"{field}:")]
        return self._replace(filters=(*others, f"{field}:{_quoted(value)}"))


AS_ASKED = Narrowed()


def hidden_fields(narrowed: Narrowed) -> str:
    """What a form sends with another query."""
    return "".join(
        f'<input type="hidden" name="{name}" value="{escape(value)}">\n'
        for name, value in narrowed.kept
    )


def chips(query: str, narrowed: Narrowed) -> str:
    """The filters, each a link to the results without it."""
    items = [_chip(query, narrowed, at) for at in range(len(narrowed.filters))]
    return f'<ul class="chips" aria-label="Filters">{"".join(items)}</ul>\n' if items else ""


def _chip(query: str, narrowed: Narrowed, at: int) -> str:
    filters = narrowed.filters
    address = narrowed._replace(filters=filters[:at] + filters[at + 1 :]).address(query)
    sign = '<span aria-hidden="true">×</span><span class="unseen">remove</span>'
    return f'<li><a href="{address}">{escape(filters[at])} {sign}</a></li>'


def spelling(found: Correction | None, narrowed: Narrowed) -> str:
    """Another spelling of the query is never used or offered in silence."""
    if found is None:
        return ""
    better = f"<bdi>{escape(found.corrected)}</bdi>"
    if not found.applied:
        link = f'<a href="{narrowed.address(found.corrected)}">{better}</a>'
        return f'<p class="correction">Did you mean {link}?</p>\n'
    typed = narrowed._replace(correct=False).address(found.typed)
    return (
        f'<p class="correction">Showing results for <b>{better}</b>. Search instead for'
        f' <a href="{typed}"><bdi>{escape(found.typed)}</bdi></a>.</p>\n'
    )


def order(query: str, narrowed: Narrowed) -> str:
    """Links to other orders of the same results."""
    named = ORDERS if narrowed.sort in ORDERS else {**ORDERS, narrowed.sort: narrowed.sort}
    links = [
        f"<b>{escape(text)}</b>"
        if sort == narrowed.sort
        else f'<a href="{narrowed._replace(sort=sort).address(query)}">{escape(text)}</a>'
        for sort, text in named.items()
    ]
    return f'<p class="hint">Sort: {" · ".join(links)}</p>\n'


def facets(response: SearchResponse, narrowed: Narrowed) -> str:
    """The values to choose from, once they are asked for: counting them takes time."""
    if not narrowed.facets:
        address = narrowed._replace(facets=ALL_FACETS).address(response.query)
        return f'<p class="hint"><a href="{address}">Filters</a></p>\n'
    shown = [
        _facet(name, values, response.query, narrowed)
        for name, values in response.facets.items()
        if values
    ]
    if not shown:
        return ""
    return f'<nav class="facets" aria-label="Filters">\n{"".join(shown)}</nav>\n'


def _facet(name: str, values: Sequence[FacetValue], query: str, narrowed: Narrowed) -> str:
    title = TITLES.get(name, name.capitalize().replace("_", " "))
    items = "".join(
        f'<li><a href="{narrowed.choosing(name, each.value).address(query)}">'
        f"<bdi>{escape(each.value)}</bdi></a> ({each.count:,})</li>"
        for each in values
    )
    return f"<details><summary>{escape(title)}</summary><ul>{items}</ul></details>\n"


def _quoted(value: str) -> str:
    """As a filter says it; years and truths are no words and have no quotes."""
    if value in ("true", "false") or (len(value) == 4 and value.isdecimal()):
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
