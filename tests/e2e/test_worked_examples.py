"""Do the worked examples of the how-tos print what they say, and is that what the site knows?

A page is followed from its beginning: files that it shows are written, commands are run, and what a
block of `text` says after commands is what they print; `…` stands for anything. The addresses of
the page are a generated site on loopback.
"""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

import pytest

from tests.e2e.test_demo import free_port
from tests.e2e.test_docs_commands import DOCS, Shell
from tests.sites.questions import Questions
from tests.sites.ranking import Ranking
from tests.sites.shop import Shop

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.sites.generated import Server

PART = re.compile(r"(?:`([\w-]+\.toml)`:\n\n)?^```(toml|sh|text)\n(.*?)^```$", re.M | re.DOTALL)


@pytest.fixture
def follow(tmp_path: Path, server: Server) -> Callable[[str, str], Path]:
    """Do all that a page says; returns the folder in which it was done."""

    def follow(page: str, address: str) -> Path:
        shell = Shell(tmp_path, free_port(), {address: server.origin()})
        printed = ""
        for name, kind, text in PART.findall((DOCS / "how-to" / page).read_text()):
            if kind == "sh":
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

    folder = follow("table-of-a-ranking.md", "https://ranking.example")

    asked = {url.removeprefix(server.origin()) for url in server.asked()}
    assert asked == {"/robots.txt", *ranking.pages()}, "no other link is followed"
    found = rows(folder / "ranking.csv", [*ranking.table()[0]])
    assert sorted(found, key=lambda row: int(row["place"])) == ranking.table()


def test_votes_change_the_order_of_questions_and_the_reason_is_shown(follow, server):
    site = Questions(server.origin())
    server.publish(site.site())

    folder = follow("questions-and-votes.md", "https://questions.example")

    by_url = {row["url"]: row for row in rows(folder / "questions.csv", [*site.table()[0]])}
    assert list(map(by_url.pop, [row["url"] for row in site.table()])) == site.table()
    assert not by_url


def test_a_shop_is_learned_from_three_pages_and_described_by_hand(follow, server):
    shop = Shop(server.origin(), "none")
    server.publish(shop.site())
    names = ["url", "name", "brand", "price", "price_currency", "rating"]
    truth = [{name: row[name] for name in names} for row in shop.table()]

    folder = follow("shop.md", "https://shop.example")

    for file in ("goods.csv", "by-hand.csv"):
        found = rows(folder / file, names)
        assert sorted(found, key=lambda row: float(row["price"])) == truth, file
