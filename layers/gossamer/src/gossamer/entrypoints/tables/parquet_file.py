"""Rows as a Parquet file, each column with its type; needs pyarrow."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from gossamer.entrypoints.lambdas.parquet import pyarrow
from gossamer.entrypoints.tables.cells import shown

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

    from gossamer.core.search.result_table import Cell, Row
    from gossamer.entrypoints.tables.columns import ColumnKind, Columns

AT_ONCE: Final = 2_000  # rows of a group: what is held at once


def write_parquet(rows: Iterable[Row], columns: Columns, file: str) -> int:
    """Write all rows; returns how many."""
    arrow, parquet = pyarrow()
    kinds = {name: columns.kinds.get(name, "text") for name in columns.names}
    schema = arrow.schema([(name, _type(arrow, kind)) for name, kind in kinds.items()])
    left, count = iter(rows), 0
    with parquet.ParquetWriter(file, schema, compression="zstd") as out:
        while some := list(islice(left, AT_ONCE)):
            typed = [{name: _typed(row.get(name), kind) for name, kind in kinds.items()}
                     for row in some]  # fmt: skip
            out.write_table(arrow.Table.from_pylist(typed, schema))
            count += len(some)
    return count


def _type(arrow: ModuleType, kind: ColumnKind) -> object:
    types = {"number": arrow.float64(), "truth": arrow.bool_(), "list": arrow.list_(arrow.string())}
    return types.get(kind, arrow.string())


def _typed(cell: Cell, kind: ColumnKind) -> object:
    if cell is None or kind == "truth":
        return cell
    if kind == "number" and isinstance(cell, int | float):
        return float(cell)
    if kind == "list":
        return [shown(each) for each in cell] if isinstance(cell, list) else [shown(cell)]
    return shown(cell)
