"""Learning a list without marks."""

import pytest

from gossamer.core.page.templates.extraction import extract
from gossamer.core.page.templates.learning.lists.list_learner import learn_list
from gossamer.core.page.templates.selecting import page_tree, select
from gossamer.core.page.templates.template import read_template, to_toml
from gossamer.core.page.values import Link, Money

NAMES = ["Blue lamp", "Oak table", "Red chair", "Tin mug", "Wool rug", "Glass jar"]
MENU = "".join(f"<li><a href=/c/{n}>Category {n}</a></li>" for n in range(12))


def listed(first: int = 0) -> str:
    cards = "".join(
        f'<div class="card {"odd" if n % 2 else "even"}"><h3 class=name><a href="/p/{n}">{name}</a>'
        f"</h3><p class=price>${n + 1}.50</p><p>Ships soon, made of good things: {name}</p></div>"
        for n, name in enumerate(NAMES, first)
    )
    return (
        f"<nav><ul>{MENU}</ul></nav><div id=results>{cards}</div>"
        "<a href='?page=2'>Next »</a><footer><p>About us</p><p>Terms</p></footer>"
    )


def test_records_columns_and_the_next_page_are_found():
    template = learn_list("shop", listed(), "https://shop.test/list")

    assert template is not None
    assert template.items == "div.card"
    assert template.next == '//a[normalize-space(.) = "Next »"]'
    records = extract(template, listed(40), "https://shop.test/list?page=2")
    assert [record.values["name"] for record in records] == NAMES
    assert [record.values["price"] for record in records][:2] == [
        Money(41.5, "USD"),
        Money(42.5, "USD"),
    ]
    assert records[0].values["name_link"] == Link("https://shop.test/p/40")
    assert records[0].title == "Blue lamp"
    assert records[0].url == "https://shop.test/p/40"


def test_labels_and_the_next_link_may_have_no_break_spaces():
    def cards(first: int) -> str:
        rows = "".join(
            f"<li class=card><h3>{name}</h3><dl><dt>Delivery&nbsp;time:</dt><dd>{n} days</dd>"
            f"<dt>Price:&nbsp;</dt><dd>${n + 1}.50</dd></dl></li>"
            for n, name in enumerate(NAMES, first)
        )
        return f"<ul>{rows}</ul><a href='?page=2'>Next&nbsp;page</a>"

    template = learn_list("shop", cards(0), "https://shop.test/list")

    assert template is not None
    records = extract(template, cards(40), "https://shop.test/list?page=2")
    assert [record.values["price"] for record in records][:2] == [
        Money(41.5, "USD"),
        Money(42.5, "USD"),
    ]
    assert records[1].values["delivery_time"] == 41
    (link,) = select(template.next, page_tree(cards(40)))
    assert link.get("href") == "?page=2"


def test_rows_of_a_table_are_records_whatever_their_class():
    rows = "".join(
        f"<tr class=row{'alt' if n % 2 else ''}><td>{name}</td><td>{n * 7}</td></tr>"
        for n, name in enumerate(NAMES)
    )

    template = learn_list("t", f"<table id=ranking>{rows}</table>", "https://t.test/")

    assert template is not None
    records = extract(template, f"<table id=ranking>{rows}</table>", "https://t.test/")
    assert [list(record.values.values()) for record in records] == [
        [name, float(n * 7)] for n, name in enumerate(NAMES)
    ]


@pytest.mark.parametrize("hiding", ["hidden", "style='display:none;'"])
def test_a_tab_that_is_not_open_is_no_list_though_it_holds_more(hiding: str):
    news = "".join(
        f"<article><h4><a href=/n/{n}>News {n}</a></h4><p>{'Long news. ' * 5}</p></article>"
        for n in range(20)
    )
    tabs = f"<div id=tab {hiding}><div><div>{news}</div></div></div>"

    template = learn_list("shop", tabs + listed(), "https://shop.test/list")

    assert template is not None
    assert template.items == "div.card"


def test_wrappers_in_wrappers_are_no_records_though_each_holds_all_of_them():
    page = f"<form>{listed()}</form>"  # a margin, which counts less than what is around it
    for _ in range(8):
        page = f"<div>{page}</div>"

    template = learn_list("shop", page, "https://shop.test/list")

    assert template is not None
    assert template.items == "div.card"


def test_a_page_where_nothing_repeats_has_no_list():
    assert learn_list("x", "<h1>One</h1><p>Two</p>", "https://x.test/") is None
    assert learn_list("x", "", "https://x.test/") is None


def test_a_learned_list_can_be_read_again():
    template = learn_list("shop", listed(), "https://shop.test/list")

    assert template is not None
    assert read_template(to_toml(template), "shop.toml") == template


@pytest.mark.parametrize(
    "html",
    ["<div>" * 3_000, "<p class=a>x</p>" * 20_000, "<o:p class='é \"'>x</o:p>" * 5],
)
def test_a_hostile_page_ends_in_a_template_or_none(html: str):
    template = learn_list("x", html, "https://x.test/")

    assert template is None or template.items
