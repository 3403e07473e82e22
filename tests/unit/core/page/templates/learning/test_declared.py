"""Values that pages declare: preferred where they say what is marked, and only there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gossamer.core.page.templates.extraction import extract
from gossamer.core.page.templates.learning.learner import MarkedPage, learn
from gossamer.core.page.templates.template import Template, read_template, to_toml
from gossamer.core.page.values import Money

NAMES = ("Blue lamp", "Oak table", "Red chair", "Tin mug", "Wool rug")
SHOWN = "<h1>{name}</h1><p class=price>${price}</p>"
REDESIGNED = "<div><b>{name}</b> for only <i>{price} dollars</i></div>"


def price(number: int) -> str:
    return f"{number * 10 + 2.5:.2f}"


def linked(number: int, **more: Any) -> str:
    offer = {"@type": "Offer", "price": price(number), "priceCurrency": "USD"}
    thing = {"@type": "Product", "name": NAMES[number], "sku": f"S-{number}", "offers": [offer]}
    said = {"@context": "https://schema.org", "@graph": [{"@type": "WebSite", "name": "Shop"},
            thing | more]}  # fmt: skip
    return f'<script type="application/ld+json">{json.dumps(said)}</script>'


def micro(number: int) -> str:
    return (
        '<div itemscope itemtype="https://schema.org/Product">'
        f'<meta itemprop=sku content="S-{number}"><meta itemprop=name content="{NAMES[number]}">'
        '<div itemprop=offers itemscope itemtype="https://schema.org/Offer">'
        f'<meta itemprop=price content="{price(number)}">'
        "<meta itemprop=priceCurrency content=USD></div></div>"
    )


def metas(number: int) -> str:
    return f'<meta name="shop:sku" content="S-{number}"><meta name="site" content="Shop">'


def page(number: int, declared: str, shown: str = SHOWN) -> str:
    body = shown.format(name=NAMES[number], price=price(number))
    return f"<html><head><title>Shop</title></head><body>{declared}{body}</body></html>"


def taught(declare: Any, values: Any, *, pages: int = 3, shown: str = SHOWN) -> Template:
    marked = [
        MarkedPage(f"https://shop.test/p/{n}", page(n, declare(n), shown), values(n))
        for n in range(pages)
    ]
    return learn("shop", marked).template


def read(template: Template, number: int, declared: str, shown: str = SHOWN) -> Any:
    (record,) = extract(template, page(number, declared, shown), f"https://shop.test/p/{number}")
    return record.values


def marks(number: int) -> dict[str, list[str]]:
    return {"name": [NAMES[number]], "price": [f"${price(number)}"]}


@pytest.mark.parametrize(("declare", "prefix"), [(linked, "jsonld"), (micro, "microdata")])
def test_what_a_page_declares_of_a_type_is_read_first_and_outlasts_a_redesign(declare, prefix):
    template = taught(declare, marks)

    assert template.fields["name"].source == [f"{prefix}:Product.name"]
    assert template.fields["price"].source[0].startswith(f"{prefix}:Offer.price")
    assert template.fields["price"].type == "money"
    for number in (3, 4):
        expected = {"name": NAMES[number], "price": Money(float(price(number)), "USD")}
        assert read(template, number, declare(number), REDESIGNED) == expected
        assert read(template, number, "") == expected, "a page that declares nothing shows it"
    assert read_template(to_toml(template), "x.toml") == template


def test_a_value_that_is_not_shown_anywhere_is_learned():
    def sku(number: int) -> dict[str, list[str]]:
        return {"sku": [f"S-{number}"]}

    assert taught(linked, sku).fields["sku"].source == ["jsonld:Product.sku"]
    template = taught(metas, sku)
    assert read(template, 4, metas(4)) == {"sku": "S-4"}


def test_what_agrees_on_some_of_the_pages_only_is_not_taken():
    def stale(number: int) -> str:
        return linked(number, name=NAMES[number] if number else "Something else")

    template = taught(stale, marks)

    assert template.fields["name"].source == []
    assert read(template, 4, linked(4, name="Something else"))["name"] == NAMES[4]


def test_what_is_the_same_on_all_pages_may_agree_by_chance():
    def shop(number: int) -> str:
        return linked(number) + "<p class=seller>Shop</p>"

    template = taught(shop, lambda _: {"seller": ["Shop"]})

    assert template.fields["seller"].source == []


def test_a_page_without_the_value_must_declare_none():
    def some(number: int) -> dict[str, list[str]]:
        return {"sku": [f"S-{number}"] if number < 2 else []}

    assert "sku" not in taught(linked, some).fields


def test_what_is_said_not_to_be_the_value_is_avoided():
    pages = [
        MarkedPage(
            f"https://shop.test/p/{n}",
            page(n, linked(n)),
            {"price": [price(n)]} if n < 2 else {},
            {"price": [price(n)]} if n == 2 else {},
        )
        for n in range(3)
    ]

    assert learn("shop", pages).template.fields["price"].source == []


def test_several_values_that_are_declared_make_a_list():
    def tags(number: int) -> list[str]:
        return [f"tag {number}", f"tag {number + 1}"]

    template = taught(lambda n: linked(n, category=tags(n)), lambda n: {"tags": tags(n)})

    rule = template.fields["tags"]
    assert (rule.source, rule.type) == (["jsonld:Product.category"], "list")
    assert read(template, 4, linked(4, category=tags(4))) == {"tags": tags(4)}


@pytest.mark.parametrize(
    "declared",
    [
        '<script type="application/ld+json">{"@type": "Product", "name": ' + "[" * 5_000,
        '<script type="application/ld+json">' + json.dumps({"@type": ["A"] * 900, "a.b": {}}),
        "<div itemscope itemtype=Product>" * 300,
        '<meta name="x" content="y">' * 5_000,
    ],
)
def test_a_hostile_page_teaches_what_it_shows(declared: str):
    template = taught(lambda _: f"{declared}</script>", marks)

    assert read(template, 4, "")["name"] == NAMES[4]
