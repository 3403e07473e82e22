"""The links of a page: normalised targets with their anchor texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from gossamer.core.page.charsets.queries import UTF_8, in_charset
from gossamer.core.page.document import Outlink
from gossamer.core.urls import normalise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gossamer.core.page.html_tree import Node
    from gossamer.core.urls import UrlRules

    Reader = Callable[[Node], str]

MAX_NAMES = 4  # of one target on one page
MAX_KNOWN_HREF = 300  # characters; what is kept in memory from page to page
_NO_PAGES = ("javascript:", "mailto:", "data:", "tel:")
_NOFOLLOW = frozenset({"nofollow", "ugc", "sponsored"})
_PAGERS = frozenset({"prev", "previous", "next"})  # they say where a page lies, not what it is


@dataclass(slots=True)
class _Target:
    """A URL that is linked to, and what all its links have in common."""

    url: str
    kind: str
    nofollow: bool = True
    names: dict[str, str] = field(default_factory=dict)  # as first written, whatever the capitals

    def meet(self, node: Node, anchor_of: Reader) -> None:
        """Take one more link into account: one that is followed outweighs those that are not."""
        if len(self.names) == MAX_NAMES and not self.nofollow:
            return
        said = node.getattr("rel", "")  # of most links, nothing
        rel = said.lower().split() if said else ()
        if rel and not _NOFOLLOW.isdisjoint(rel):
            if not self.nofollow:
                return
        elif self.nofollow:
            self.nofollow = False
            self.names.clear()
        is_name = len(self.names) < MAX_NAMES and (not rel or _PAGERS.isdisjoint(rel))
        if is_name and (name := anchor_of(node)):
            self.names.setdefault(name.casefold(), name)

    def outlinks(self, *, nofollow: bool) -> list[Outlink]:
        """A link for each name: what a menu calls a page is seldom what a sentence calls it."""
        names = self.names.values() or ("",)
        return [Outlink(self.url, name, self.nofollow or nofollow, self.kind) for name in names]


class Targets:
    """All that a page links to, in the order in which it was met."""

    def __init__(self, base: str, rules: UrlRules, codec: str = UTF_8) -> None:
        self._base, self._rules, self._codec = base, rules, codec
        self._by_url: dict[str, _Target] = {}

    def add(self, href: str, kind: str) -> str:
        """Take what the head names; returns its URL, empty if it is none."""
        url = normalise(in_charset(href, self._codec), self._base, self._rules)
        if url is None:
            return ""
        self._by_url[url] = _Target(url, kind, nofollow=False)
        return url

    def read(self, nodes: Iterable[Node], anchor_of: Reader, limit: int) -> None:
        """Take links, until there are more targets than `limit`."""
        known: dict[str, _Target | None] = {"": None}  # by href: most links of a page are repeated
        for node in nodes:
            kind = node.tag
            href = node.getattr("href" if kind[0] == "a" else "src", "").partition("#")[0]
            if href not in known:
                known[href] = self._target(href, kind)
            target = known[href]
            if target is None:
                continue
            target.meet(node, anchor_of)
            if len(self._by_url) > limit + 1:  # one of them may be the page itself
                return

    def _target(self, href: str, kind: str) -> _Target | None:
        if href[:11].lower().startswith(_NO_PAGES):
            return None
        url = _resolve(in_charset(href, self._codec), self._base, self._rules)
        if url is None:
            return None
        target = self._by_url.get(url)
        if target is None:
            target = self._by_url[url] = _Target(url, kind)
        elif target.kind in ("canonical", "refresh"):
            target.kind = kind
        return target

    def outlinks(self, own: str, limit: int, *, nofollow: bool) -> list[Outlink]:
        """The links to other pages than the page itself."""
        within = [target for target in self._by_url.values() if target.url != own][:limit]
        return [link for target in within for link in target.outlinks(nofollow=nofollow)]


_IGNORED = "".join(map(chr, range(33)))  # before a URL: space and control characters


def _resolve(href: str, base: str, rules: UrlRules) -> str | None:
    if href.lstrip(_IGNORED)[:1] in ("", "?") or len(href) > MAX_KNOWN_HREF:
        return normalise(href, base, rules)
    # All pages of a folder resolve a link alike, and most of their links are the same.
    return _resolve_in_folder(href, base.partition("?")[0].rpartition("/")[0] + "/", rules)


_resolve_in_folder = lru_cache(maxsize=16_384)(normalise)
