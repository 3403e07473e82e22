"""Are the columns of a long table known after one pass?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.entrypoints.tables.columns import learn

if TYPE_CHECKING:
    from gossamer.core.search.result_table import Row


def test_a_column_has_the_type_that_all_its_cells_have():
    rows: list[Row] = [
        {"title": "a", "price": 1, "new": True, "tags": ["x"], "mixed": 1},
        {"title": "b", "price": 2.5, "mixed": "two"},
    ]

    found = learn(rows)

    assert found.kinds == {
        "title": "text", "price": "number", "new": "truth", "tags": "list", "mixed": "text",
    }  # fmt: skip
    assert found.names == ["title", "url", "price", "new", "tags", "mixed"]
