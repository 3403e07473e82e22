"""The documents of a page, with the values that the page declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.core.page.document import Document
from gossamer.core.page.structured.declared_values import NOTHING, declared_values, declares
from gossamer.core.page.structured.page_data import PageData

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gossamer.core.page.structured.declared_values import Item


def with_declared(
    document: Document, html: str, metas: Mapping[str, Sequence[str]]
) -> list[Document]:
    """The page with its values, and the items that it declares and that have no page."""
    if not declares(html, metas):
        return [document]
    data = PageData(html, document.url, metas)
    found = declared_values(data, document.canonical, document.language)
    if found == NOTHING:
        return [document]
    page = msgspec.structs.replace(document, values={**found.values, **document.values})
    return [page, *(_of_item(item, place, page) for place, item in enumerate(found.items, 1))]


def _of_item(item: Item, place: int, page: Document) -> Document:
    """An item as a document of its own: known by its number, or else by its name."""
    name = str(item.values["name"])
    key = item.values.get("sku") or item.values.get("gtin") or name
    return Document(
        url=page.url,
        key=str(key),
        place=place,
        title=name,
        text=item.text or name,
        language=page.language,
        values=item.values,
    )
