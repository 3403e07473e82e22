"""Storage of links: what each page links to, and which pages link to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from gossamer.core.urls import url_id
from gossamer.messages import Link

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gossamer.core.ids import UrlId


class PackedLinks(msgspec.Struct, frozen=True, array_like=True):
    """The links of a page: 16-byte ids one after another, and beside each its words."""

    targets: bytes
    anchors: list[str]
    nofollow: list[int]  # positions of the links that are not followed

    @classmethod
    def of(cls, links: Sequence[Link]) -> PackedLinks:
        """Links, packed."""
        return cls(
            b"".join([url_id(link.url) for link in links]),
            [link.anchor for link in links],
            [i for i, link in enumerate(links) if link.nofollow],
        )

    def ids(self) -> list[bytes]:
        """The targets one by one."""
        return [self.targets[i : i + 16] for i in range(0, len(self.targets), 16)]

    def links(self, urls: Mapping[bytes, str]) -> list[Link]:
        """The links to those targets whose URLs are known."""
        nofollow = set(self.nofollow)
        return [
            Link(urls[id], anchor, number in nofollow)
            for number, (id, anchor) in enumerate(zip(self.ids(), self.anchors, strict=True))
            if id in urls
        ]


class InLink(msgspec.Struct, frozen=True, array_like=True):
    """A page that links to another, and what it calls it."""

    url: str
    anchor: str = ""


class InLinks(msgspec.Struct, frozen=True, array_like=True):
    """Who links to a page, as RANK last found it."""

    total: int = 0  # pages; those that only say nofollow apart
    links: list[InLink] = []  # some of them, those with the highest rank first
    level: int = 0  # the page's own rank, as `IndexStore.put_ranks` has it, or nearly


class EdgeStore(Protocol):
    """The links of each page, packed: one item per source, never one per link."""

    def put(self, source: UrlId, links: Sequence[Link], part: int, parts: int) -> None:
        """Replace the links of a source."""

    def get(self, source: UrlId) -> list[Link]:
        """The links of a source."""

    def all(self, segments: int = 1) -> Iterator[tuple[bytes, list[Link]]]:
        """Every source with its links; those of one source may come in several parts."""

    def packed(self, segments: int = 1) -> Iterator[tuple[bytes, PackedLinks]]:
        """All links, by ids; those of one source may come in several parts, in any order."""

    def put_inlinks(self, found: Mapping[UrlId, InLinks]) -> None:
        """Keep who links to these pages, in place of who did before."""

    def inlinks(self, targets: Sequence[UrlId]) -> dict[UrlId, InLinks]:
        """Who links to these pages; those that were never ranked are left out."""
