"""Sitemaps of webscraper.io: each page that has selectors becomes a template.

Selectors form a tree: an element with fields in it is a record, a link with selectors in it leads
to pages of another kind.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from gossamer.core.errors import ConfigurationError
from gossamer.core.page.templates.exchange.imported import (
    Imported,
    field_name,
    kept,
    tables,
    template_name,
    text_of,
)
from gossamer.core.page.templates.exchange.jquery import translated

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    Selector = dict[str, Any]

ROOT = "_root"
SELF = "_parent_"  # in place of a selector: the element that the selectors above have found
MAX_SELECTORS = 500
_RANGE = re.compile(r"\[\d+-\d+(?::\d+)?\]")
_ELEMENTS = ("SelectorElement", "SelectorElementScroll", "SelectorElementClick", "SelectorGroup")
_LINKS = ("SelectorLink", "SelectorPopupLink")
_TYPES = {
    "SelectorText": "text",
    "SelectorHTML": "html",
    "SelectorImage": "image",
    "SelectorElementAttribute": "text",
    "SelectorLink": "link",
    "SelectorPopupLink": "link",
}


def is_sitemap(given: Mapping[str, Any]) -> bool:
    """Whether a JSON file is one."""
    return "selectors" in given and ("startUrl" in given or "startUrls" in given)


def from_sitemap(given: Mapping[str, Any], origin: str) -> Imported:
    """Templates from a sitemap."""
    selectors = tables(given.get("selectors"), f"{origin}: selectors")
    if len(selectors) > MAX_SELECTORS:
        raise ConfigurationError(f"{origin}: a sitemap has at most {MAX_SELECTORS} selectors here")
    urls = given.get("startUrl") or given.get("startUrls") or []
    urls = [str(url) for url in (urls if isinstance(urls, list) else [urls])]
    tree = _Tree(template_name(text_of(given, "_id") or "sitemap"), urls, selectors, origin)
    tree.read()
    return tree.made


class _Tree:
    """A sitemap while it is being read."""

    def __init__(self, name: str, urls: list[str], selectors: list[Selector], origin: str) -> None:
        self.made = Imported()
        self._name, self._origin = name, origin
        self._starts = [_RANGE.sub("*", url) for url in urls]
        self._hosts = list(dict.fromkeys(_host(url) for url in urls))
        self._by_parent: dict[str, list[Selector]] = {}
        for selector in selectors:
            for parent in selector.get("parentSelectors") or [ROOT]:
                self._by_parent.setdefault(str(parent), []).append(selector)

    def read(self) -> None:
        """Make a template of each page that has fields."""
        pages, seen = [ROOT], {ROOT}
        while pages:
            parent = pages.pop()
            self._page(parent)
            for link in self._links_below(parent):
                if (id := text_of(link, "id")) not in seen:
                    seen.add(id)
                    pages.append(id)
        if not self.made.templates:
            self.made.notes.append("no selector of this sitemap reads a value")

    def _page(self, parent: str) -> None:
        selectors = self._by_parent.get(parent, [])
        content: dict[str, Any] = {"name": self._name, "match": self._starts}
        if parent != ROOT:
            content["name"] = template_name(f"{self._name}-{parent}")
            content["match"] = [f"{host}/*" for host in self._hosts]
            self.made.notes.append(
                f"{content['name']}: it reads all pages of the site that no other template does;"
                " say in `match` which pages the link leads to"
            )
        records = [each for each in selectors if self._is_record(each)]
        for extra in records[1:]:
            self._left_out(extra, "a template has one kind of record; make another template of it")
        if records:
            self._record(content, records[0])
        own = selectors if not records else []
        fields = content.setdefault("fields", {})
        fields |= self._fields(own, fields)
        self._add_next(content, selectors)
        if fields:
            self.made.add(content, f"{self._origin}: {content['name']}")

    def _is_record(self, selector: Selector) -> bool:
        kind = selector.get("type")
        return kind == "SelectorTable" or (
            kind in _ELEMENTS and bool(self._by_parent.get(text_of(selector, "id")))
        )

    def _record(self, content: dict[str, Any], record: Selector) -> None:
        """An element that has fields in it, perhaps in elements of its own."""
        items = self._selector(record)
        if record.get("type") == "SelectorTable":
            rows = text_of(record, "tableDataRowSelector") or "tbody tr"
            content["items"] = translated(f"{items} {rows}")
            content["fields"] = _cells(record)
            return
        content["items"] = items
        content["fields"] = self._fields(self._by_parent[text_of(record, "id")], {})
        links = [name for name, rule in content["fields"].items() if rule.get("type") == "link"]
        if links:
            content["url"] = links[0]
        content["actions"] = list(_actions(record))
        if content["actions"]:
            self.made.notes.append(f"{content['name']}: its clicks and scrolls wait for a browser")

    def _fields(self, selectors: Iterable[Selector], known: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for selector in selectors:
            kind, id = selector.get("type"), text_of(selector, "id")
            if kind in _ELEMENTS and id in self._by_parent:  # an element in a record
                found |= self._inner(selector, {**known, **found})
            elif kind in _TYPES:
                found[field_name(id, {**known, **found})] = self._field(selector)
            elif kind not in ("SelectorPagination", "SelectorTable"):
                self._left_out(selector, f"{kind} is not known here")
        return found

    def _inner(self, element: Selector, known: Mapping[str, Any]) -> dict[str, Any]:
        outer = self._selector(element)
        inner = self._fields(self._by_parent[text_of(element, "id")], known)
        for rule in inner.values():
            rule["select"] = _below(outer, rule["select"])
        return inner

    def _field(self, selector: Selector) -> dict[str, Any]:
        kind = _TYPES[str(selector.get("type"))]
        rule: dict[str, Any] = {"select": self._selector(selector)}
        if selector.get("multiple"):
            rule |= {"type": "list", "of": kind}
        elif kind != "text":
            rule["type"] = kind
        if attribute := text_of(selector, "extractAttribute"):
            rule["attribute"] = attribute
        if expression := text_of(selector, "regex"):
            rule["clean"] = kept(expression)
        return rule

    def _add_next(self, content: dict[str, Any], selectors: Iterable[Selector]) -> None:
        for selector in selectors:
            if selector.get("type") == "SelectorPagination":
                content["next"] = self._selector(selector)

    def _links_below(self, parent: str) -> Iterator[Selector]:
        """The links of a page that lead to pages with selectors of their own."""
        for selector in self._by_parent.get(parent, []):
            kind, id = selector.get("type"), text_of(selector, "id")
            if kind in _LINKS and id in self._by_parent:
                yield selector
            elif kind in _ELEMENTS:
                yield from self._links_below(id)

    def _selector(self, selector: Selector) -> str:
        if text_of(selector, "selector") == SELF:
            return "."
        place = f"{self._origin}: selectors.{text_of(selector, 'id')}"
        try:
            return translated(text_of(selector, "selector"))
        except ConfigurationError as error:
            raise ConfigurationError(f"{place}: {error}") from error

    def _left_out(self, selector: Selector, why: str) -> None:
        self.made.notes.append(f"{text_of(selector, 'id') or 'a selector'} is left out: {why}")


def _cells(record: Selector) -> dict[str, Any]:
    """The columns of a table, each by its place."""
    found: dict[str, Any] = {}
    for place, column in enumerate(tables(record.get("columns") or [], "columns"), 1):
        if column.get("extract", True):
            name = text_of(column, "name") or text_of(column, "header")
            found[field_name(name, found)] = {"select": f"./*[self::td or self::th][{place}]"}
    return found


def _actions(record: Selector) -> Iterator[dict[str, Any]]:
    if record.get("type") == "SelectorElementScroll":
        yield {"scroll": "end"}
    if click := text_of(record, "clickElementSelector"):
        yield {"click": click}


def _below(outer: str, inner: str) -> str:
    if "." in (outer, inner):
        return inner if outer == "." else outer
    if outer.startswith(("(", "/")) or inner.startswith(("(", "/", ".")):
        raise ConfigurationError(f"{inner!r} in {outer!r}: places of places cannot be said here")
    return f"{outer} {inner}"


def _host(url: str) -> str:
    return "/".join(url.split("/", 3)[:3])
