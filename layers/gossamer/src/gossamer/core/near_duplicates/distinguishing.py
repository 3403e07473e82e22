"""The values that tell documents apart whose texts are alike.

Two products with one description and two prices are two products. Of an item, and of what a
template read, every value counts but pictures and links. What a page declares of itself tells it
apart only by what names the thing and by its price: copies of an article differ in where they are
filed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from xxhash import xxh3_64_intdigest

from gossamer.core.page.values import Image, Link, each

if TYPE_CHECKING:
    from gossamer.core.page.document import Document
    from gossamer.core.page.values import Value

_NAMING: Final = frozenset(("name", "sku", "gtin", "price", "starts", "location", "company"))
_NOT_NAMED: Final = "article"  # a type whose name is its text's


def distinguishing(document: Document) -> int:
    """Equal for equal values; 0 for a document that has none by which it is told apart."""
    values = document.values
    if not values:
        return 0
    if not (document.key or document.place or document.template):
        if values.get("type") == _NOT_NAMED:
            return 0
        values = {name: value for name, value in values.items() if name in _NAMING}
    told = {name: value for name, value in sorted(values.items()) if not _leads_elsewhere(value)}
    return xxh3_64_intdigest(msgspec.msgpack.encode(told)) or 1 if told else 0


def _leads_elsewhere(value: Value) -> bool:
    return any(isinstance(scalar, Image | Link) for scalar in each(value))
