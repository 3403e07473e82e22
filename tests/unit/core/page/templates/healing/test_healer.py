"""Are selectors found again by the values that were known of pages before they changed?"""

from __future__ import annotations

import pytest

from gossamer.core.page.templates.extraction import extract
from gossamer.core.page.templates.healing.healer import heal
from gossamer.core.page.templates.healing.known import KnownPage, read_with
from gossamer.core.page.templates.template import Template, read_template, to_toml

NAMES = ["Blue lamp", "Oak table", "Red chair", "Tin mug", "Wool rug", "Glass jar"]
BRANDS = ["Acme", "Silky"]


def product(number: int) -> dict[str, str]:
    name = f"{NAMES[number % len(NAMES)]} no{number}"
    return {
        "name": name,
        "sku": f"s{number}",
        "price": f"{number * 3 + 5}.50",
        "brand": BRANDS[number % 2],
        "stock": "in stock" if number % 3 else "sold out",
        "weight": f"{number + 1}.2",
    }


DETAIL = read_template(
    """
match = "https://shop.test/p/*"
title = "{name}"
[fields.name]
select = "h1.title"
[fields.price]
select = ".price"
type = "money"
sort = true
required = true
[fields.brand]
select = "table tr:nth-child(1) td"
type = "keyword"
facet = true
[fields.available]
select = "b.stock"
type = "bool"
[fields.weight]
select = ".weight"
type = "number"
clean = "Weighs "
[fields.number]
from = "url:/p/([0-9]+)"
type = "number"
""",
    "shop.toml",
)


def old_detail(p: dict[str, str]) -> str:
    return (
        f"<h1 class=title>{p['name']}</h1><p class=price>${p['price']}</p>"
        f"<table><tr><th>Brand<td>{p['brand']}<tr><th>Sku<td>{p['sku']}</table>"
        f"<b class=stock>{p['stock']}</b><i class=weight>Weighs {p['weight']} kg</i>"
    )


def new_detail(p: dict[str, str]) -> str:
    return (
        f"<nav><a href=/>Home</a></nav><div class=pdp><h2 class=pdp-head>{p['name']}</h2>"
        f"<div class=buy><span class=amount>${p['price']}</span><s>$999.00</s></div>"
        f"<dl><dt>Maker</dt><dd>{p['brand']}</dd><dt>Number</dt><dd>{p['sku']}</dd>"
        f"<dt>Mass</dt><dd>Weighs {p['weight']} kg</dd></dl><em class=avail>{p['stock']}</em></div>"
    )


def known(template: Template, url: str, before: str, now: str) -> KnownPage:
    found = read_with(template, before, url)
    return KnownPage(url, now, found.records, found.next_links)


def details(count: int) -> list[KnownPage]:
    return [
        known(
            DETAIL,
            f"https://shop.test/p/{n}",
            old_detail(product(n)),
            new_detail(product(n)),
        )
        for n in range(count)
    ]


def test_every_value_of_detail_pages_comes_out_again():
    healed = heal(DETAIL, details(12))

    assert [name for name, count in healed.before.out.items() if count] == ["number"]
    assert healed.after.share == 1.0
    html, url = new_detail(product(77)), "https://shop.test/p/77"
    assert extract(healed.template, html, url)[0].values == (
        extract(DETAIL, old_detail(product(77)), url)[0].values
    )


def test_what_a_field_is_for_stays_and_what_still_works_is_not_touched():
    pages = [
        known(
            DETAIL,
            page.url,
            old_detail(product(n)),
            old_detail(product(n)).replace("class=price", "class=cost"),
        )
        for n, page in enumerate(details(6))
    ]

    healed = heal(DETAIL, pages).template

    price = healed.fields["price"]
    assert (price.type, price.sort, price.required) == ("money", True, True)
    assert price.select[0] == "p.cost"
    others = DETAIL.fields.keys() - {"price"}
    assert all(healed.fields[name] == DETAIL.fields[name] for name in others)
    assert read_template(to_toml(healed), "shop.toml") == healed


def test_prices_that_really_changed_are_no_reason_to_learn_worse():
    pages = details(12)
    pages[3] = known(
        DETAIL,
        pages[3].url,
        old_detail(product(3)),
        new_detail(product(3) | {"price": "1234.00"}),
    )

    healed = heal(DETAIL, pages)

    assert healed.after.out["price"] == 11
    assert healed.after.share_of("name") == 1.0


def test_a_template_that_is_well_stays_as_it_is():
    pages = [
        known(DETAIL, page.url, old_detail(product(n)), old_detail(product(n)))
        for n, page in enumerate(details(5))
    ]

    healed = heal(DETAIL, pages)

    assert healed.template == DETAIL
    assert healed.before.share == 1.0


