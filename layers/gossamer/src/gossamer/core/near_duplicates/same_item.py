"""The same item on several pages: in a list and on a page of its own, or in two lists.

Templates name it by its key. Its documents are in one cluster, so they are one result, whatever
each page says of it. (docs/decisions/0098.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xxhash import xxh3_64_intdigest

from gossamer.core.registrable_domain import registrable_domain
from gossamer.core.urls import host_of

if TYPE_CHECKING:
    from gossamer.core.page.document import Document


def item_of(document: Document) -> int:
    """The cluster of the item that a document is about; 0 if nothing names it.

    A key means something on its own site only, an address everywhere.
    """
    item = document.item
    if not item:
        return 0
    site = "" if "://" in item else registrable_domain(host_of(document.url))
    return xxh3_64_intdigest(f"{site}\0{item}".encode("utf-8", "surrogatepass")) or 1
