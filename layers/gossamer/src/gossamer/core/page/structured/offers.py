"""What something costs and whether it is there: the cheapest of its offers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gossamer.core.page.structured.readings import availability_of, money_of, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.core.page.structured.graph import Graph, Node
    from gossamer.core.page.values import Money

MAX_OFFERS: Final = 200
_PRICES: Final = ("price", "lowPrice", "minPrice")
_IN_STOCK: Final = "in stock"


def price_of(graph: Graph, node: Node, language: str) -> Money | None:
    """The lowest price of the offers, in the currency of the first."""
    prices = [money for offer in _offers(graph, node) for money in _prices(graph, offer, language)]
    if not prices:
        return None
    currency = next((price.currency for price in prices if price.currency), "")
    same = [price for price in prices if price.currency in (currency, "")]
    return min(same, key=lambda price: (price.amount <= 0, price.amount))


def availability(graph: Graph, node: Node) -> str:
    """Whether it can be had; it can, if one offer says so."""
    said = [
        availability_of(value)
        for offer in _offers(graph, node)
        for value in graph.values(offer, "availability")
    ]
    return _IN_STOCK if _IN_STOCK in said else next(filter(None, said), "")


def _offers(graph: Graph, node: Node) -> list[Node]:
    """The offers of something and of its variants; one that is of many holds them."""
    found = _direct(graph, node)
    if not found:
        variants = graph.values(node, "hasVariant") + graph.values(node, "model")
        found = [o for v in variants[:MAX_OFFERS] if isinstance(v, dict) for o in _direct(graph, v)]
    return found[:MAX_OFFERS]


def _direct(graph: Graph, node: Node) -> list[Node]:
    offers = [each for each in graph.values(node, "offers") if isinstance(each, dict)]
    return [each for offer in offers for each in _or_inner(graph, offer)]


def _or_inner(graph: Graph, offer: Node) -> list[Node]:
    if any(name in offer for name in (*_PRICES, "priceSpecification")):
        return [offer]
    inner = [each for each in graph.values(offer, "offers") if isinstance(each, dict)]
    return inner or [offer]


def _prices(graph: Graph, offer: Node, language: str) -> Iterator[Money]:
    """The price of an offer, or that of its specification."""
    currency = name_of(next(iter(graph.values(offer, "priceCurrency")), ""))
    for name in _PRICES:
        for value in graph.values(offer, name):
            if money := money_of(value, currency, language):
                yield money
                return
    for said in graph.values(offer, "priceSpecification"):
        if isinstance(said, dict):
            own = name_of(said.get("priceCurrency")) or currency
            names = (said.get(name) for name in _PRICES)
            yield from filter(None, (money_of(each, own, language) for each in names))
