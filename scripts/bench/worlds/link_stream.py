"""What LINKS is handed during a crawl: page after page, its links to new and to known URLs.

The shape of such a web is an assumption; only how its URLs pack is measured.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random

from gossamer.core.urls import url_id
from scripts.bench.contenders.url_layouts import Url
from scripts.bench.worlds.generated_sites import VOCABULARY

SECTIONS = ("news", "blog", "p", "articles", "product")


@dataclass(frozen=True, slots=True)
class LinkingWeb:
    """Hosts of equal size, crawled beside each other, and others that they link to."""

    hosts: int
    pages: int  # of a host
    new: int = 9  # links of a page to URLs that no page linked to before
    known: int = 51
    inside: float = 0.8  # of new links, how many stay on the host
    known_inside: float = 0.85
    others: int = 20_000  # hosts that are linked to and not crawled, some far more often (Zipf)


@dataclass(slots=True)
class Page:
    """A page that was read: its own URL, and what it links to, by host."""

    host: str
    id: bytes
    new: dict[str, list[Url]] = field(default_factory=lambda: defaultdict(list))
    known: dict[str, list[Url]] = field(default_factory=lambda: defaultdict(list))


def pages_of(web: LinkingWeb) -> Iterator[Page]:
    """The pages of a web, in random order of hosts."""
    stream = _Stream(web)
    for _ in range(web.hosts * web.pages):
        yield stream.page()


class _Stream:
    def __init__(self, web: LinkingWeb) -> None:
        self._web, self._chance = web, Random(1)
        self._urls: dict[str, list[Url]] = defaultdict(list)
        self._waiting: dict[str, int] = defaultdict(int)  # how many of a host's were fetched
        self._popular = list(accumulate(1 / (n + 1) for n in range(web.others)))

    def page(self) -> Page:
        own = f"h{self._chance.randrange(self._web.hosts)}.test"
        page = Page(own, self._fetched(own))
        for _ in range(self._web.known):
            self._link_back(page)
        for _ in range(self._web.new):
            host = self._host(own, self._web.inside)
            path = self._path()
            page.new[host].append(Url(url_id(f"http://{host}{path}"), path, page.id))
        for host, urls in page.new.items():
            self._urls[host] += urls
        return page

    def _fetched(self, host: str) -> bytes:
        """The URL of a host that was found first and not fetched yet."""
        number = self._waiting[host]
        self._waiting[host] += 1
        found = self._urls[host]
        return found[number].id if number < len(found) else url_id(f"http://{host}/{number}")

    def _link_back(self, page: Page) -> None:
        host = self._host(page.host, self._web.known_inside)
        if self._urls[host]:
            page.known[host].append(self._chance.choice(self._urls[host]))

    def _host(self, own: str, inside: float) -> str:
        if self._chance.random() < inside:
            return own
        (number,) = self._chance.choices(range(self._web.others), cum_weights=self._popular)
        return f"other{number}.test"

    def _path(self) -> str:
        chance = self._chance
        words = "-".join(chance.choices(VOCABULARY, k=chance.randint(3, 7)))
        year, month = 2000 + chance.randrange(26), chance.randrange(1, 13)
        return f"/{chance.choice(SECTIONS)}/{year}/{month:02}/{words}"
