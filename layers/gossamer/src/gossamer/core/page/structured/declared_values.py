"""The typed values that a page declares: of itself, and of items on it that have no page.

One page has one main object. If it lists several that have pages of their own, it says nothing of
them: their pages do. What has no page becomes an item of this one. (docs/decisions/0080.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urldefrag, urljoin

from gossamer.core.page.structured.entity_types import (
    ARTICLE,
    BREADCRUMB,
    KIND_OF,
    ORDER,
    ORGANIZATION,
    PRODUCT,
)
from gossamer.core.page.structured.graph import types_of
from gossamer.core.page.structured.readings import (
    availability_of,
    image_of,
    money_of,
    name_of,
    number_of,
)
from gossamer.core.page.structured.scripts import holds_typed_state
from gossamer.core.page.structured.well_known import values_of
from gossamer.core.page.values import MAX_TEXT, check_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gossamer.core.page.structured.graph import Graph, Node
    from gossamer.core.page.structured.page_data import PageData
    from gossamer.core.page.values import Value

MAX_ITEMS: Final = 200  # of a page
# What has no page of its own is an item only if it is one of these.
_ITEMS: Final = frozenset((PRODUCT, "event", "job", "recipe"))
# What other objects are for: those in these properties are not what a page is about.
_ASIDE: Final = frozenset(
    str.split(
        "isRelatedTo isSimilarTo isAccessoryOrSparePartFor isVariantOf hasVariant itemReviewed"
        " publisher author brand manufacturer seller provider organizer performer"
        " mentions about itemOffered isPartOf hasPart citation workExample review subjectOf offers"
        " hiringOrganization location sponsor creator copyrightHolder"
        " parentOrganization sourceOrganization"
    )
)
_LISTED: Final = frozenset(("itemListElement",))
_PRICES: Final = ("product:sale_price", "product:price", "og:price")
_BEGINS: Final = ("product:", "article:", "og:price")


class Item(NamedTuple):
    """Something on a page that has no page of its own."""

    values: dict[str, Value]
    text: str


class Declared(NamedTuple):
    """What a page says of itself, and of the items that are on it alone."""

    values: dict[str, Value]
    items: list[Item]


class _Object(NamedTuple):
    """An object of a kind that is read."""

    kind: str
    node: Node
    address: str  # of its page; "" if it says none
    listed: bool  # in a list of several

    @property
    def name(self) -> str:
        return name_of(self.node.get("name")) or name_of(self.node.get("headline"))


NOTHING: Final = Declared({}, [])


def declares(html: str, metas: Mapping[str, Sequence[str]]) -> bool:
    """Whether there is anything to read, asked before anything is."""
    return (
        "ld+json" in html
        or ("itemscope" in html and "schema.org/" in html)
        or holds_typed_state(html)
        or any(name.startswith(_BEGINS) for name in metas)
    )


def declared_values(data: PageData, canonical: str = "", language: str = "") -> Declared:
    """The values that a page declares; never more than a document may have."""
    if not declares(data.html, data.metas):
        return NOTHING
    found: dict[str, Value] = {}
    items: list[Item] = []
    for name in ("linked", "microdata", "typed_state"):
        if found.get("type"):  # a page says the same once more, for other readers
            break
        graph: Graph = getattr(data, name)
        values, others = _of_graph(graph, data.url, canonical, language)
        found, items = {**values, **found}, items or others
    found = _with_metas(found, data, language)
    return Declared(_bounded(found), [] if found.get("type") in _ITEMS else items)


def _of_graph(
    graph: Graph, url: str, canonical: str, language: str
) -> tuple[dict[str, Value], list[Item]]:
    objects = list(_objects(graph, url))
    own = {_page(each) for each in (url, canonical) if each}
    main = _main(objects, own)
    values = values_of(main.kind, graph, main.node, url, language) if main else {}
    if trail := _breadcrumb(graph):
        values["breadcrumb"] = [*trail]
    if main and main.kind in _ITEMS:
        return values, []
    alone = [each for each in objects if each.kind in _ITEMS and each.address in {"", *own}]
    return values, [_item(each, graph, url, language) for each in alone[:MAX_ITEMS] if each.name]


def _item(found: _Object, graph: Graph, url: str, language: str) -> Item:
    values = values_of(found.kind, graph, found.node, url, language)
    said = found.node.get("description")
    return Item(_bounded(values), said[:MAX_TEXT].strip() if isinstance(said, str) else "")


def _objects(graph: Graph, url: str) -> Iterator[_Object]:
    """Objects of known kinds that are not there for another one's sake."""
    aside = _held(graph, _ASIDE)
    listed = _held(graph, _LISTED)
    for node in graph.nodes:
        kind = next((KIND_OF[name] for name in types_of(node) if name in KIND_OF), "")
        if kind in ORDER and id(node) not in aside and len(node) > 2:
            yield _Object(kind, node, _address(node, url), id(node) in listed)


