"""How must every URL of a world end? Worked out from the world alone, without the crawler."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gossamer.core.urls import host_of
from tests.simulation.web import UNREADABLE, Web, forbids, has_documents, is_away

if TYPE_CHECKING:
    from tests.simulation.spec import HostSpec, PageSpec, World

End = tuple[str, str]  # state and reason
MAX_REDIRECTS = 5
DOCUMENT: End = ("parsed", "document")
NO_DOCUMENT: End = ("excluded", "no-document")
COPY: End = ("duplicate", "same-content")
GIVEN_UP: End = ("failed", "host-set-aside")
# What a kind of page becomes, in every world.
ENDS: dict[str, End] = {
    "noindex": ("excluded", "noindex"),
    "missing": ("gone", "http-404"),
    "gone": ("gone", "http-410"),
    "error": ("failed", "http-500"),
    "forbidden": ("failed", "http-403"),
    "reset": ("failed", "connection-reset"),
    "garbage": ("failed", "malformed-response"),
    "image": ("excluded", "content-type"),
    "huge": ("excluded", "too-large"),
    "redirect": ("redirected", "redirect"),
    "lost": ("failed", "bad-redirect"),
}


@dataclass
class Expectation:
    """What must come of a crawl without limits."""

    ends: dict[str, set[End]] = field(default_factory=dict)
    contents: dict[str, str] = field(default_factory=dict)  # URL of a page → whose content it has
    sitemaps: dict[str, End] = field(default_factory=dict)
    hidden: int = 0  # pages without documents, or that ask not to be indexed

    @property
    def pages(self) -> int:
        """How many URLs bring a page."""
        return len(self.contents) + self.hidden

    @property
    def documents(self) -> int:
        """How many different contents there are to be indexed."""
        return len(set(self.contents.values()))


@dataclass(order=True)
class _Way:
    depth: int
    hops: int
    url: str = field(compare=False)
    nofollow: bool = field(compare=False, default=False)


class _Walk:
    """A search for the shortest way to every URL, as a crawler may go."""

    def __init__(self, world: World, round_: int, known: list[_Way]) -> None:
        self.world, self.round = world, round_
        self.web = Web(world)
        self.hosts, self.pages = self.web.hosts, self.web.pages
        seeds = [host_of(seed) for seed in world.job.seeds]
        self.scope = {*seeds, *(f"www.{seed}" for seed in seeds)}
        self.result = Expectation()
        self._visited: set[str] = set()
        self._met: set[str] = set()  # hosts whose robots.txt was read
        self.walked: list[_Way] = []
        self._ways: list[_Way] = [*known, *(_Way(0, 0, seed) for seed in world.job.seeds)]
        heapq.heapify(self._ways)

    def run(self) -> Expectation:
        while self._ways:
            self._go(heapq.heappop(self._ways))
        return self.result

    def _go(self, way: _Way) -> None:
        if way.url in self._visited:
            return
        verdict = self._verdict(way)
        if verdict:
            # The first way that was found says why, and another may admit it yet.
            self.result.ends.setdefault(way.url, set()).add(("excluded", verdict))
            return
        self._visited.add(way.url)
        self.walked.append(way)
        host = self.hosts.get(host_of(way.url))
        self._meet(host)
        self.result.ends[way.url] = self._end(host, way)

    def _verdict(self, way: _Way) -> str:
        if way.nofollow:
            return "nofollow"
        if way.hops > MAX_REDIRECTS:
            return "too-many-redirects"
        if host_of(way.url) not in self.scope:
            return "out-of-scope"
        most = self.world.job.max_depth
        if most is not None and way.depth > most:
            return "too-deep"
        page = self.pages.get(way.url)
        return page.trap if page else ""

    def _meet(self, host: HostSpec | None) -> None:
        """The first admitted URL of a host lets its robots.txt be read, and its sitemap."""
        if host is None or host.name in self._met:
            return
        self._met.add(host.name)
        is_read = host.robots not in UNREADABLE | {"none", "forbidden"}
        if not (host.sitemap and is_read and self.world.job.sitemaps):
            return
        forbidden = host.robots == "all"
        end = "robots" if forbidden else "sitemap"
        self.result.sitemaps[f"http://{host.name}/sitemap.xml"] = "excluded", end
        if not forbidden:
            for url in host.sitemap:
                heapq.heappush(self._ways, _Way(1, 0, url))

    def _end(self, host: HostSpec | None, way: _Way) -> set[End]:
        if host is None or host.robots == "no-name":
            return {("failed", "dns")}
        if host.robots in UNREADABLE:
            return {("failed", "robots-unreachable"), GIVEN_UP}
        if forbids(host, way.url):
            return {("excluded", "robots"), GIVEN_UP}
        page = self.pages.get(way.url)
        if page is None:
            return {ENDS["missing"], GIVEN_UP}
        return {*self._answered(page, way), GIVEN_UP}

    def _answered(self, page: PageSpec, way: _Way) -> set[End]:
        if is_away(page, self.round):
            return {ENDS["gone"]}
        if page.kind == "redirect":
            if page.target == page.url:
                return {("failed", "redirect-loop")}
            heapq.heappush(self._ways, _Way(way.depth, way.hops + 1, page.target))
        content = self.web.content(page.url)
        if page.kind in ENDS and page.kind != "noindex":
            return {ENDS[page.kind]}
        for link in content.links:
            nofollow = link.nofollow or content.kind == "dead-end"
            heapq.heappush(self._ways, _Way(way.depth + 1, 0, link.url, nofollow))
        if content.kind == "noindex":
            self.result.hidden += 1
            return {ENDS["noindex"], COPY}
        if not has_documents(content, self.round):
            self.result.hidden += 1
            return {NO_DOCUMENT, COPY}
        self.result.contents[page.url] = content.url
        return {DOCUMENT, COPY}


def expected(world: World, round_: int = 1) -> Expectation:
    """The ends of all URLs that the job can find; a later round knows those of the earlier ones."""
    known: list[_Way] = []
    earlier: dict[str, set[End]] = {}
    for number in range(1, round_):
        walk = _Walk(world, number, known)
        earlier |= walk.run().ends
        known = walk.walked
    result = _Walk(world, round_, known).run()
    for url, ends in earlier.items():
        excluded = {end for end in ends if end[0] == "excluded"}
        result.ends[url] = result.ends.get(url, set()) | excluded
    return result
