"""A reader for tests: pages that hold any number of items, where the product's readers give one.

A page of items is JSON: `items`, each with a title, a text and perhaps a key, in the order of their
places; `whole`, the title of the page if it is a document itself; and `links`.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import msgspec

from gossamer.core.page.document import Document, Outlink, ParsedPage
from gossamer.core.page.outlinks import MAX_NAMES
from gossamer.core.page.read_response import READERS
from gossamer.core.urls import normalise
from tests.pump import answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.core.page.read_response import StoredResponse
    from gossamer.ports.fetcher import HttpResponse

ITEMS_TYPE = "application/x-items+json"


class Item(msgspec.Struct, frozen=True):
    """An item of a page."""

    title: str
    key: str = ""
    text: str = ""


class ItemLink(msgspec.Struct, frozen=True):
    """A link of a page of items."""

    url: str
    anchor: str = ""
    nofollow: bool = False


class PageOfItems(msgspec.Struct, frozen=True, kw_only=True):
    """A page with any number of documents."""

    items: list[Item] = []
    links: list[ItemLink] = []
    whole: str = ""
    note: str = ""  # no part of any document

    def body(self) -> bytes:
        """The page as a server sends it."""
        return msgspec.json.encode(self)


def read(response: StoredResponse, rules: Any) -> ParsedPage:
    """A document for each item, and one for the page if it has a title."""
    del rules
    page = msgspec.json.decode(response.body, type=PageOfItems)
    whole = [Document(url=response.url, title=page.whole, text=page.whole)] if page.whole else []
    items = [
        Document(
            url=response.url,
            key=item.key,
            place=place,
            title=item.title,
            text=item.text or item.title,
        )
        for place, item in enumerate(page.items, 1)
    ]
    return ParsedPage([*whole, *items], _outlinks(page, response.url))


def _outlinks(page: PageOfItems, own: str) -> list[Outlink]:
    """As of HTML: a link that is followed outweighs those to the same URL that are not."""
    by_url: dict[str, list[Outlink]] = {}
    for link in page.links:
        url = normalise(link.url, own)
        if url and url != own:
            by_url.setdefault(url, []).append(Outlink(url, link.anchor, link.nofollow))
    named = [[link for link in links if not link.nofollow] or links for links in by_url.values()]
    return [link for links in named for link in links[:MAX_NAMES]]


@contextmanager
def reading_items() -> Iterator[None]:
    """While it lasts, pages of items are asked for, kept and read."""
    with patch.dict(READERS, {ITEMS_TYPE: read}):
        yield


def page_of_items(*items: str, links: tuple[str, ...] = (), whole: str = "") -> HttpResponse:
    """A page of items, each written "key=title"; without a key it is known by its place."""
    split = [item.rpartition("=")[::2] for item in items]
    page = PageOfItems(
        items=[Item(title, key) for key, title in split],
        links=[ItemLink(url, url) for url in links],
        whole=whole,
    )
    return answer(200, page.body(), headers=[("Content-Type", ITEMS_TYPE)])
