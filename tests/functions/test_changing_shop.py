"""Do the functions of a stack say of a shop what its owner knows, also when it has changed?

By what its pages declare, by templates that a person wrote, and by one that was learned.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.functions.rehearsal import Rehearsal
from tests.functions.terminal import typed
from tests.functions.test_shop import COUNT, asked, crawl, publish, urls
from tests.sites.shop import Shop, Style, products

if TYPE_CHECKING:
    from collections.abc import Iterator

DAY = 86_400.0
ALL = "price:0..1000"  # all that has a price


@pytest.fixture
def stack() -> Iterator[Rehearsal]:
    rehearsal = Rehearsal()
    yield rehearsal
    rehearsal.close()


def crawl_with_templates(stack: Rehearsal, shop: Shop) -> None:
    for name, text in shop.templates().items():
        Path(f"{name}.toml").write_text(text)
        assert typed(stack, "template", "add", f"{name}.toml").code == 0
    crawl(stack, shop)


def crawl_and_learn(stack: Rehearsal, shop: Shop) -> None:
    """Learn from stored pages, as an owner does who sees that prices are missing."""
    crawl(stack, shop)
    assert urls(asked(stack, ALL)) == []
    learned = typed(stack, "template", "learn", "goods", *shop.marks(1, 2, 3))
    assert learned.code == 0, learned.err
    applied = typed(stack, "template", "apply", "goods.toml")
    assert applied.code == 0, applied.err
    stack.run(120.0)


def recrawl(stack: Rehearsal) -> None:
    stack.clock.advance(30 * DAY)
    stack.invoke("recrawl", {"budget": 10_000, "minutes": 60_000})
    stack.run(300.0)


def check(stack: Rehearsal, shop: Shop) -> None:
    """The API says what the shop's owner knows: searches, the table, the table as a file."""
    truth = shop.table()
    assert sorted(urls(asked(stack, "price:10..20"))) == sorted(shop.priced(10, 20))
    shown = asked(stack, ALL, sort="price", fields="price,brand,sku")["hits"]
    assert [[hit["url"], hit["values"]["price"]["amount"]] for hit in shown] == [
        [row["url"], float(row["price"])] for row in truth
    ]
    names = [*truth[0]]
    text = asked(stack, ALL, sort="price", format="csv", fields="*")
    assert rows(text, names) == truth
    for flags in ((), ("--query", ALL)):
        exported = rows(typed(stack, "export", "--what", "table", *flags).out, names)
        priced = [row for row in exported if row["price"]]
        assert sorted(priced, key=lambda row: float(row["price"])) == truth


def rows(text: str, names: list[str]) -> list[dict[str, str]]:
    return [{name: row[name] for name in names} for row in csv.DictReader(io.StringIO(text))]


@pytest.mark.parametrize("begin", [crawl, crawl_with_templates, crawl_and_learn])
def test_a_shop_stays_right_when_it_changes(begin, stack, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    style: Style = "jsonld" if begin is crawl else "none"
    shop = Shop("http://shop.test", style, products(COUNT))

    begin(stack, shop)

    check(stack, shop)

    shop.reprice(12, 1_501)
    shop.remove(11)
    shop.twice.add(30)
    shop.doubled.add(31)
    publish(stack, shop)
    recrawl(stack)
    recrawl(stack)  # what is missing once may come back

    check(stack, shop)
