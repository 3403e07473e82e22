"""The typed values of an object of a known type: what the same thing is called on every site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from gossamer.core.page.structured.entity_types import (
    ARTICLE,
    EVENT,
    FAQ,
    JOB,
    ORGANIZATION,
    PRODUCT,
    RECIPE,
)
from gossamer.core.page.structured.offers import availability, price_of
from gossamer.core.page.structured.readings import (
    day_of,
    image_of,
    minutes_of,
    money_of,
    name_of,
    names_of,
    rating_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gossamer.core.page.structured.graph import Graph, Node
    from gossamer.core.page.values import Money, Value

    Pairs: TypeAlias = Iterator[tuple[str, Value | None]]

MAX_LISTED: Final = 50  # ingredients, questions, authors
_GTINS: Final = ("gtin", "gtin13", "gtin14", "gtin12", "gtin8", "isbn")


def values_of(kind: str, graph: Graph, node: Node, url: str, language: str) -> dict[str, Value]:
    """What an object of a kind says; nothing is kept of what it does not say."""
    found: dict[str, Value] = {"type": kind}
    for name, value in _common(graph, node, url, language):
        _keep(found, name, value)
    for name, value in _READERS[kind](graph, node, url, language):
        _keep(found, name, value)
    return found


def _keep(found: dict[str, Value], name: str, value: Value | None) -> None:
    if value is not None and value != "" and value != []:
        found.setdefault(name, value)


def _common(graph: Graph, node: Node, url: str, language: str) -> Pairs:
    yield "name", _first_name(graph, node, "name") or _first_name(graph, node, "headline")
    images = (image_of(value, url) for value in graph.values(node, "image"))
    yield "image", next(filter(None, images), None)
    yield from rating_of(graph, node)


def _product(graph: Graph, node: Node, url: str, language: str) -> Pairs:
    yield "brand", _first_name(graph, node, "brand") or _first_name(graph, node, "manufacturer")
    yield "price", price_of(graph, node, language)
    yield "availability", availability(graph, node)
    yield "sku", _first_name(graph, node, "sku")
    codes = (_first_name(graph, node, name) for name in _GTINS)
    yield "gtin", next(filter(None, codes), None)
    yield "category", _first_name(graph, node, "category")
    yield "author", [*names_of(graph, node, "author")[:MAX_LISTED]]


def _article(graph: Graph, node: Node, url: str, language: str) -> Pairs:
    yield "author", [*names_of(graph, node, "author")[:MAX_LISTED]]
    yield "section", _first_name(graph, node, "articleSection")
    yield "modified_on", _day(graph, node, "dateModified")
    yield "published_on", _day(graph, node, "datePublished")


def _event(graph: Graph, node: Node, url: str, language: str) -> Pairs:
    yield "starts", _day(graph, node, "startDate")
    yield "ends", _day(graph, node, "endDate")
    yield "location", _place(graph, node, "location")
    yield "price", price_of(graph, node, language)
    yield "availability", availability(graph, node)
    yield "organizer", _first_name(graph, node, "organizer")


def _recipe(graph: Graph, node: Node, url: str, language: str) -> Pairs:
    yield "author", [*names_of(graph, node, "author")[:MAX_LISTED]]
    yield "cuisine", _first_name(graph, node, "recipeCuisine")
    yield "category", _first_name(graph, node, "recipeCategory")
    yield "servings", _first_name(graph, node, "recipeYield")
    ingredients = names_of(graph, node, "recipeIngredient") or names_of(graph, node, "ingredients")
    yield "ingredients", [*ingredients[:MAX_LISTED]]
    durations = graph.values(node, "totalTime") or graph.values(node, "cookTime")
    yield "minutes", next(filter(None, map(minutes_of, durations)), None)


def _job(graph: Graph, node: Node, url: str, language: str) -> Pairs:
    yield "name", _first_name(graph, node, "title")
    yield "company", _first_name(graph, node, "hiringOrganization")
    yield "location", _place(graph, node, "jobLocation")
    yield "employment", [*names_of(graph, node, "employmentType")[:MAX_LISTED]]
    yield "salary", _salary(graph, node, language)
    yield "posted_on", _day(graph, node, "datePosted")
    yield "ends", _day(graph, node, "validThrough")


def _organization(graph: Graph, node: Node, url: str, language: str) -> Pairs:
    yield "telephone", _first_name(graph, node, "telephone")
    yield "location", _place(graph, node, "address") or _place(graph, node, "location")


def _faq(graph: Graph, node: Node, url: str, language: str) -> Pairs:
    yield "questions", [*names_of(graph, node, "mainEntity")[:MAX_LISTED]]
    yield "answers", [*names_of(graph, node, "mainEntity", "acceptedAnswer")[:MAX_LISTED]]


def _first_name(graph: Graph, node: Node, name: str) -> str:
    return next(filter(None, map(name_of, graph.values(node, name))), "")


def _day(graph: Graph, node: Node, name: str) -> Value | None:
    return next(filter(None, map(day_of, graph.values(node, name))), None)


def _place(graph: Graph, node: Node, name: str) -> str:
    """Where something is: the town of its address, or else the place's name."""
    for value in graph.values(node, name):
        if not isinstance(value, dict):
            return name_of(value)
        addresses = [each for each in graph.values(value, "address") if each] or [value]
        parts = [
            _first_name(graph, address, part)
            for address in addresses[:1]
            if isinstance(address, dict)
            for part in ("addressLocality", "addressRegion")
        ]
        said = next(filter(None, parts), "") or name_of(addresses[0]) or name_of(value)
        if said:
            return said
    return ""


def _salary(graph: Graph, node: Node, language: str) -> Money | None:
    for said in graph.values(node, "baseSalary"):
        if not isinstance(said, dict):
            return money_of(said, _first_name(graph, node, "salaryCurrency"), language)
        currency = name_of(said.get("currency")) or _first_name(graph, node, "salaryCurrency")
        inner = graph.values(said, "value")
        for value in inner or [said]:
            numbers = (
                [value.get(n) for n in ("value", "minValue")]
                if isinstance(value, dict)
                else [value]
            )
            found = [money_of(each, currency, language) for each in numbers]
            if money := next(filter(None, found), None):
                return money
    return None


_READERS: Final[dict[str, Callable[[Graph, Node, str, str], Pairs]]] = {
    PRODUCT: _product,
    ARTICLE: _article,
    EVENT: _event,
    RECIPE: _recipe,
    JOB: _job,
    ORGANIZATION: _organization,
    FAQ: _faq,
}
