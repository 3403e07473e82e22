"""A small generated web of several hosts, and a fetcher that answers from it without a network."""

import asyncio
import time
from dataclasses import dataclass
from itertools import product
from random import Random
from urllib.parse import urlsplit

from gossamer.ports.fetcher import HttpRequest, HttpResponse

VOCABULARY = ["".join(parts) for parts in product("bdfgklmnprstvz", "aeiou", "lmnrst", "aeiou")]
CHILDREN = 4  # links to new pages of the host, so that every page is reached


@dataclass(frozen=True, slots=True)
class SampleWeb:
    """Hosts of equal size whose pages link to each other; the same pages each time."""

    hosts: int
    pages: int  # of a host
    links: int = 20  # of a page, on average
    outward: float = 0.2  # of these, to other hosts
    words: int = 200

    def seeds(self) -> list[str]:
        """The first page of every host."""
        return [self.url(host, 0) for host in range(self.hosts)]

    def url(self, host: int, page: int) -> str:
        """The address of a page."""
        return f"http://h{host}.test/p{page}.html" if page else f"http://h{host}.test/"

    def page(self, host: int, page: int) -> bytes:
        """The HTML of a page."""
        chance = Random(f"{host} {page}")
        words = " ".join(chance.choices(VOCABULARY, k=self.words))
        anchors = "".join(
            f'<li><a href="{link}">{chance.choice(VOCABULARY)}</a></li>'
            for link in self._links(host, page, chance)
        )
        title = f"{words[:4]} {host} {page}"
        return (
            f'<!DOCTYPE html><html lang="en"><head><title>{title}</title></head>'
            f"<body><h1>{title}</h1><p>{words}</p><ul>{anchors}</ul></body></html>"
        ).encode()

    def _links(self, host: int, page: int, chance: Random) -> list[str]:
        first = page * CHILDREN + 1
        found = [self.url(host, n) for n in range(first, min(first + CHILDREN, self.pages))]
        # Pages differ, so that a fit can tell what a page costs from what its links cost.
        wanted = chance.randint(self.links // 4, 2 * self.links - self.links // 4)
        while len(found) < wanted:
            away = self.hosts > 1 and chance.random() < self.outward
            target = chance.randrange(self.hosts) if away else host
            found.append(self.url(target, chance.randrange(self.pages)))
        return found


class SampleFetcher:
    """Answers requests from a generated web, at once."""

    def __init__(self, web: SampleWeb) -> None:
        self._web = web

    async def fetch(self, request: HttpRequest) -> HttpResponse:
        """The page, or 404: there is no robots.txt."""
        await asyncio.sleep(0)
        body = self._body(request.url)
        return HttpResponse(
            url=request.url,
            started_at=time.time(),
            code=200 if body else 404,
            headers=(("Content-Type", "text/html; charset=utf-8"),),
            raw=body or b"not found",
            body=body or b"not found",
        )

    def _body(self, url: str) -> bytes:
        parts = urlsplit(url)
        number, path = int(parts.netloc.partition(".")[0].removeprefix("h")), parts.path
        if path == "/":
            return self._web.page(number, 0)
        name = path.removeprefix("/p").removesuffix(".html")
        return self._web.page(number, int(name)) if name.isdigit() else b""

    async def close(self) -> None:
        """Nothing to close."""
