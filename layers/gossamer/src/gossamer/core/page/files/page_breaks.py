"""Pages of a PDF file in its text: form feeds separate them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.core.search.result import Highlight

KIND: Final = "pdf"
PAGE_BREAK: Final = "\f"


def page_in(text: str, snippet: Sequence[Highlight]) -> int:
    """The number of the page that a snippet is on, from 1; 0 if no page has it.

    A snippet that goes over the end of a page is on the page of its first marked word.
    """
    pages = [" ".join(page.split()) for page in text.split(PAGE_BREAK)]
    for wanted in _pieces(snippet):
        for number, page in enumerate(pages, 1):
            if wanted in page:
                return number
    return 0


def _pieces(snippet: Sequence[Highlight]) -> Iterator[str]:
    """What is looked for: all of the snippet, or else its marked words, longest first."""
    whole = "".join(piece.text for piece in snippet).strip(" …")
    marked = [piece.text for piece in snippet if piece.hit]
    yield from filter(None, [whole, *sorted(marked, key=len, reverse=True)])
