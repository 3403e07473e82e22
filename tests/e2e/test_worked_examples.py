"""Do the worked examples about templates print what they say, and is that what the site knows?

A page is followed from its beginning: files that it shows are written, commands are run, and what a
block of `text` says after commands is what they print; `…` stands for anything. The addresses of
the page are a generated site on loopback.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import pytest

from gossamer.core.page.templates.template import read_template
from tests.commands import said
from tests.e2e.test_demo import free_port
from tests.e2e.test_docs_commands import DOCS, Shell
from tests.e2e.test_heal import AT_ONCE, PRODUCTS, new_card, new_page, old_card, old_page, publish
from tests.sites.questions import Questions
from tests.sites.ranking import Ranking
from tests.sites.shop import Shop

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sites.generated import Server

PART = re.compile(
    r"(?:`([\w-]+\.toml)`:\n\n)?^```(toml|sh|text)\n(.*?)^```$|^## (.*?)$", re.M | re.DOTALL
)
Steps = Mapping[str, "Callable[[Path], object]"]
NO_STEPS: Steps = {}
SITEMAP = {
    "_id": "goods",
    "startUrl": ["https://shop.example/"],
    "selectors": [
        {"id": "name", "type": "SelectorText", "selector": "h1", "parentSelectors": ["_root"]}
    ],
}
SCHEMA = {
    "name": "wares",
    "baseSelector": ".card",
    "fields": [{"name": "name", "selector": "h2", "type": "text"}],
}


@pytest.fixture
def follow(tmp_path: Path, server: Server) -> Callable[..., Path]:
    """Do all that a page says; returns the folder in which it was done.

    What happens elsewhere meanwhile is a step before a heading.
    """

    def follow(page: str, address: str, steps: Steps = NO_STEPS) -> Path:
        shell = Shell(tmp_path, free_port(), {address: server.origin()})
        printed = ""
        for name, kind, text, heading in PART.findall((DOCS / page).read_text()):
            if heading:
                steps.get(heading, lambda _: None)(tmp_path)
            elif kind == "sh":
                printed = shell.run(text).replace(server.origin(), address)
            elif kind == "toml":
                (tmp_path / name).write_text(shell.here(text))
            else:
                assert re.fullmatch(pattern(text), plain(printed)), f"{text}\n{printed}"
        return tmp_path

    return follow


def plain(text: str) -> str:
    """A text whose columns may have other widths."""
    return re.sub(r"[ \t]+", " ", text).strip()


def pattern(text: str) -> str:
    return "(?s:.*)".join(map(re.escape, plain(text).split("…")))


def rows(file: Path, names: list[str]) -> list[dict[str, str]]:
    with file.open(newline="") as lines:
        return [{name: row[name] for name in names} for row in csv.DictReader(lines)]


def test_a_ranking_of_94_pages_becomes_one_table(follow, server):
    ranking = Ranking(server.origin())
    server.publish(ranking.site())

    folder = follow("how-to/table-of-a-ranking.md", "https://ranking.example")

    asked = {url.removeprefix(server.origin()) for url in server.asked()}
    assert asked == {"/robots.txt", *ranking.pages()}, "no other link is followed"
    found = rows(folder / "ranking.csv", [*ranking.table()[0]])
    assert sorted(found, key=lambda row: int(row["place"])) == ranking.table()


def test_votes_change_the_order_of_questions_and_the_reason_is_shown(follow, server):
    site = Questions(server.origin())
    server.publish(site.site())

    folder = follow("how-to/questions-and-votes.md", "https://questions.example")

    by_url = {row["url"]: row for row in rows(folder / "questions.csv", [*site.table()[0]])}
    assert list(map(by_url.pop, [row["url"] for row in site.table()])) == site.table()
    assert not by_url
    votes = {f"{site.origin}{each.path}": each.votes for each in site.questions}
    hits = said("search", "--data", folder / "data", "--explain", "squeaks")["hits"]
    for hit in hits:
        (boost,) = hit["explain"]["boosts"]
        liked = max(0, votes[hit["url"]])
        assert boost["name"] == "saturation(votes, 10)"
        assert boost["score"] == pytest.approx(liked / (liked + 10))
    without = [hit["score"] - hit["explain"]["boosts"][0]["score"] for hit in hits]
    assert without != sorted(without, reverse=True), "the votes change the order"


def test_a_shop_is_learned_from_three_pages_and_described_by_hand(follow, server):
    shop = Shop(server.origin(), "none")
    server.publish(shop.site())
    names = ["url", "name", "brand", "price", "price_currency", "rating"]
    truth = [{name: row[name] for name in names} for row in shop.table()]

    folder = follow("how-to/shop.md", "https://shop.example")

    for file in ("goods.csv", "by-hand.csv"):
        found = rows(folder / file, names)
        assert sorted(found, key=lambda row: float(row["price"])) == truth, file


def test_the_page_about_tables_can_be_followed_after_the_shop(follow, server):
    shop = Shop(server.origin(), "none")
    server.publish(shop.site())
    follow("how-to/shop.md", "https://shop.example")

    folder = follow("tables.md", "https://shop.example")

    names = ["name", "price"]
    truth = [{name: row[name] for name in names} for row in shop.table()]
    found = rows(folder / "prices.csv", names)
    assert sorted(found, key=lambda row: float(row["price"])) == truth
    assert [row["price"] for row in rows(folder / "some.csv", names)] == [
        row["price"] for row in reversed(truth) if 10 <= float(row["price"]) <= 20
    ]
    cheap = map(json.loads, (folder / "cheap.jsonl").read_text().splitlines())
    assert sorted(row["price"] for row in cheap) == [
        float(row["price"]) for row in truth if float(row["price"]) < 20
    ]


def test_the_page_about_templates_can_be_followed_until_a_site_is_redesigned(follow, server):
    publish(server, old_card, old_page)

    def redesign(folder: Path) -> None:
        publish(server, new_card, new_page)
        said("recrawl", "--data", folder / "data", *AT_ONCE)
        assert not on_lists(folder), "the template finds nothing any more"

    def bring(folder: Path) -> None:
        (folder / "sitemap.json").write_text(json.dumps(SITEMAP))
        (folder / "schema.json").write_text(json.dumps(SCHEMA))

    def on_lists(folder: Path) -> list[str]:
        hits = said("search", "--data", folder / "data", "--limit", 100, "template:shop")["hits"]
        return sorted(hit["url"] for hit in hits)

    steps = {"When a site is redesigned": redesign, "From and for other programs": bring}
    folder = follow("templates.md", "https://shop.example", steps)

    assert on_lists(folder) == sorted(f"{server.origin()}/p/{number}" for number in PRODUCTS)
    assert sorted(path.name for path in (folder / "templates").iterdir()) == [
        "goods.toml", "wares.toml"
    ]  # fmt: skip
    assert json.loads((folder / "schema.json").read_text())["name"] == "wares"
    for name in ("scarf", "listed", "begun", "shop"):
        read_template((folder / f"{name}.toml").read_text(), f"{name}.toml")