def test_values_that_stand_nowhere_do_not_come_out():
    pages = [
        known(DETAIL, page.url, old_detail(product(n)), "<h1>Welcome</h1><p>Please log in")
        for n, page in enumerate(details(5))
    ]

    healed = heal(DETAIL, pages)

    assert healed.after.share < 0.3
    assert healed.after.out["price"] == 0


LIST = read_template(
    """
match = "https://shop.test/c/*"
items = ".card"
key = "sku"
title = "{name}"
url = "page"
next = "a.next"
[fields.name]
select = "h2"
[fields.sku]
select = "@data-sku"
type = "keyword"
[fields.price]
select = ".price"
type = "money"
required = true
[fields.brand]
select = ".brand"
type = "keyword"
[fields.page]
select = "h2 a"
type = "link"
""",
    "shop.toml",
)


def old_card(p: dict[str, str]) -> str:
    brand = f"<p class=brand>{p['brand']}</p>" if p["sku"] != "s4" else ""
    return (
        f"<div class=card data-sku={p['sku']}><h2><a href=/p/{p['sku']}>{p['name']}</a></h2>"
        f"{brand}<p class=price>${p['price']}</p></div>"
    )


def new_card(p: dict[str, str]) -> str:
    brand = f"<small>{p['brand']}</small>" if p["sku"] != "s4" else ""
    return (
        f"<li class='tile {'odd' if int(p['sku'][1:]) % 2 else 'even'}'>"
        f"<section data-id={p['sku']}><a class=go href=/p/{p['sku']}>"
        f"<img alt=''><span class=label>{p['name']}</span></a><div class=meta>{brand}"
        f"<b class=cost>${p['price']}</b></div></section></li>"
    )


def old_list(numbers: range, more: str) -> str:
    cards = "".join(old_card(product(n)) for n in numbers)
    link = f"<a class=next href={more}>more</a>" if more else ""
    return f"<div id=all>{cards}</div>{link}<p><a href=/about>About</a></p>"


def new_list(numbers: range, more: str) -> str:
    tiles = "".join(new_card(product(n)) for n in numbers)
    hot = "".join(f"<li><a href=/p/s{n}>{product(n)['name']}</a></li>" for n in numbers[:3])
    link = f"<a class=forward href={more}>Show more</a>" if more else ""
    return (
        f"<aside><ul class=hot>{hot}</ul></aside><main><ul class=grid>{tiles}</ul>{link}</main>"
        "<footer><ul><li><a href=/about>About</a></li></ul></footer>"
    )


def lists() -> list[KnownPage]:
    pages = []
    for place in range(1, 4):
        url, numbers = f"https://shop.test/c/{place}", range(10 * place - 10, 10 * place)
        more = f"/c/{place + 1}" if place < 3 else ""
        pages.append(known(LIST, url, old_list(numbers, more), new_list(numbers, more)))
    return pages


def test_the_records_of_lists_their_values_and_the_next_link_are_found_again():
    healed = heal(LIST, lists())

    assert (healed.before.found, healed.after.found) == (0, 30)
    assert healed.after.share == 1.0
    assert healed.template.next != LIST.next
    after = read_with(healed.template, new_list(range(40, 50), "/c/9"), "https://shop.test/c/8")
    before = read_with(LIST, old_list(range(40, 50), "/c/9"), "https://shop.test/c/8")
    assert after.next_links == before.next_links == ["/c/9"]
    assert [each.values["sku"] for each in after.records] == [f"s{n}" for n in range(40, 50)]
    assert [each.values["price"] for each in after.records] == [
        each.values["price"] for each in before.records
    ]
    assert [each.key for each in after.records] == [each.key for each in before.records]
    assert [each.url for each in after.records] == [each.url for each in before.records]


def test_records_that_moved_to_another_page_are_known_by_their_keys():
    pages = lists()
    numbers = range(1, 11)  # one new before all others
    pages[0] = KnownPage(pages[0].url, new_list(numbers, "/c/2"), pages[0].records)

    healed = heal(LIST, pages)

    assert healed.after.stored["sku"] - healed.after.out["sku"] == 1  # s0 is nowhere


@pytest.mark.parametrize("html", ["", "<div>" * 2_000, "<p>x</p>" * 5_000])
def test_a_hostile_page_ends_in_what_there_was(html: str):
    pages = [KnownPage(page.url, html, page.records) for page in lists()]

    healed = heal(LIST, pages)

    assert healed.template == LIST
