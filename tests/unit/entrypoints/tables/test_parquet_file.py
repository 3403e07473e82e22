"""Do rows come back from a Parquet file with their types?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gossamer.entrypoints.tables.columns import learn
from gossamer.entrypoints.tables.parquet_file import AT_ONCE, write_parquet

if TYPE_CHECKING:
    from gossamer.core.search.result_table import Row

parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")


def test_columns_keep_their_types(tmp_path):
    rows: list[Row] = [
        {"title": "a", "url": "u", "price": 1, "new": True, "tags": ["x", "y"], "mixed": 1},
        {"title": "b", "url": "v", "price": 2.5, "mixed": "two"},
    ]

    assert write_parquet(rows, learn(rows), str(tmp_path / "t.parquet")) == 2

    table = parquet.read_table(tmp_path / "t.parquet")
    assert [str(field.type) for field in table.schema] == [
        "string", "string", "double", "bool", "list<element: string>", "string",
    ]  # fmt: skip
    assert table.to_pylist()[1] == {
        "title": "b", "url": "v", "price": 2.5, "new": None, "tags": None, "mixed": "two",
    }  # fmt: skip
    assert table["mixed"].to_pylist() == ["1", "two"]


def test_more_rows_than_are_held_at_once_are_all_written(tmp_path):
    rows: list[Row] = [{"title": str(n), "url": ""} for n in range(AT_ONCE + 1)]

    assert write_parquet(iter(rows), learn(rows), str(tmp_path / "t.parquet")) == AT_ONCE + 1

    assert parquet.read_table(tmp_path / "t.parquet").num_rows == AT_ONCE + 1
