"""What does a simulated server answer?"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from gossamer.core.fingerprint import fingerprint
from gossamer.core.urls import host_of
from gossamer.ports.fetcher import HttpResponse
from tests.item_reader import ITEMS_TYPE, Item, ItemLink, PageOfItems

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.simulation.spec import Anchor, HostSpec, ItemSpec, PageSpec, World

HTML = ("Content-Type", "text/html; charset=utf-8")
ITEMS = ("Content-Type", ITEMS_TYPE)
PRIVATE = "/private/"
COOKIE = "seen=1"  # what a walled page wants
AGENT = "Gossamer"
# Kinds of robots.txt under which nothing may be asked.
UNREADABLE = frozenset({"broken", "dead", "no-name"})
# Words of a text that a family shares. What else its pages say makes less than a tenth of each.
FAMILY_WORDS = 600
COUSINS = 25  # one word in so many is another one in the family of the negative number


class Answer(NamedTuple):
    """A status line, headers, a body; or a fault."""

    code: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    fault: str = ""


# What a kind of page answers, whenever it is asked.
ALWAYS = {
    "missing": Answer(404, (HTML,), b"not here"),
    "gone": Answer(410, (HTML,), b"no more"),
    "error": Answer(500, (HTML,), b"oops"),
    "forbidden": Answer(403, (HTML,), b"members only"),
    "reset": Answer(0, fault="connection-reset"),
    "garbage": Answer(0, fault="malformed-response"),
    "image": Answer(200, (("Content-Type", "image/png"),), fault="content-type"),
    "huge": Answer(200, (HTML,), fault="too-large"),
    "lost": Answer(302, (("Location", "http://"),)),
}


def rules_of(host: HostSpec) -> str:
    """The text of a host's robots.txt, if it has one."""
    lines = [f"Sitemap: http://{host.name}/sitemap.xml"] if host.sitemap else []
    pace = [f"Crawl-delay: {host.crawl_delay:g}"] if host.crawl_delay else []
    match host.robots:
        case "all":
            return "\n".join(["User-agent: *", "Disallow: /", *lines])
        case "folder" | "moved" | "flaky" | "slow":
            return "\n".join(["User-agent: *", f"Disallow: {PRIVATE}", *pace, *lines])
        case "agents":
            ours = [f"User-agent: {AGENT.lower()}", f"Disallow: {PRIVATE}", *pace]
            return "\n".join(["User-agent: *", "Disallow: /", "", *ours, *lines])
        case _:
            return "\n".join(["User-agent: *", "Disallow:", *pace, *lines])


def forbids(host: HostSpec, url: str) -> bool:
    """Whether a host's robots.txt, once read, forbids a URL to us."""
    if host.robots == "all":
        return True
    path = "/" + url.split("/", 3)[3]
    return host.robots in ("folder", "moved", "flaky", "slow", "agents") and path.startswith(
        PRIVATE
    )


class Web:
    """All servers of a world, in one round of it."""

    def __init__(self, world: World) -> None:
        self.hosts = {host.name: host for host in world.hosts}
        self.pages = {page.url: page for page in world.pages}
        self.round = 1
        self._recrawled = world.job.again == "recrawl"
        self._times: Counter[tuple[int, str]] = Counter()

    def answer(self, url: str, now: float, headers: Mapping[str, str] = {}) -> HttpResponse:
        """One request."""
        host = self.hosts.get(host_of(url))
        found = self._answer(host, url) if host else Answer(0, fault="dns")
        page = self.pages.get(url)
        if page and page.walled and found.code == 200 and COOKIE not in headers.get("Cookie", ""):
            found = Answer(302, (("Location", url), ("Set-Cookie", f"{COOKIE}; Path=/")))
        if host is not None and host.etags and url in self.pages and found.code == 200:
            found = _known_or_new(found, headers)
        seconds = host.latency if host else 0.01
        return HttpResponse(
            url=url,
            started_at=now,
            seconds=seconds,
            code=found.code,
            phrase="Whatever",
            headers=found.headers,
            raw=found.body,
            body=found.body,
            fault=found.fault,
        )

    def _answer(self, host: HostSpec, url: str) -> Answer:
        self._times[self.round, url] += 1
        if host.robots == "dead":
            return Answer(0, fault="connection-refused")
        if host.robots == "no-name":
            return Answer(0, fault="dns")
        path = "/" + url.split("/", 3)[3]
        if path in ("/robots.txt", "/rules.txt"):
            return self._robots(host, url, path)
        if path == "/sitemap.xml" and host.sitemap:
            places = "".join(f"<url><loc>{place}</loc></url>" for place in host.sitemap)
            body = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}</urlset>'
            return Answer(200, (("Content-Type", "application/xml"),), body.encode())
        page = self.pages.get(url)
        return self._page(page, url) if page else Answer(404, (HTML,), b"not here")

    def _robots(self, host: HostSpec, url: str, path: str) -> Answer:
        plain = (("Content-Type", "text/plain"),)
        first = self._times[self.round, url] <= host.times
        match host.robots:
            case "none":
                return Answer(404, (HTML,), b"no rules")
            case "forbidden":
                return Answer(403, (HTML,), b"go away")
            case "broken":
                return Answer(500, (HTML,), b"oops")
            case "flaky" if first:
                return Answer(503, (HTML, ("Retry-After", "3")), b"later")
            case "slow" if first:
                return Answer(0, fault="timeout")
            case "moved" if path == "/robots.txt":
                return Answer(301, (("Location", "/rules.txt"),))
            case _:
                return Answer(200, plain, rules_of(host).encode())

    def _page(self, page: PageSpec, url: str) -> Answer:
        if is_away(page, self.round):
            return Answer(410, (HTML,), b"it was here")
        if page.kind in ALWAYS:
            return ALWAYS[page.kind]
        if self._hiccups(page) and self._times[self.round, url] == 1:
            return Answer(404, (HTML,), b"it is here, but not now")
        first = self._times[self.round, url] <= page.times
        match page.kind:
            case "redirect":
                return Answer(302, (("Location", page.target),))
            case "flaky" if first:
                return Answer(502, (HTML,), b"oops")
            case "throttled" if first:
                retry = (("Retry-After", str(page.wait)),) if page.wait else ()
                return Answer(429, (HTML, *retry), b"slow down")
            case _:
                content = self.content(page.url)
                kind = ITEMS if content.kind == "items" else HTML
                return Answer(200, (kind,), body_of(content, self.round))

    def _hiccups(self, page: PageSpec) -> bool:
        return page.hiccups and self.round > 1 and self._recrawled

    def content(self, url: str) -> PageSpec:
        """The page whose bytes a URL has: its own, unless it is a copy."""
        seen, page = {url}, self.pages[url]
        while page.kind == "copy" and page.target in self.pages and page.target not in seen:
            page = self.pages[page.target]
            seen.add(page.url)
        return page

    def times(self, url: str) -> int:
        """How often a URL was asked for in this round."""
        return self._times[self.round, url]


