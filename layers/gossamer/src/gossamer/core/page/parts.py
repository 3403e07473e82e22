"""Which part of its page each document is: what its id is made of.

The page as a whole is part 0. An item with a key has a part that follows from the key alone, so it
keeps its id when it moves on the page and when other items come and go. An item without a key is
known by its place on the page. (docs/decisions/0031.)
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from xxhash import xxh3_64_intdigest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from gossamer.core.page.document import Document

PAGE: Final = 0  # the part that is the page as a whole
MOST_DOCUMENTS: Final = 1_000  # of a page; those after them are not kept
_KEYED: Final = 1 << 31  # parts from here on come from keys, those below from places


def parts_of(documents: Iterable[Document]) -> dict[int, Document]:
    """The documents of a page by their parts, in ascending order.

    Equal keys name the same item: the first one counts. Documents of one place are numbered on.
    """
    found: dict[int, Document] = {}
    keyed: dict[str, Document] = {}
    for document in islice(documents, MOST_DOCUMENTS):
        if document.key:
            keyed.setdefault(document.key, document)
        else:
            found[_free(document.place % _KEYED, found)] = document
    for key in sorted(
        keyed
    ):  # not as they stand on the page: if two parts are equal, one gives way
        found[_free(_of_key(key), found)] = keyed[key]
    return dict(sorted(found.items()))


def _of_key(key: str) -> int:
    return _KEYED | xxh3_64_intdigest(key.encode("utf-8", "surrogatepass")) % _KEYED


def _free(part: int, taken: Collection[int]) -> int:
    """The part, or the next one of its kind that is not taken."""
    while part in taken:
        part = part & _KEYED | (part + 1) % _KEYED
    return part


def main_part(parts: Collection[int]) -> int | None:
    """The part that is meant by the names which other pages have for the page.

    That is the page as a whole, or its only document. If there are several items and nothing else,
    the names mean none of them in particular.
    """
    if PAGE in parts:
        return PAGE
    return next(iter(parts)) if len(parts) == 1 else None
