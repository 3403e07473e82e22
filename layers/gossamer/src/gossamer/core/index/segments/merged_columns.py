"""Merge the columns of segments, one column at a time, without an object per value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gossamer.core.index.segments.columns import (
    MISSING,
    KeywordColumn,
    KeywordsColumn,
    NumberColumn,
    TextColumn,
    pack_codes,
    pack_texts,
    region_of,
)
from gossamer.core.index.segments.layout import ColumnInfo
from gossamer.core.index.segments.numbers import Ints, runs, starts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.core.index.segments.columns import Column, PackedColumn
    from gossamer.core.index.segments.reader import Segment


def merged_columns(
    segments: Sequence[Segment], owners: Ints, places: Ints
) -> Iterator[PackedColumn]:
    """Every column that any segment has; document i is `places[i]` of segment `owners[i]`.

    A column whose type was changed has the newest type; values of another type are missing.
    """
    types = {info.name: info for segment in segments for info in segment.footer.columns}
    counts = [segment.footer.documents for segment in segments]
    chosen = starts_of(np.array(counts))[owners] + places
    for info in types.values():
        columns = [segment.column(info.name) for segment in segments]
        if info.type == "text":
            texts = _texts(columns, owners, places)
            yield ColumnInfo(info.name, info.type, "<i8"), pack_texts(info.name, texts)
        elif info.type == "keyword":
            keywords, codes = _keywords(columns, counts)
            yield pack_codes(info.name, keywords, codes[chosen])
        elif info.type == "keywords":
            yield _several(info.name, columns, counts, chosen)
        else:
            yield _numbers(info, columns, counts, chosen)


def _numbers(
    info: ColumnInfo, columns: Sequence[Column | None], counts: Sequence[int], chosen: Ints
) -> PackedColumn:
    missing = np.nan if info.type == "float" else MISSING
    values = [
        column.values
        if isinstance(column, NumberColumn) and column.values.dtype == info.cell
        else np.full(count, missing, info.cell)
        for column, count in zip(columns, counts, strict=True)
    ]
    merged = np.concatenate(values)[chosen].astype(info.cell)
    return ColumnInfo(info.name, info.type, info.cell), [(region_of(info.name), merged.tobytes())]


def _keywords(columns: Sequence[Column | None], counts: Sequence[int]) -> tuple[list[str], Ints]:
    """All keywords in order, and the code of each document of each segment."""
    known = [
        c if isinstance(c, KeywordColumn) else KeywordColumn([], np.zeros(n, np.uint8))
        for c, n in zip(columns, counts, strict=True)
    ]
    keywords = sorted(set().union(*(column.keywords for column in known)))
    return keywords, np.concatenate(
        [_new_codes(keywords, column.keywords)[column.codes] for column in known]
    )


def _new_codes(keywords: list[str], known: list[str]) -> Ints:
    """By the code of a keyword before, its code now; what is missing stays so."""
    code = {keyword: number for number, keyword in enumerate(keywords, 1)}
    return np.array([0, *(code[keyword] for keyword in known)], np.int64)


def _several(
    name: str, columns: Sequence[Column | None], counts: Sequence[int], chosen: Ints
) -> PackedColumn:
    none = np.zeros(0, np.uint8)
    known = [
        c if isinstance(c, KeywordsColumn) else KeywordsColumn([], none, np.zeros(n + 1, int))
        for c, n in zip(columns, counts, strict=True)
    ]
    keywords = sorted(set().union(*(column.keywords for column in known)))
    codes = np.concatenate(
        [_new_codes(keywords, column.keywords)[column.codes] for column in known]
    )
    sizes = np.concatenate([np.diff(column.starts) for column in known])
    begins, sizes = (np.cumsum(sizes) - sizes)[chosen], sizes[chosen]
    return pack_codes(name, keywords, codes[runs(begins, sizes)], starts_of(sizes))


def _texts(columns: Sequence[Column | None], owners: Ints, places: Ints) -> Iterator[str]:
    """Texts in the new order; each segment is read front to back, some blocks at a time."""
    texts = [column if isinstance(column, TextColumn) else None for column in columns]
    for owner, place in zip(owners.tolist(), places.tolist(), strict=True):
        column = texts[owner]
        yield column.text(place) if column else ""
