"""Columns that every collection has without declaring them: of what pages declare themselves.

They are in a segment only if one of its documents has a value, so that they cost nothing elsewhere.
What a collection declares under such a name takes its place. (docs/decisions/0081.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gossamer.core.index.declared import CURRENCY, Column

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from gossamer.core.index.segments.stored import Stored

_COUNTED: Final = Column(type="keyword", facet=True)
_SEVERAL: Final = Column(type="keywords", facet=True)
_KEYWORD: Final = Column(type="keyword")
_NUMBER: Final = Column(type="number", sort=True)
_DATE: Final = Column(type="date", sort=True)

AUTOMATIC: Final[dict[str, Column]] = {
    "type": _COUNTED,
    "price": Column(type="money", facet=True, sort=True),
    "brand": _COUNTED,
    "availability": _COUNTED,
    "rating": _NUMBER,
    "reviews": _NUMBER,
    "category": _COUNTED,
    "sku": _KEYWORD,
    "gtin": _KEYWORD,
    "author": _SEVERAL,
    "section": _COUNTED,
    "starts": _DATE,
    "ends": _DATE,
    "location": _COUNTED,
    "company": _COUNTED,
    "employment": _SEVERAL,
    "salary": Column(type="money", sort=True),
    "cuisine": _COUNTED,
    "minutes": _NUMBER,
}
# Those whose values a search box completes: of the others nobody types the beginning.
COMPLETED: Final = ("brand", "category", "author", "section", "location", "company", "cuisine")


def automatic(columns: Mapping[str, Column], fields: Collection[str]) -> dict[str, Column]:
    """The columns that a collection has besides those that it declares."""
    return {
        name: column
        for name, column in AUTOMATIC.items()
        if name not in columns and name not in fields and name + CURRENCY not in columns
    }


def with_values(columns: Mapping[str, Column], documents: Iterable[Stored]) -> dict[str, Column]:
    """Those columns in which a document has a value."""
    names: set[str] = set()
    for document in documents:
        if document.values:
            names.update(document.values)
    return {name: column for name, column in columns.items() if name in names}
