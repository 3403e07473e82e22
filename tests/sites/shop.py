"""A shop whose products are known: in lists, each with a page, declared in one way or another.

    shop = Shop(origin)                   # 100 products in 5 lists; product 7 is in two of them,
                                          # and product 9 stands twice in its own
    server.publish(shop.site())
    shop.priced(10, 20)                   # the URLs that price:10..20 must find
    shop.by_price()                       # all URLs, the cheapest first
    shop.table()                          # what a table of them must say, likewise

The pages are the same but for names, prices, brands and ratings, and for `style`: how they declare
these (jsonld, microdata or none, where they stand in the text alone).
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Final, Literal

from tests.sites.generated import Resource, Site

if TYPE_CHECKING:
    from collections.abc import Iterable

Style = Literal["jsonld", "microdata", "none"]
LIST_LENGTH: Final = 20
TWICE: Final = 7  # the product that is in a second list
DOUBLED: Final = 9  # the product that is in one list twice
# What a person writes for the shop: one template for the pages of products, one for the lists.
_VALUES: Final = """
[fields.name]
select = "{name}"
[fields.brand]
select = ".brand"
type = "keyword"
facet = true
[fields.price]
select = ".price"
type = "money"
sort = true
required = true
"""
_PAGE: Final = """
name = "product"
match = "{origin}/product/*"
key = "sku"
title = "{{name}}"
[fields.sku]
select = ".sku"
type = "keyword"
[fields.rating]
select = ".rating"
type = "number"
sort = true
"""
_LIST: Final = """
name = "listed"
match = ["{origin}/", "{origin}/list/*"]
items = ".card"
key = "sku"
title = "{{name}}"
url = "page"
next = "a[rel=next]"
[fields.sku]
select = "@data-sku"
type = "keyword"
[fields.page]
select = "h2 a"
type = "link"
"""
_THINGS: Final = ("lamp", "chair", "kettle", "blanket", "ladder", "mirror", "basket", "clock")
_COLOURS: Final = ("amber", "black", "coral", "green", "ivory", "olive", "white")
_BRANDS: Final = ("Arbor", "Bjelke", "Corvina", "Dunmore")
_PROSE: Final = (
    "Made by hand in a workshop by the river, packed without plastic and sent within two days."
    " It can be returned for a month, and every part of it can be bought again when it breaks."
)


@dataclass(frozen=True)
class Product:
    """What the shop sells, as its owner knows it."""

    number: int
    name: str
    brand: str
    cents: int
    rating: float
    in_stock: bool

    @property
    def path(self) -> str:
        return f"/product/{self.number}"

    @property
    def price(self) -> float:
        return self.cents / 100

    @property
    def sku(self) -> str:
        return f"S-{self.number:04}"


def products(count: int = 100, seed: int = 1) -> dict[int, Product]:
    """Products by number; no two have one price."""
    chance = random.Random(seed)
    prices = chance.sample(range(100, 6_000), count)
    return {
        number: Product(
            number,
            f"{chance.choice(_COLOURS)} {chance.choice(_THINGS)} {number}",
            chance.choice(_BRANDS),
            cents,
            chance.randint(10, 50) / 10,
            chance.random() < 0.8,
        )
        for number, cents in enumerate(prices, 1)
    }


@dataclass
class Shop:
    """The shop as it is now; its products may change."""

    origin: str
    style: Style = "jsonld"
    products: dict[int, Product] = field(default_factory=products)
    twice: set[int] = field(default_factory=lambda: {TWICE})
    doubled: set[int] = field(default_factory=lambda: {DOUBLED})

    def reprice(self, number: int, cents: int) -> None:
        """Give a product another price."""
        self.products[number] = replace(self.products[number], cents=cents)

    def remove(self, number: int) -> None:
        """Sell it no more: its page and its places in lists are gone."""
        del self.products[number]

    def templates(self) -> dict[str, str]:
        """Templates for the shop, by their names."""
        return {
            "product": _PAGE.format(origin=self.origin) + _VALUES.format(name="h1"),
            "listed": _LIST.format(origin=self.origin) + _VALUES.format(name="h2"),
        }

    def marks(self, *numbers: int) -> list[str]:
        """Arguments of `template learn`: what a person marks on the pages of some products."""
        found: list[str] = []
        for product in (self.products[number] for number in numbers):
            found += ["--page", self.url(product)]
            row = self.row(product)
            for name in ("name", "brand", "price", "sku", "rating"):
                found += ["--value", f"{name}={row[name]}"]
        return found

    def row(self, product: Product) -> dict[str, str]:
        """What a table must say of a product."""
        return {
            "url": self.url(product),
            "name": product.name,
            "brand": product.brand,
            "price": f"{product.price:g}",
            "price_currency": "EUR",
            "sku": product.sku,
            "rating": f"{product.rating:g}",
        }

    def table(self) -> list[dict[str, str]]:
        """What a table must say, the cheapest first."""
        return [self.row(p) for p in sorted(self.products.values(), key=lambda p: p.cents)]

    def url(self, product: Product) -> str:
        return self.origin + product.path

    def priced(self, low: float, high: float) -> set[str]:
        """The pages of products within a range of prices."""
        return {self.url(each) for each in self.products.values() if low <= each.price <= high}

    def by_price(self) -> list[str]:
        """The pages of all products, the cheapest first."""
        return [self.url(p) for p in sorted(self.products.values(), key=lambda p: p.cents)]

    def site(self) -> Site:
        """The website of the shop."""
        site = Site(self.origin)
        site.resources |= {
            self.origin + path: Resource(body=html.encode()) for path, html in self.pages().items()
        }
        return site

    def pages(self) -> dict[str, str]:
        """The pages of the shop by path."""
        lists = self._lists()
        found = {path: self._list(path, each, lists) for path, each in lists.items()}
        found |= {product.path: self._detail(product) for product in self.products.values()}
        return found

    def _lists(self) -> dict[str, list[Product]]:
        """The lists by path; the first is the home page, and the last shows some products again."""
        all_of_them = list(self.products.values())
        starts = range(0, len(all_of_them), LIST_LENGTH)
        lists = {f"/list/{n}" if n else "/": all_of_them[n : n + LIST_LENGTH] for n in starts}
        for path, listed in lists.items():
            lists[path] = [*listed, *(each for each in listed if each.number in self.doubled)]
        last = list(lists)[-1]
        for number in sorted(self.twice):
            again = self.products.get(number)
            if again and again not in lists[last]:
                lists[last] = [*lists[last], again]
        return lists

    def _list(self, path: str, listed: list[Product], lists: Iterable[str]) -> str:
        others = list(lists)
        following = others[others.index(path) + 1 : others.index(path) + 2]
        items = "".join(self._card(product) for product in listed)
        links = "".join(f'<a rel="next" href="{each}">more</a>' for each in following)
        entries = [
            {"@type": "ListItem", "position": n, "item": self._declared(product, url=product.path)}
            for n, product in enumerate(listed, 1)
        ]
        head = _script({"@type": "ItemList", "itemListElement": entries})
        body = f"<h1>All that we sell</h1><ul>{items}</ul>{links}"
        return _page("Shop", head if self.style == "jsonld" else "", body)

    def _card(self, product: Product) -> str:
        name, price = escape(product.name), f"{product.price:.2f}"
        return (
            f'<li class="card" data-sku="{product.sku}">'
            f'<h2><a href="{product.path}">{name}</a></h2>'
            f'<span class="brand">{product.brand}</span> <span class="price">€ {price}</span></li>'
        )

    def _detail(self, product: Product) -> str:
        data = self._declared(product) if self.style == "jsonld" else None
        body = _marked(product) if self.style == "microdata" else _plain(product)
        return _page(product.name, _script(data) if data else "", body)

    def _declared(self, product: Product, **more: str) -> dict[str, object]:
        stock = "InStock" if product.in_stock else "OutOfStock"
        return {
            "@type": "Product",
            "name": product.name,
            "sku": product.sku,
            "brand": {"@type": "Brand", "name": product.brand},
            "aggregateRating": {"ratingValue": product.rating, "reviewCount": product.number},
            "offers": {
                "@type": "Offer",
                "price": f"{product.price:.2f}",
                "priceCurrency": "EUR",
                "availability": f"https://schema.org/{stock}",
            },
            **more,
        }


def _script(data: dict[str, object]) -> str:
    text = json.dumps({"@context": "https://schema.org", **data})
    return f'<script type="application/ld+json">{text}</script>'


def _page(title: str, head: str, body: str) -> str:
    return (
        f'<!doctype html><html lang="en"><head><title>{escape(title)}</title>{head}</head>'
        f"<body><header><a href=/>Home</a></header><main>{body}</main></body></html>"
    )


def _plain(product: Product) -> str:
    return (
        f"<h1>{escape(product.name)}</h1><p>by <span class=brand>{product.brand}</span></p>"
        f"<p>{_PROSE}</p><p class=price>€ {product.price:.2f}</p>"
        f"<dl><dt>Number</dt><dd class=sku>{product.sku}</dd>"
        f"<dt>Rating</dt><dd class=rating>{product.rating}</dd></dl>"
    )


def _marked(product: Product) -> str:
    stock = "InStock" if product.in_stock else "OutOfStock"
    return (
        '<div itemscope itemtype="https://schema.org/Product">'
        f"<h1 itemprop=name>{escape(product.name)}</h1>"
        f"<p>by <span itemprop=brand>{product.brand}</span></p><p>{_PROSE}</p>"
        '<div itemprop=offers itemscope itemtype="https://schema.org/Offer">'
        "<meta itemprop=priceCurrency content=EUR>"
        f"<p>€ <span itemprop=price>{product.price:.2f}</span></p>"
        f'<link itemprop=availability href="https://schema.org/{stock}"></div>'
        f"<dl><dt>Number</dt><dd itemprop=sku>{product.sku}</dd></dl>"
        "<div itemprop=aggregateRating itemscope>"
        f"<meta itemprop=ratingValue content={product.rating}>"
        f"<meta itemprop=reviewCount content={product.number}></div></div>"
    )