def is_away(page: PageSpec, round_: int) -> bool:
    """Whether a page that was there is gone in a round."""
    return page.vanishes and (round_ == 2 or (round_ > 2 and not page.returns))


def _known_or_new(found: Answer, headers: Mapping[str, str]) -> Answer:
    tag = f'"{fingerprint(found.body).hex()}"'
    if headers.get("If-None-Match") == tag:
        return Answer(304, (("ETag", tag),))
    return found._replace(headers=(*found.headers, ("ETag", tag)))


def words_of(page: PageSpec, round_: int) -> tuple[str, ...]:
    """What the documents of a page say in a round; the first word of a plain page is its own."""
    if page.kind == "items":
        own = (_version(page, page.words[0], round_),) if page.whole else ()
        return (*own, *(item.word for item in items_of(page, round_)))
    return (_version(page, page.words[0], round_), *page.words[1:]) if page.words else ()


def items_of(page: PageSpec, round_: int) -> list[ItemSpec]:
    """The items of a page in a round. In every round they stand in another order."""
    there = [item for item in page.items if round_ in item.rounds]
    first = round_ % max(1, len(there))
    return there[first:] + there[:first]


def has_documents(page: PageSpec, round_: int) -> bool:
    """Whether anything can be found of a page in a round."""
    return page.kind != "items" or bool(words_of(page, round_))


def anchor_of(page: PageSpec, link: Anchor, round_: int) -> str:
    """What a page calls another in a round."""
    return _version(page, link.word, round_) if link.word else "there"


def text_of(page: PageSpec, link: Anchor, round_: int) -> str:
    """Return the text of a link: its word twice, since one word of one page is no name."""
    word = anchor_of(page, link, round_)
    return f"{word} {word}"


def _version(page: PageSpec, word: str, round_: int) -> str:
    return f"{word}{'bcdfghj'[round_ if page.changes else 1]}"


@lru_cache
def _shared_text(family: int) -> str:
    words = [f"k{a}{b}" for a in "bcdfghj" for b in "bcdfghj"]
    text = Random(abs(family)).choices(words, k=FAMILY_WORDS)
    if family < 0:
        text[::COUSINS] = [f"{word}n" for word in text[::COUSINS]]
    return " ".join(text)


def body_of(page: PageSpec, round_: int) -> bytes:
    """A page as a server sends it: HTML or, of its kind, items."""
    return _items_body(page, round_) if page.kind == "items" else html_of(page, round_)


def _items_body(page: PageSpec, round_: int) -> bytes:
    own = _version(page, page.words[0], round_)
    return PageOfItems(
        items=[Item(item.word, item.key) for item in items_of(page, round_)],
        links=[ItemLink(k.url, text_of(page, k, round_), k.nofollow) for k in page.links],
        whole=own if page.whole else "",
        note=own,  # no two pages are the same
    ).body()


def html_of(page: PageSpec, round_: int) -> bytes:
    """A page as a server sends it."""
    meta = {"noindex": "noindex", "dead-end": "nofollow"}.get(page.kind, "")
    head = f'<meta name="robots" content="{meta}">' if meta else ""
    anchors = "".join(
        f'<a href="{link.url}"{" rel=nofollow" if link.nofollow else ""}>'
        f"{text_of(page, link, round_)}</a> "
        for link in page.links
    )
    words = words_of(page, round_)
    title = words[0] if words else "untitled"
    text = " ".join(words)
    shared = f"<p>{_shared_text(page.family)}</p>" if page.family else ""
    return (
        f"<html><head><title>{title}</title>{head}</head>"
        f"<body><p>{text}</p>{shared}<p>{anchors}</p></body></html>"
    ).encode()


def least_delay(world: World, host: HostSpec | None, *, rules_read: bool) -> float:
    """The delay that a host can count on, penalties apart."""
    own = world.job.delay
    if host is None or not rules_read or host.robots in ("none", "forbidden", "all"):
        return own
    return max(own, min(host.crawl_delay, world.job.max_delay))