def _held(graph: Graph, names: frozenset[str]) -> set[int]:
    """The objects that are values of some properties, and all in them."""
    found: set[int] = set()
    for node in graph.nodes:  # those that hold others come first
        for name, value in node.items():
            if isinstance(value, list | dict) and (name in names or id(node) in found):
                found.update(id(each) for each in graph.flat(value) if isinstance(each, dict))
    return found


def _main(objects: list[_Object], own: set[str]) -> _Object | None:
    """What the page is about: what has its address, or is alone of its kind."""
    free = [each for each in objects if not each.listed and each.kind != ORGANIZATION]
    at_home = [each for each in objects if each.address in own]
    unsaid = [each for each in free if each.address in {"", *own}]
    for candidates in (at_home, unsaid, free):
        for kind in ORDER:
            of_kind = [each for each in candidates if each.kind == kind]
            if len({each.name for each in of_kind}) == 1:
                return of_kind[0]
    return None


def _address(node: Node, url: str) -> str:
    """Where an object says that it is; "" if nowhere. An id need be no address."""
    said = node.get("url")
    if not isinstance(said, str):
        main = node.get("mainEntityOfPage")
        said = main.get("@id") if isinstance(main, dict) else main
    if not isinstance(said, str) or not said.strip():
        return ""
    try:
        return _page(urljoin(url, said.strip()))
    except ValueError:
        return ""


def _page(url: str) -> str:
    """An address as far as it tells pages apart."""
    return urldefrag(url)[0].partition("://")[2].removeprefix("www.").rstrip("/")


def _breadcrumb(graph: Graph) -> list[str]:
    """Where the page is within its site, from the outermost."""
    for node in graph.nodes:
        if any(KIND_OF.get(name) == BREADCRUMB for name in types_of(node)):
            entries = [
                each for each in graph.values(node, "itemListElement") if isinstance(each, dict)
            ]
            placed = sorted(entries, key=lambda each: number_of(each.get("position")) or 0.0)
            names = [name_of(each) or name_of(each.get("item")) for each in placed[:30]]
            return [name for name in names if name]
    return []


def _with_metas(found: dict[str, Value], data: PageData, language: str) -> dict[str, Value]:
    """Values completed by what OpenGraph says, if it is about the same."""
    metas = data.metas
    for kind, said in ((PRODUCT, _og_product(data, language)), (ARTICLE, _og_article(metas))):
        if said and found.get("type") in (None, kind):
            found = {"type": kind, **said, **found}
    return found


def _og_product(data: PageData, language: str) -> dict[str, Value]:
    metas = data.metas
    amount = _first(metas, *(f"{name}:amount" for name in _PRICES))
    currency = _first(metas, *(f"{name}:currency" for name in _PRICES))
    money = money_of(amount, currency, language) if amount else None
    if not money:
        return {}
    said: dict[str, Value | None] = {
        "name": name_of(_first(metas, "og:title")),
        "image": image_of(_first(metas, "og:image"), data.url),
        "price": money,
        "brand": name_of(_first(metas, "product:brand", "og:brand")),
        "availability": availability_of(_first(metas, "product:availability", "og:availability")),
        "sku": name_of(_first(metas, "product:retailer_item_id")),
        "category": name_of(_first(metas, "product:category")),
    }
    return {name: value for name, value in said.items() if value}


def _og_article(metas: Mapping[str, Sequence[str]]) -> dict[str, Value]:
    if _first(metas, "og:type") != "article" and "article:published_time" not in metas:
        return {}
    authors = [name_of(each) for each in metas.get("article:author", ()) if "://" not in each]
    said: dict[str, Value | None] = {
        "section": name_of(_first(metas, "article:section")),
        "author": [*authors[:20]],
    }
    return {name: value for name, value in said.items() if value}


def _first(metas: Mapping[str, Sequence[str]], *names: str) -> str:
    return next((metas[name][0] for name in names if metas.get(name)), "")


def _bounded(values: dict[str, Value]) -> dict[str, Value]:
    """Values that a document may have; of too many texts the lists go."""
    try:
        check_values(values)
    except ValueError:
        return {name: value for name, value in values.items() if not isinstance(value, list)}
    return values
