"""The picture that a result shows: the first that the values of its document name."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from gossamer.core.page.values import Image, each
from gossamer.core.urls import normalise

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gossamer.core.page.document import Document
    from gossamer.core.page.values import Value

MOST: Final = 100  # of a page: as many as it has documents of media
FIRST: Final = "image"  # the name under which pages and media declare it


def shown_picture(values: Mapping[str, Value]) -> str:
    """The address of the picture of a document; "" if it names none."""
    named = {FIRST: values[FIRST], **values} if FIRST in values else values
    pictures = (part for value in named.values() for part in each(value))
    first = next((part.url for part in pictures if isinstance(part, Image)), "")
    return (normalise(first) or "") if first else ""


def pictures_of(documents: Iterable[Document]) -> list[str]:
    """The pictures of the documents of a page, each once."""
    found = dict.fromkeys(shown_picture(document.values) for document in documents)
    return list(islice(filter(None, found), MOST))
