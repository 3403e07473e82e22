"""Columns: one value per document and field, as arrays.

Filters, facets and sorting read columns, never documents. A number is 8 bytes, a keyword the place
of its value in a sorted list, from 1 on; 0 is missing. A field with several values per document has
its codes one behind another and where each document's begin. Addresses are text in blocks.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from gossamer.core.errors import CorruptRecord
from gossamer.core.index.segments.layout import ColumnInfo, Content
from gossamer.core.index.segments.numbers import Ints, compress, decompress, starts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gossamer.core.index.segments.numbers import Buffer

ColumnType: TypeAlias = Literal["int", "float", "day", "keyword", "keywords", "text"]
COLUMN_TYPES = get_args(ColumnType)  # those of newer formats are not read
Value: TypeAlias = "int | float | str | Sequence[str] | None"
Mask: TypeAlias = "npt.NDArray[np.bool_]"
PackedColumn: TypeAlias = "tuple[ColumnInfo, list[tuple[str, Content]]]"

MISSING: Final = np.iinfo(np.int64).min
TEXTS_PER_BLOCK: Final = 1024
BLOCKS_KEPT: Final = 64
FEW_HITS: Final = 8  # lines that are read in the time in which one is found
_BREAK: Final = "\n"


def region_of(name: str, part: str = "") -> str:
    """The name of the region of a column, or of a part of it."""
    return f"column.{name}{'.' + part if part else ''}"


def is_region_of(region: str, column: str) -> bool:
    """Whether a region is a column's, or a part of it."""
    return region == region_of(column) or region.startswith(region_of(column) + ".")


def pack_column(name: str, type: ColumnType, values: Sequence[Value]) -> PackedColumn:
    """A column as regions."""
    match type:
        case "int" | "day":
            numbers = np.array([MISSING if v is None else v for v in values], "<i8")
            return ColumnInfo(name, type, "<i8"), [(region_of(name), numbers.tobytes())]
        case "float":
            floats = np.array([math.nan if v is None else v for v in values], "<f8")
            return ColumnInfo(name, type, "<f8"), [(region_of(name), floats.tobytes())]
        case "text":
            texts = [_one_line(str(value or "")) for value in values]
            return ColumnInfo(name, type, "<i8"), pack_texts(name, texts)
        case "keyword":
            return _pack_keywords(name, type, [(str(v),) if v else () for v in values])
        case "keywords":
            lists = [() if isinstance(v, int | float) else tuple(v or ()) for v in values]
            return _pack_keywords(name, type, lists)


def _pack_keywords(name: str, type: ColumnType, lists: Sequence[Sequence[str]]) -> PackedColumn:
    lists = [[_one_line(value) for value in values if value] for values in lists]
    known = sorted({value for values in lists for value in values})
    code = {value: number for number, value in enumerate(known, 1)}
    if type == "keyword":
        return pack_codes(name, known, np.array([code[v[0]] if v else 0 for v in lists], np.int64))
    codes = np.array([code[value] for values in lists for value in values], np.int64)
    starts = starts_of(np.array([len(values) for values in lists], np.int64))
    return pack_codes(name, known, codes, starts)


def pack_codes(
    name: str, keywords: list[str], codes: Ints, starts: Ints | None = None
) -> PackedColumn:
    """A column of keywords; with `starts`, of several per document."""
    cell = "<u1" if len(keywords) < 1 << 8 else "<u2" if len(keywords) < 1 << 16 else "<u4"
    regions: list[tuple[str, Content]] = [
        (region_of(name), codes.astype(cell).tobytes()),
        (region_of(name, "values"), compress(_BREAK.join(keywords).encode())),
    ]
    if starts is None:
        return ColumnInfo(name, "keyword", cell), regions
    regions.append((region_of(name, "starts"), starts.astype("<i8").tobytes()))
    return ColumnInfo(name, "keywords", cell), regions


def pack_texts(name: str, texts: Iterable[str]) -> list[tuple[str, Content]]:
    """Texts in blocks of a thousand, one per line, and where the blocks begin."""
    blocks = []
    lines = iter(texts)
    while some := list(itertools.islice(lines, TEXTS_PER_BLOCK)):
        blocks.append(compress(_BREAK.join(some).encode()))
    starts = starts_of(np.array([len(block) for block in blocks], np.int64))
    return [
        (region_of(name), b"".join(blocks)),
        (region_of(name, "starts"), starts.astype("<i8").tobytes()),
    ]


def _one_line(text: str) -> str:
    return text.replace(_BREAK, " ") if _BREAK in text else text


Load: TypeAlias = "Callable[[str], Buffer]"  # a region by name, checked


@dataclass(frozen=True)
class NumberColumn:
    """Numbers or days; what is missing matches no range."""

    values: npt.NDArray[np.int64] | npt.NDArray[np.float64]

    @cached_property
    def present(self) -> Mask:
        """Which documents have a value."""
        if self.values.dtype.kind == "f":
            return ~np.isnan(self.values)
        present: Mask = self.values != MISSING
        return present

    def between(self, low: float, high: float) -> Mask:
        """Documents whose value is in a range, both ends included."""
        return (self.values >= low) & (self.values <= high) & self.present


