"""Is one table the same wherever it is shown, and is none of its cells a formula?

The names of the goods are what a page would write into a spreadsheet of somebody else.
"""

from __future__ import annotations

import csv
import io
import json
import urllib.request
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from tests.commands import run_here
from tests.e2e.crawls import crawl
from tests.e2e.test_serve import SECONDS, serving
from tests.sites.generated import Resource, Site

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAMES = ("=1+1", "+1", "-1", "@SUM(A1)", '=cmd|" /C calc"!A0', "a, \"b\"; 'c'", "Tuch für 5 €", "x")
TEMPLATE = """
match = "{origin}/"
items = "li"
key = "number"
title = "{{name}}"
url = "page"
[fields.number]
select = "@id"
type = "keyword"
[fields.name]
select = "b"
[fields.change]
select = "i"
type = "number"
sort = true
[fields.price]
select = "em"
type = "money"
sort = true
[fields.picture]
select = "img"
type = "image"
[fields.since]
select = "time"
type = "date"
[fields.tags]
select = "u"
type = "list"
[fields.page]
select = "a"
type = "link"
"""
COLUMNS = "title,url,number,name,change,price,price_currency,picture,since,tags,page"


def truth(origin: str) -> list[dict[str, Any]]:
    """The rows of the table, in the order of their numbers."""
    return [
        {
            "title": name,
            "url": f"{origin}/p/{number}",
            "number": f"n{number}",
            "name": name,
            "change": -1.5 * number - 1,
            "price": 2.25 + number,
            "price_currency": "EUR",
            "picture": f"{origin}/i/{number}.png",
            "since": f"2024-05-{number + 1:02}",
            "tags": ["=red", f"t{number}"],
            "page": f"{origin}/p/{number}",
        }
        for number, name in enumerate(NAMES)
    ]


def item(row: dict[str, Any]) -> str:
    tags = "".join(f"<u>{tag}</u>" for tag in row["tags"])
    return (
        f"<li id={row['number']}><a href='{row['url']}'><b>{row['name']}</b></a>"
        f"<i>{row['change']}</i><em>{row['price']:.2f} €</em><img src='{row['picture']}'>"
        f"<time datetime={row['since']}>then</time>{tags}</li>"
    )


@pytest.fixture
def origin(server, data, tmp_path) -> str:
    """Where the list is, of which a crawl has made documents."""
    site = Site(server.origin())
    items = "".join(map(item, truth(site.origin)))
    site.resources[site.seed] = Resource(body=f"<meta charset=utf-8><ul>{items}</ul>".encode())
    server.publish(site)
    file = tmp_path / "goods.toml"
    file.write_text(TEMPLATE.format(origin=site.origin))
    crawl(site.seed, data, "--template", file, "--exclude", "/p/", index=True)
    return site.origin


def ways(data: Path, address: str) -> dict[str, Callable[[str], str]]:
    """Where a table can be had, in a format."""
    about = ("--data", data, "--format")

    def asked(format: str) -> str:
        query = {"q": "template:goods", "format": format, "fields": "*", "limit": 100}
        url = f"{address}search?{urlencode(query)}"
        with urllib.request.urlopen(url, timeout=SECONDS) as answer:
            return str(answer.read().decode())

    def said(*arguments: object) -> str:
        done = run_here(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return {
        "search": lambda kind: said("search", *about, kind, "--fields", "*", "template:goods"),
        "http": asked,
        "export": lambda kind: said("export", "--what", "table", *about, kind),
        "query": lambda kind: said(
            "export", "--what", "table", *about, kind, "--query", "template:goods"
        ),
    }


def as_cells(row: dict[str, Any]) -> dict[str, str]:
    """A row as CSV has it."""

    def cell(value: Any) -> str:
        text = "; ".join(value) if isinstance(value, list) else value
        return f"'{text}" if isinstance(text, str) and text[0] in "=+-@" else f"{text}"

    cells = {name: cell(value) for name, value in row.items()}
    return cells | {"change": f"{row['change']:g}", "price": f"{row['price']:g}"}


def test_a_table_is_the_same_as_csv_and_json_lines_wherever_it_is_had(origin, data):
    rows = truth(origin)
    with serving(data) as (_, address):
        for name, table in ways(data, address).items():
            read = csv.DictReader(io.StringIO(table("csv")))
            found = sorted(read, key=lambda row: row["number"])
            assert read.fieldnames is not None
            assert sorted(read.fieldnames) == sorted(COLUMNS.split(",")), name
            assert read.fieldnames[:2] == ["title", "url"], name
            assert found == [as_cells(row) for row in rows], name
            lines = map(json.loads, table("jsonl").splitlines())
            assert sorted(lines, key=lambda row: row["number"]) == rows, name


def test_columns_are_chosen_in_their_order(origin, data):
    with serving(data) as (_, address):
        url = f"{address}search?q=template:goods&format=csv&fields=price,number&sort=-change"
        with urllib.request.urlopen(url, timeout=SECONDS) as answer:
            lines = answer.read().decode().splitlines()
    chosen = ("--fields", "price,number", "--format", "csv", "--data", data)
    exported = run_here("export", "--what", "table", *chosen).stdout.splitlines()

    assert lines[0].split(",") == ["title", "url", "price", "price_currency", "number"]
    assert [line.rpartition(",")[2] for line in lines[1:]] == [f"n{n}" for n in range(len(NAMES))]
    assert exported[0] == lines[0]
    assert sorted(exported) == sorted(lines)


def test_parquet_has_the_same_rows_with_their_types(origin, data, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    file = tmp_path / "goods.parquet"

    done = run_here(
        "export", "--what", "table", "--data", data, "--format", "parquet", "--output", file
    )

    assert done.returncode == 0, done.stderr
    found = sorted(parquet.read_table(file).to_pylist(), key=lambda row: row["number"])
    assert found == truth(origin)


def test_people_see_the_table_in_a_terminal(origin, data):
    shown = run_here(
        "search", "--data", data, "--format", "table", "--sort=-price", "template:goods"
    ).stdout.splitlines()

    heads = shown[2].split()
    assert heads == COLUMNS.split(",")
    assert [line.split()[-1] for line in shown[3 : 3 + len(NAMES)]] == [
        row["page"] for row in reversed(truth(origin))
    ]
