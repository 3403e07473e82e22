"""Does `gossamer export --what table` write a row for each document with values, in either home?"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from gossamer import homes
from gossamer.core.page.document import Document
from gossamer.core.page.values import Money
from gossamer.core.urls import url_id
from gossamer.settings import Settings
from tests.commands import complains, run_here
from tests.indexing import index_home
from tests.unit.entrypoints import moto_stack

SHOP = "https://shop.test/"
GOODS = [
    Document(
        url=SHOP, key=key, place=place, title=title, text=f"{title} of a shop",
        template="shop", values={"price": Money(price, "EUR"), "brand": brand},
    )
    for place, (key, title, price, brand) in enumerate(
        [("loom", "=Loom", 120.5, "Zettel"), ("shuttle", "Shuttle", 9.0, "Acme")], 1
    )
]  # fmt: skip
OTHER = Document(url="https://shop.test/w", title="Wheel", values={"spokes": 12}, text="wheel")
PLAIN = Document(url="https://shop.test/about", title="About", text="about a shop")


def fill(home):
    for documents in (GOODS, [OTHER], [PLAIN]):
        home.documents.put(url_id(documents[0].url), documents, 100.0)
    index_home(home)
    home.commit()


@pytest.fixture
def data(tmp_path):
    """The folder of a collection with values."""
    home = homes.open_home(replace(Settings(), data=str(tmp_path / "data")))
    fill(home)
    home.close()
    return tmp_path / "data"


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def exported(*where, **flags):
    """Rows of a table, and what was said beside it."""
    given = [part for name, value in flags.items() for part in (f"--{name}", value)]
    done = run_here("export", *where, "--what", "table", *given)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_documents_with_values_are_rows_and_values_columns(data):
    out, _ = exported("--data", data)

    found = sorted(rows(out), key=lambda row: row["title"])
    assert out.splitlines()[0].startswith("title,url,price,price_currency,brand")
    names = ("title", "price", "price_currency", "spokes")
    assert [tuple(row[name] for name in names) for row in found] == [
        ("'=Loom", "120.5", "EUR", ""),
        ("Shuttle", "9", "EUR", ""),
        ("Wheel", "", "", "12"),
    ]


def test_only_what_a_template_has_read(data):
    out, _ = exported("--data", data, template="shop", format="jsonl")

    assert {json.loads(line)["title"] for line in out.splitlines()} == {"=Loom", "Shuttle"}


def test_what_a_query_finds_in_its_order(data):
    out, _ = exported("--data", data, query="shop | wheel")
    assert {row["title"] for row in rows(out)} == {"'=Loom", "Shuttle", "Wheel"}

    out, _ = exported("--data", data, query="shuttle", template="shop")
    assert [row["title"] for row in rows(out)] == ["Shuttle"]


def test_what_has_no_values_is_no_row(data):
    out, _ = exported("--data", data, query="about")

    assert rows(out) == []


def test_a_file_says_how_many_rows_it_has(data, tmp_path):
    out, err = exported("--data", data, output=tmp_path / "shop.csv")

    assert (out, err) == ("", f"3 rows in {tmp_path / 'shop.csv'}\n")
    assert len(rows((tmp_path / "shop.csv").read_text())) == 3


def test_parquet_has_numbers(data, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")

    exported("--data", data, output=tmp_path / "shop.parquet", format="parquet")

    table = parquet.read_table(tmp_path / "shop.parquet")
    assert sorted(filter(None, table["price"].to_pylist())) == [9.0, 120.5]


def test_nothing_says_why(tmp_path):
    home = homes.open_home(replace(Settings(), data=str(tmp_path / "data")))
    home.documents.put(url_id(PLAIN.url), [PLAIN], 100.0)
    home.close()

    _, err = exported("--data", tmp_path / "data")
    assert "no document has values" in err
    _, err = exported("--data", tmp_path / "data", template="shop")
    assert "of the template shop" in err


def test_a_query_that_cannot_be_read_is_named(data):
    assert "(" in complains("export", "--data", data, "--what", "table", "--query", "(")


def test_a_stack_writes_the_same_table(stack, data):
    fill(moto_stack.home())

    here, _ = exported("--data", data, template="shop", format="jsonl")
    there, _ = exported("--stack", stack, template="shop", format="jsonl")

    assert sorted(there.splitlines()) == sorted(here.splitlines())