@dataclass(frozen=True)
class KeywordColumn:
    """One keyword per document, or none."""

    keywords: list[str]
    codes: npt.NDArray[np.unsignedinteger]

    def matching(self, fits: Callable[[str], bool]) -> Mask:
        """Documents whose keyword fits."""
        chosen = np.zeros(len(self.keywords) + 1, np.bool_)
        chosen[1:] = [fits(keyword) for keyword in self.keywords]
        found: Mask = chosen[self.codes]
        return found

    def counts(self, documents: Ints | Mask) -> Ints:
        """How many of some documents have each keyword; the first count is of those with none."""
        return np.bincount(self.codes[documents], minlength=len(self.keywords) + 1)


@dataclass(frozen=True)
class KeywordsColumn:
    """Any number of keywords per document."""

    keywords: list[str]
    codes: npt.NDArray[np.unsignedinteger]
    starts: Ints

    def matching(self, fits: Callable[[str], bool]) -> Mask:
        """Documents one of whose keywords fits."""
        chosen = np.zeros(len(self.keywords) + 1, np.bool_)
        chosen[1:] = [fits(keyword) for keyword in self.keywords]
        found = np.zeros(len(self.starts) - 1, np.bool_)
        found[self._owners[chosen[self.codes]]] = True
        return found

    def counts(self, documents: Ints | Mask) -> Ints:
        """How many of some documents have each keyword; the first count is of those with none."""
        wanted = np.zeros(len(self.starts) - 1, np.bool_)
        wanted[documents] = True
        counts = np.bincount(self.codes[wanted[self._owners]], minlength=len(self.keywords) + 1)
        counts[0] = int(np.count_nonzero(wanted & (np.diff(self.starts) == 0)))
        return counts

    @cached_property
    def _owners(self) -> Ints:
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


class TextColumn:
    """A text per document, in blocks."""

    def __init__(self, blocks: Sequence[Callable[[], str]], count: int) -> None:
        self._blocks, self._count = blocks, count
        self._known: dict[int, list[str]] = {}

    def block(self, number: int) -> list[str]:
        """The texts of a block; some blocks are remembered."""
        found = self._known.get(number)
        if found is None:
            if len(self._known) >= BLOCKS_KEPT:
                self._known.clear()
            found = self._known[number] = self._blocks[number]().split(_BREAK)
        return found

    def text(self, document: int) -> str:
        """The text of a document."""
        block, line = divmod(document, TEXTS_PER_BLOCK)
        return self.block(block)[line]

    def containing(self, wanted: str, fold: Callable[[str], str]) -> Mask:
        """Documents whose text, folded, has `wanted` in it; a scan of the whole column."""
        found = np.zeros(self._count, np.bool_)
        if _BREAK in wanted:
            return found
        for number, block in enumerate(self._blocks):
            lines = _folded(block(), fold)
            first = number * TEXTS_PER_BLOCK
            hits = lines.count(wanted)
            if FEW_HITS * hits > TEXTS_PER_BLOCK:
                each = [wanted in line for line in lines.split(_BREAK)]
                found[first : first + len(each)] = each
            elif hits:
                found[[first + line for line in _lines_with(wanted, lines)]] = True
        return found


def _lines_with(wanted: str, lines: str) -> Iterator[int]:
    """The numbers of the lines that have a text in them."""
    line = passed = 0
    at = lines.find(wanted)
    while at >= 0:
        line += lines.count(_BREAK, passed, at)
        passed = at
        yield line
        end = lines.find(_BREAK, at)
        at = lines.find(wanted, end + 1) if end >= 0 else -1


def _folded(lines: str, fold: Callable[[str], str]) -> str:
    """Lines, each folded; one by one if together they become more or fewer lines."""
    folded = fold(lines)
    if folded.count(_BREAK) == lines.count(_BREAK):
        return folded
    return _BREAK.join([_one_line(fold(line)) for line in lines.split(_BREAK)])


Column: TypeAlias = NumberColumn | KeywordColumn | KeywordsColumn | TextColumn


def read_column(info: ColumnInfo, load: Load, documents: int, what: str) -> Column:
    """A column from its regions."""
    data = load(region_of(info.name))
    if info.type == "text":
        starts = np.frombuffer(load(region_of(info.name, "starts")), "<i8").tolist()
        return TextColumn(_text_blocks(memoryview(data), starts, what), documents)
    values = np.frombuffer(data, info.cell)
    if info.type in ("int", "float", "day"):
        return NumberColumn(values)
    text = bytes(decompress(load(region_of(info.name, "values")), what)).decode()
    keywords = text.split(_BREAK) if text else []
    if int(values.max(initial=0)) > len(keywords):
        raise CorruptRecord(f"{what} is damaged: it names keywords that it does not have")
    if info.type == "keyword":
        return KeywordColumn(keywords, values)
    starts = np.frombuffer(load(region_of(info.name, "starts")), "<i8")
    return KeywordsColumn(keywords, values, starts)


def _text_blocks(data: memoryview, starts: list[int], what: str) -> list[Callable[[], str]]:
    def reader(begin: int, end: int) -> Callable[[], str]:
        return lambda: bytes(decompress(data[begin:end], what)).decode()

    return [reader(*edges) for edges in itertools.pairwise(starts)]


def keyword_place(column: KeywordColumn | KeywordsColumn, keyword: str) -> int:
    """The code of a keyword; 0 if no document has it."""
    place = bisect_left(column.keywords, keyword)
    has = place < len(column.keywords) and column.keywords[place] == keyword
    return place + 1 if has else 0
