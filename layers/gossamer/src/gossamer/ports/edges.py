"""Storage of links: what each page links to, and which pages link to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from gossamer.core.ids import UrlId
from gossamer.core.urls import url_id
from gossamer.messages import Link
from gossamer.ports.portable import Portable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


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

    @classmethod
    def joined(cls, parts: Sequence[PackedLinks]) -> PackedLinks:
        """The links of several parts, one behind the other."""
        targets, anchors, nofollow = b"", list[str](), list[int]()
        for part in parts:
            nofollow += [len(anchors) + place for place in part.nofollow]
            targets, anchors = targets + part.targets, anchors + part.anchors
        return cls(targets, anchors, nofollow)

    def halves(self) -> tuple[PackedLinks, PackedLinks]:
        """The first half of the links, and the second."""
        at = len(self.anchors) // 2
        before = [place for place in self.nofollow if place < at]
        behind = [place - at for place in self.nofollow if place >= at]
        return (
            PackedLinks(self.targets[: 16 * at], self.anchors[:at], before),
            PackedLinks(self.targets[16 * at :], self.anchors[at:], behind),
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


class EdgeEntry(msgspec.Struct, frozen=True):
    """The links of a page and those that lead to it; None if there are none."""

    page: UrlId
    links: PackedLinks | None = None
    inlinks: InLinks | None = None


class EdgeStore(Portable[EdgeEntry], Protocol):
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
