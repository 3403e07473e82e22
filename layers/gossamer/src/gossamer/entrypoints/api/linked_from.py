"""Incoming and outgoing links of a document, as the API shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.core.ids import UrlId
from gossamer.core.search.result import InLinksView, LinkView
from gossamer.ports.edges import InLinks

if TYPE_CHECKING:
    from gossamer.core.search.result import DocumentView
    from gossamer.messages import Link
    from gossamer.ports.edges import EdgeStore

MOST_LINKS = 50


def with_links(view: DocumentView | None, edges: EdgeStore) -> DocumentView | None:
    """A document with its links, if there is one."""
    if view is None:
        return None
    id = UrlId(bytes.fromhex(view.page))
    found = edges.inlinks([id]).get(id, InLinks())
    return msgspec.structs.replace(
        view,
        inlinks=InLinksView(found.total, [LinkView(each.url, each.anchor) for each in found.links]),
        outlinks=_different(edges.get(id))[:MOST_LINKS],
    )


def _different(links: list[Link]) -> list[LinkView]:
    """Each target once, by the name that its page uses first."""
    first: dict[str, str] = {}
    for link in links:
        first.setdefault(link.url, link.anchor)
    return [LinkView(url, anchor) for url, anchor in first.items()]
