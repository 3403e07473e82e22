"""Do rows come back from CSV and from JSON lines?"""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.values import Money, Value
from gossamer.core.search.result import Hit
from gossamer.entrypoints.tables.formats import csv_lines, json_lines, table_lines

if TYPE_CHECKING:
    from gossamer.core.search.result_table import Row

ROWS: list[Row] = [
    {"title": "Loom", "price": 9, "tags": ["a", "b"]},
    {"title": 'A "shuttle",\nred'},
]
COLUMNS = ["title", "price", "tags"]


def test_csv_has_a_cell_for_every_column():
    read = list(csv.DictReader(io.StringIO("".join(csv_lines(ROWS, COLUMNS)))))

    assert read == [
        {"title": "Loom", "price": "9", "tags": "a; b"},
        {"title": 'A "shuttle",\nred', "price": "", "tags": ""},
    ]


def test_json_lines_have_the_cells_that_there_are():
    assert [json.loads(line) for line in json_lines(ROWS, COLUMNS)] == ROWS
    assert [json.loads(line) for line in json_lines(ROWS, ["price"])] == [{"price": 9}, {}]


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.text(st.characters(codec="utf-8")))))
def test_a_row_is_a_line_of_json_whatever_it_says(rows):
    lines = list(json_lines(rows, ["a", "b", "c"]))

    assert all(line.count("\n") == 1 for line in lines)
    assert [json.loads(line) for line in lines] == rows


def test_results_have_the_fields_that_were_asked_for():
    values: dict[str, Value] = {"price": Money(9, "EUR"), "brand": "Acme"}
    hit = Hit(
        rank=1, id="", url="https://a.test/", title="Loom", snippet="", score=1, values=values
    )

    assert "".join(table_lines([hit], ["price"], "csv")) == (
        "title,url,price,price_currency\nLoom,https://a.test/,9,EUR\n"
    )
