"""Which website knows what a crawler must find on it?

Made from a seed: every kind of link, redirect, duplicate and trap. The truth beside it comes from a
walk over the model, never over HTML, and shares no code with the crawler.

    with serve() as server: server.publish(generate(1, server.port)); ...
    python -m tests.sites.generated        serve one until Ctrl-C
"""

from __future__ import annotations

import contextlib
import gzip
import heapq
import html
import posixpath
import random
import socket
import struct
import threading
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

MAIN, SECOND, OUTSIDE = "localhost", "127.0.0.2", "127.0.0.3"
MAX_HOPS = 5
TLS_HELLO = 0x16  # the first byte of whoever would like to speak TLS
PHRASES = {200: "OK", 301: "Moved Permanently", 302: "Found", 404: "Not Found"}
WORDS = ("thread", "silk", "weft", "warp", "loom", "knot", "spool", "hem", "lace", "twine", "yarn")
JUNK = ("javascript:void(0)", "mailto:a@b.test", "tel:123", "http://[bad/", "", "#top", "http://")


@dataclass(frozen=True, slots=True)
class Link:
    """A link: the URL it means, and how the page writes it."""

    target: str
    href: str
    tag: str = "a"
    rel: str = ""

    @property
    def nofollow(self) -> bool:
        return self.rel in ("nofollow", "ugc", "sponsored")

    def html(self) -> str:
        href, rel = html.escape(self.href), f' rel="{self.rel}"' if self.rel else ""
        match self.tag:
            case "area":
                return f'<map name="m"><area href="{href}" alt="to {href}"{rel}></map>'
            case "iframe" | "frame":
                return f'<{self.tag} src="{href}"></{self.tag}>'
            case "refresh":
                return f'<meta http-equiv="refresh" content="60; url={href}">'
        return f'<a href="{href}"{rel}>to {href}</a>'


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """What the server answers at a URL, and what that means."""

    code: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/html; charset=utf-8"),)
    delay: float = 0.0  # seconds before the answer
    before: tuple[Resource, ...] = ()  # what the first requests get instead
    title: str = ""
    links: tuple[Link, ...] = ()
    leads_to: str = ""
    noindex: bool = False
    nofollow: bool = False
    unread: str = ""  # why its content is not read


@dataclass(frozen=True, slots=True)
class Rules:
    """The robots.txt of a host, as the model has it."""

    disallow: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    crawl_delay: float = 0.0
    sitemap: str = ""

    def forbid(self, path: str) -> bool:
        longest = max((len(p) for p in self.disallow if path.startswith(p)), default=-1)
        return longest > max((len(p) for p in self.allow if path.startswith(p)), default=-1)

    def body(self) -> bytes:
        lines = ["User-agent: *"]
        lines += [f"Disallow: {path}" for path in self.disallow]
        lines += [f"Allow: {path}" for path in self.allow]
        lines += [f"Crawl-delay: {self.crawl_delay}"] if self.crawl_delay else []
        lines += ["", f"Sitemap: {self.sitemap}"] if self.sitemap else []
        return "\n".join(lines).encode()


@dataclass(frozen=True, slots=True)
class Fate:
    """How a URL must end. The depth of what was never asked for means nothing."""

    state: str
    reason: str
    target: str = ""
    depth: int = -1


@dataclass(slots=True)
class Truth:
    """What a crawl must find."""

    fates: dict[str, Fate] = field(default_factory=dict)
    edges: set[tuple[str, str, bool]] = field(default_factory=set)

    @property
    def asked(self) -> set[str]:
        """The URLs that may be requested."""
        return {url for url, fate in self.fates.items() if fate.depth >= 0}

    @property
    def pages(self) -> set[str]:
        """The URLs that give a page."""
        reasons = ("document", "same-content", "noindex")
        return {url for url, fate in self.fates.items() if fate.reason in reasons}


@dataclass(slots=True)
class Site:
    """All resources of some hosts by URL."""

    origin: str
    resources: dict[str, Resource] = field(default_factory=dict)
    rules: dict[str, Rules] = field(default_factory=dict)  # by authority
    listed: list[str] = field(default_factory=list)  # by the sitemaps
    traps: dict[str, str] = field(default_factory=dict)  # URLs that must be recognised, and as what
    twins: list[frozenset[str]] = field(default_factory=list)  # same bytes

    @property
    def seed(self) -> str:
        return f"{self.origin}/"

    def rule(self, origin: str, rules: Rules) -> None:
        """Give a host its robots.txt."""
        self.rules[_authority(origin)] = rules
        plain = (("Content-Type", "text/plain"),)
        self.resources[f"{origin}/robots.txt"] = Resource(body=rules.body(), headers=plain)

    def walk(
        self, seeds: Sequence[str] = (), *, hosts: Iterable[str] = (), max_depth: int | None = None
    ) -> Truth:
        """The truth by a breadth-first walk; a redirect costs nothing, a link one step."""
        truth = Truth()
        scope = set(hosts) or {_authority(self.origin)}
        queue = [(0, 0, url, False) for url in seeds or [self.seed]]
        queue += [(1, 0, url, False) for url in self.listed]
        ways: set[tuple[str, bool]] = set()
        while queue:
            depth, hops, url, nofollow = heapq.heappop(queue)
            if (url, nofollow) in ways:
                continue
            ways.add((url, nofollow))
            known = truth.fates.get(url)
            if known is not None and known.reason not in ("nofollow", "too-many-redirects"):
                continue
            reason = self._refusal(url, depth, hops, nofollow, scope, max_depth)
            if reason:
                truth.fates.setdefault(url, Fate("excluded", reason))
                continue
            resource = self.resources.get(url, NOT_FOUND)
            truth.fates[url] = self._fate(url, resource, depth)
            for link in self._links(url, resource, truth):
                heapq.heappush(queue, (depth + 1, 0, link[0], link[1]))
            if resource.leads_to and resource.leads_to != url:
                heapq.heappush(queue, (depth, hops + 1, resource.leads_to, False))
        return truth

    def _refusal(
        self,
        url: str,
        depth: int,
        hops: int,
        nofollow: bool,
        scope: set[str],
        max_depth: int | None,
    ) -> str:
        if nofollow:
            return "nofollow"
        if hops > MAX_HOPS:
            return "too-many-redirects"
        if _authority(url) not in scope:
            return "out-of-scope"
        if max_depth is not None and depth > max_depth:
            return "too-deep"
        if url.endswith(".jpg"):
            return "file-type"
        if url in self.traps:
            return self.traps[url]
        rules = self.rules.get(_authority(url), Rules())
        return "robots" if rules.forbid(_path(url)) else ""

    def _fate(self, url: str, resource: Resource, depth: int) -> Fate:
        if resource.leads_to == url or url.endswith("/loop/b"):  # only /loop/a leads there
            return Fate("failed", "redirect-loop", depth=depth)
        if resource.leads_to:
            return Fate("redirected", "redirect", resource.leads_to, depth)
        if resource.code in (301, 302):
            return Fate("failed", "bad-redirect", depth=depth)
        if resource.code in (404, 410):
            return Fate("gone", f"http-{resource.code}", depth=depth)
        if resource.code != 200:
            state = "excluded" if resource.code == 204 else "failed"
            return Fate(state, f"http-{resource.code}", depth=depth)
        if resource.unread:
            return Fate("excluded", resource.unread, depth=depth)
        if resource.noindex:
            return Fate("excluded", "noindex", depth=depth)
        return Fate("parsed", "document", depth=depth)

    def _links(self, url: str, resource: Resource, truth: Truth) -> Iterator[tuple[str, bool]]:
        """One link per target, followed if any of its spellings is."""
        targets: dict[str, bool] = {}
        for link in resource.links:
            if link.target != url:
                nofollow = link.nofollow or resource.nofollow
                targets[link.target] = targets.get(link.target, True) and nofollow
        for target, nofollow in targets.items():
            truth.edges.add((url, target, nofollow))
            yield target, nofollow


NOT_FOUND = Resource(code=404, body=b"<p>not here")


def _authority(url: str) -> str:
    return url.split("/", 3)[2]


def _path(url: str) -> str:
    return "/" + url.split("/", 3)[3]


# --- making a site -----------------------------------------------------------------------------


@dataclass(slots=True)
class Maker:
    """Writes pages whose links are spelt in all the ways that mean the same."""

    site: Site
    chance: random.Random

    def page(self, url: str, targets: Iterable[str | Link], **facts: Any) -> None:
        """Put a page there that links to these URLs."""
        links = tuple(
            target if isinstance(target, Link) else self.spelt(url, target) for target in targets
        )
        title = f"Page {_path(url)} of {_authority(url).partition(':')[0]}"
        self.put(url, Resource(title=title, links=links), **facts)

    def put(self, url: str, resource: Resource, base: str = "", **facts: Any) -> None:
        """Put a resource there, its body made from what it means."""
        resource = replace(resource, **facts)
        self.site.resources[url] = replace(resource, body=resource.body or _html(resource, base))

    def redirect(self, url: str, target: str, code: int = 302, location: str = "") -> None:
        """Let a URL lead to another."""
        headers = (("Location", location or target),)
        self.put(url, Resource(code=code, leads_to=target, headers=headers, body=b"moved"))

    def spelt(self, source: str, target: str, tag: str = "a", rel: str = "") -> Link:
        """A link to `target` as some author may have written it."""
        return Link(target, self._spelling(source, target), tag, rel)

    def _spelling(self, source: str, target: str) -> str:
        if _authority(source) != _authority(target):
            return target
        path = _path(target)
        spell: Callable[[], str] = self.chance.choice(
            (
                lambda: target,
                lambda: path,
                lambda: f"//{_authority(target)}{path}",
                lambda: f"HTTP://{_authority(target).upper()}{path}",
                lambda: f"{path}#part-{self.chance.randrange(9)}",
                lambda: _relative(source, path),
                lambda: _relative(source, path),
                lambda: f"/somewhere/../.{path}",
                lambda: self._escaped(path),
                lambda: _unescaped(path),
                lambda: f"  {path}\n",
                lambda: path + ("&" if "?" in path else "?") + "utm_source=letter",
            )
        )
        return spell()

    def _escaped(self, path: str) -> str:
        places = [
            i for i, c in enumerate(path) if c.isalpha() and "%" not in path[max(0, i - 2) : i]
        ]
        if not places or "?" in path:
            return path
        place = self.chance.choice(places)
        return f"{path[:place]}%{ord(path[place]):02x}{path[place + 1 :]}"


def _relative(source: str, path: str) -> str:
    page, mark, query = path.partition("?")
    folder = posixpath.dirname(_path(source).partition("?")[0])
    relative = posixpath.relpath(page, folder)
    if page.endswith("/"):
        relative += "/"
    if ":" in relative.partition("/")[0]:
        relative = f"./{relative}"
    return relative + mark + query


def _unescaped(path: str) -> str:
    return path if "%25" in path or "%3F" in path or "%23" in path else unquote(path)


def _html(resource: Resource, base: str) -> bytes:
    robots = [n for n in ("noindex", "nofollow") if getattr(resource, n)]
    heads = [f"<title>{html.escape(resource.title)}</title>"] if resource.title else []
    heads += [f'<meta name="robots" content="{", ".join(robots)}">'] if robots else []
    heads += [f'<base href="{base}">'] if base else []
    heads += [link.html() for link in resource.links if link.tag == "refresh"]
    lines = [link.html() for link in resource.links if link.tag != "refresh"]
    words = random.Random(resource.title).choices(WORDS, k=60)
    text = f"<h1>{html.escape(resource.title)}</h1><p>{' '.join(words)}</p>"
    head, body = "".join(heads), text + " ".join(lines)
    return f"<!doctype html><html lang=en><head>{head}</head><body>{body}".encode()


def star(site: Site, origin: str, pages: int, rules: Rules | None = None) -> list[str]:
    """A host whose first page links to all others; returns its URLs."""
    maker = Maker(site, random.Random(origin))
    urls = [f"{origin}/", *(f"{origin}/{number}.html" for number in range(1, pages))]
    for url in urls:
        maker.page(url, urls[1:] if url == urls[0] else urls[:1])
    if rules is not None:
        site.rule(origin, rules)
    return urls


def generate(seed: int, port: int, pages: int = 120, *, second: int = 8) -> Site:
    """A website of about `pages` pages, with everything that can be found on one."""
    site = Site(f"http://{MAIN}:{port}")
    maker = Maker(site, random.Random(seed))
    ordinary = [site.seed, *(_address(site.origin, n, maker.chance) for n in range(1, pages))]
    doors = [*_redirects(maker, ordinary), *_refused(maker), *_oddities(maker), *_twins(maker)]
    doors += [*_traps(maker), *add_shortcuts(maker), *_second_host(maker, port, second)]
    _ordinary(maker, ordinary, doors)
    orphan = f"{site.origin}/orphan.html"
    maker.page(orphan, [ordinary[1]])
    _sitemaps(maker, [orphan, ordinary[2], f"{site.origin}/private/listed"])
    rules = Rules(("/private/",), ("/private/open",), sitemap=f"{site.origin}/sitemap.xml")
    site.rule(site.origin, rules)
    return site


def _address(origin: str, number: int, chance: random.Random) -> str:
    shape = chance.choice(
        (
            "/page-{}.html",
            "/s/page-{}.html",
            "/s/t/page-{}/",
            "/q?id={}",
            "/caf%C3%A9/{}",
            "/a%20b/{}",
        )
    )
    return origin + shape.format(number)


def _ordinary(maker: Maker, ordinary: list[str], doors: list[str | Link]) -> None:
    """Pages in a random tree, so that all are reachable, with more links across it."""
    chance = maker.chance
    targets: dict[str, list[str | Link]] = {url: [] for url in ordinary}
    for number, url in enumerate(ordinary[1:], 1):
        parent = ordinary[chance.randrange(max(0, number - 40), number)]
        tag = chance.choices(("a", "area", "iframe", "refresh"), (12, 2, 1, 1))[0]
        targets[parent].append(maker.spelt(parent, url, tag))
    for url in ordinary:
        targets[url] += chance.choices(ordinary, k=3)
        targets[url].append(Link(url, chance.choice(JUNK)))  # leads nowhere, or to itself
    targets[ordinary[0]] += doors
    for url in chance.choices(ordinary, k=2 * len(doors)):
        door = chance.choice(doors)
        if isinstance(door, str):
            targets[url].append(door)
    for url, links in targets.items():
        maker.page(url, links)


def _redirects(maker: Maker, ordinary: list[str]) -> Iterator[str]:
    at = maker.site.origin
    maker.redirect(f"{at}/moved", ordinary[3], 301, location=_path(ordinary[3]))
    for number in range(8):  # one too many
        maker.redirect(f"{at}/chain/{number}", f"{at}/chain/{number + 1}", location=f"{number + 1}")
    maker.redirect(f"{at}/short/0", f"{at}/short/1", 301)
    maker.redirect(f"{at}/short/1", f"{at}/short/end", 302)
    maker.page(f"{at}/short/end", [f"{at}/short/child"])
    maker.page(f"{at}/short/child", [])
    maker.redirect(f"{at}/loop/a", f"{at}/loop/b")
    maker.redirect(f"{at}/loop/b", f"{at}/loop/a")
    maker.redirect(f"{at}/self", f"{at}/self")
    maker.put(f"{at}/nowhere", Resource(code=302, body=b"moved"))
    maker.redirect(f"{at}/away", f"http://{OUTSIDE}:{at.rpartition(':')[2]}/landing")
    maker.redirect(f"{at}/to-private", f"{at}/private/b")
    for path in ("moved", "chain/0", "short/0", "loop/a", "self", "nowhere", "away", "to-private"):
        yield f"{at}/{path}"


def _refused(maker: Maker) -> Iterator[str | Link]:
    """What is not to be had, or not to be asked for."""
    at = maker.site.origin
    for code in (403, 410, 204):
        maker.put(f"{at}/code/{code}", Resource(code=code, body=b"no" if code != 204 else b""))
        yield f"{at}/code/{code}"
    yield from (f"{at}/missing/{number}" for number in range(3))
    yield from (f"{at}/private/a", f"{at}/private/open", f"{at}/photo.jpg")
    maker.page(f"{at}/private/open", [f"{at}/private/c"])
    binary = (("Content-Type", "application/octet-stream"),)
    maker.put(f"{at}/blob", Resource(body=b"\0" * 100, headers=binary, unread="content-type"))
    yield f"{at}/blob"
    yield f"http://{OUTSIDE}:{at.rpartition(':')[2]}/elsewhere"
    for rel in ("nofollow", "ugc", "sponsored"):
        maker.page(f"{at}/rel/{rel}", [])
        yield maker.spelt(at + "/", f"{at}/rel/{rel}", rel=rel)


def _oddities(maker: Maker) -> Iterator[str]:
    """Pages that say something about themselves or their links."""
    at = maker.site.origin
    for name in ("noindex", "nofollow"):
        maker.page(f"{at}/odd/{name}", [f"{at}/odd/after-{name}"], **{name: True})
        maker.page(f"{at}/odd/after-{name}", [])
    tag = (("Content-Type", "text/html"), ("X-Robots-Tag", "noindex, nofollow"))
    head = Resource(title="by header", links=(Link(f"{at}/odd/after-tag", "after-tag"),))
    maker.put(
        f"{at}/odd/tag",
        replace(head, body=_html(head, "")),
        headers=tag,
        noindex=True,
        nofollow=True,
    )
    plain, said = (("Content-Type", "text/plain"),), "<a href=/ghost>no link</a>"
    maker.put(f"{at}/odd/plain.txt", Resource(body=said.encode(), title=said, headers=plain))
    based = (Link(f"{at}/odd/based/one", "one"), Link(f"{at}/odd/based/two", "./x/../two?"))
    maker.put(f"{at}/odd/base", Resource(title="based", links=based), base="/odd/based/")
    for name in ("one", "two"):
        maker.page(f"{at}/odd/based/{name}", [])
    packed = Resource(title="packed", links=(Link(f"{at}/odd/packed-child", "packed-child"),))
    gzipped = (("Content-Type", "text/html"), ("Content-Encoding", "gzip"))
    maker.put(f"{at}/odd/packed", packed, body=gzip.compress(_html(packed, "")), headers=gzipped)
    maker.page(f"{at}/odd/packed-child", [])
    for name in ("noindex", "nofollow", "tag", "plain.txt", "base", "packed"):
        yield f"{at}/odd/{name}"


def _twins(maker: Maker) -> Iterator[str]:
    """Same bytes at two URLs: in one folder, and in two, where relative links part."""
    at, site = maker.site.origin, maker.site
    links = (Link(f"{at}/twin/child", f"{at}/twin/child"),)
    for name in ("a", "b", "c"):
        maker.put(f"{at}/twin/{name}", Resource(title="twin", links=links))
    site.twins.append(frozenset(f"{at}/twin/{name}" for name in ("a", "b", "c")))
    for folder in ("left", "right"):
        here = (Link(f"{at}/{folder}/kid", "kid"),)
        maker.put(f"{at}/{folder}/twin", Resource(title="far twin", links=here))
        maker.page(f"{at}/{folder}/kid", [])
    site.twins.append(frozenset((f"{at}/left/twin", f"{at}/right/twin")))
    maker.page(f"{at}/twin/child", [])
    yield from (url for group in site.twins for url in sorted(group))


def _traps(maker: Maker) -> Iterator[str]:
    """Parts of the site that go on for ever, and where a crawler must see that they do."""
    at, site = maker.site.origin, maker.site
    site.traps |= {
        f"{at}/shop?PHPSESSID=abc": "session-id",
        f"{at}/calendar/1950/01/": "calendar",
        f"{at}/maze/maze/maze/": "repeated-segments",
        f"{at}/filter?" + "&".join(f"f={n}" for n in range(5)): "query-explosion",
        f"{at}/long?" + "x" * 2100: "too-long",
    }
    for number in range(1, 5):
        here, more = (
            f"{at}/filter?" + "&".join(f"f={n}" for n in range(k)) for k in (number, number + 1)
        )
        maker.page(here, [more])
    maker.page(f"{at}/maze/", [Link(f"{at}/maze/maze/", "maze/")])
    maker.page(f"{at}/maze/maze/", [Link(f"{at}/maze/maze/maze/", "maze/")])
    yield from (f"{at}/shop?PHPSESSID=abc", f"{at}/calendar/1950/01/", f"{at}/maze/")
    yield from (f"{at}/filter?f=0", f"{at}/long?" + "x" * 2100)


def add_shortcuts(maker: Maker, slowness: float = 0.25) -> Iterator[str]:
    """Long ways that are quick and short ways that are slow: what is found first is not nearest.

    The slow page links to a page, a noindex page, a redirect and a twin; each has a child.
    """
    at = f"{maker.site.origin}/way"
    ends = [f"{at}/page", f"{at}/noindex", f"{at}/redirect", f"{at}/near-twin"]
    maker.page(f"{at}/slow", ends, delay=slowness)
    for number in range(1, 4):
        maker.page(f"{at}/long/{number}", [f"{at}/long/{number + 1}"])
    maker.page(f"{at}/long/4", [*ends[:3], f"{at}/far-twin"])
    for name in ("page", "noindex", "target"):
        maker.page(f"{at}/{name}", [f"{at}/{name}/child"], noindex=name == "noindex")
        maker.page(f"{at}/{name}/child", [])
    maker.redirect(f"{at}/redirect", f"{at}/target")
    for name in ("near", "far"):
        links = (Link(f"{at}/twin-child", "twin-child"),)
        maker.put(f"{at}/{name}-twin", Resource(title="way twin", links=links))
    maker.page(f"{at}/twin-child", [])
    maker.site.twins.append(frozenset((f"{at}/near-twin", f"{at}/far-twin")))
    return iter([f"{at}/slow", f"{at}/long/1"])


def _second_host(maker: Maker, port: int, pages: int) -> Iterator[str]:
    """A host that wants to be asked slowly; each links to the other."""
    if not pages:
        return iter(())
    origin = f"http://{SECOND}:{port}"
    urls = star(maker.site, origin, pages, Rules(("/4",), crawl_delay=0.05))
    maker.redirect(f"{maker.site.origin}/over-there", urls[1])
    maker.page(urls[2], [f"{maker.site.origin}/only-from-there"])
    maker.page(f"{maker.site.origin}/only-from-there", [urls[0]])
    return iter([urls[0], f"{maker.site.origin}/over-there"])


def _sitemaps(maker: Maker, listed: list[str]) -> None:
    """A sitemap of sitemaps."""
    at, xml = maker.site.origin, (("Content-Type", "application/xml"),)
    index = f"<sitemapindex><sitemap><loc>{at}/maps/1.xml</loc></sitemap></sitemapindex>"
    urls = "".join(f"<url><loc>{html.escape(url)}</loc></url>" for url in listed)
    maker.put(f"{at}/sitemap.xml", Resource(body=index.encode(), headers=xml))
    maker.put(f"{at}/maps/1.xml", Resource(body=f"<urlset>{urls}</urlset>".encode(), headers=xml))
    maker.site.listed += listed


# --- serving it --------------------------------------------------------------------------------

TIMESTAMPS = 35  # SO_TIMESTAMPNS: the kernel says when bytes arrived, however busy we are


@dataclass(slots=True)
class Asked:
    """One request as the server saw it."""

    at: float  # when its bytes arrived; the first of a connection, when that was opened
    host: str
    path: str
    code: int = 0
    answered_at: float = 0.0  # before its first byte was sent
    ended_at: float = 0.0  # 0 = it was never answered

    @property
    def url(self) -> str:
        return f"http://{self.host}{self.path}"


class Server:
    """A site on loopback: a thread per connection, every request in `log`."""

    def __init__(self, addresses: Sequence[str]) -> None:
        self.site = Site("")
        self.log: list[Asked] = []
        self.latency = 0.0
        self.port = 0
        self._times: Counter[str] = Counter()
        self._most = 0  # requests that are answered unless all may be
        self._may_answer_all = threading.Event()
        self._may_answer_all.set()
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        self._open: set[socket.socket] = set()
        self._listeners = self._listen(addresses)

    def publish(self, site: Site) -> Site:
        """Serve this from now on, and forget what was asked before."""
        self.site = site
        self.forget()
        return site

    def forget(self) -> None:
        """Start a new log."""
        self.log = []
        self._times = Counter()

    def hold(self, after: int) -> None:
        """Answer no request beyond so many until `release`: a crawl cannot end before that."""
        self._most = after
        self._may_answer_all.clear()

    def release(self) -> None:
        """Answer what was held, and all that comes."""
        self._may_answer_all.set()

    def settle(self) -> None:
        """Wait until all that was sent by processes that are gone is in the log.

        Connections are accepted in the order they were made, so behind one of ours none is left.
        """
        for listener in self._listeners:
            with socket.create_connection(listener.getsockname()) as last:
                last.shutdown(socket.SHUT_WR)
                last.recv(1)
        while self._open:
            time.sleep(0.005)

    def origin(self, address: str = MAIN) -> str:
        return f"http://{address}:{self.port}"

    def asked(self) -> list[str]:
        """All URLs in the order they were asked for."""
        return [entry.url for entry in self.log]

    def pages(self) -> list[str]:
        """The URLs of the pages that were sent whole, in order; robots.txt and sitemaps apart."""
        aside = ("/robots.txt", ".xml")
        return [e.url for e in self.log if e.code == 200 and not e.path.endswith(aside)]

    def _listen(self, addresses: Sequence[str]) -> list[socket.socket]:
        for _ in range(20):
            listeners: list[socket.socket] = []
            try:
                for address in addresses:
                    port = listeners[0].getsockname()[1] if listeners else 0
                    listener = socket.create_server((address, port), backlog=256)
                    listeners.append(listener)
            except OSError:  # the port is taken on one of the others
                for listener in listeners:
                    listener.close()
                continue
            self.port = listeners[0].getsockname()[1]
            return listeners
        raise OSError("no port is free on all addresses")

    def start(self) -> None:
        for listener in self._listeners:
            with contextlib.suppress(OSError):
                listener.setsockopt(socket.SOL_SOCKET, TIMESTAMPS, 1)
            self._spawn(self._accept, listener)

    def close(self) -> None:
        self._stopping.set()
        self.release()
        for listener in self._listeners:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
        for wire in list(self._open):
            with contextlib.suppress(OSError):
                wire.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(5)

    def _spawn(self, work: Callable[[socket.socket], None], wire: socket.socket) -> None:
        thread = threading.Thread(target=work, args=(wire,), daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self, listener: socket.socket) -> None:
        with listener:
            while not self._stopping.is_set():
                try:
                    wire, _ = listener.accept()
                except OSError:
                    return
                wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._open.add(wire)
                self._spawn(self._serve, wire)

    def _serve(self, wire: socket.socket) -> None:
        with wire, contextlib.suppress(OSError):
            buffer, opened_at = b"", time.time()
            while not self._stopping.is_set():
                received, at = _receive(wire)
                if not received or received[0] == TLS_HELLO:
                    break
                at, opened_at = min(at, opened_at), at + 3600  # later ones count by themselves
                buffer += received
                while b"\r\n\r\n" in buffer:
                    head, _, buffer = buffer.partition(b"\r\n\r\n")
                    self._answer(wire, head.decode("latin-1"), at)
        self._open.discard(wire)

    def _answer(self, wire: socket.socket, head: str, at: float) -> None:
        first, *lines = head.split("\r\n")
        headers = {
            name.lower(): value.strip() for name, _, value in (x.partition(":") for x in lines)
        }
        entry = Asked(at, headers.get("host", ""), first.split(" ")[1])
        self.log.append(entry)
        resource = self._resource(entry.url)
        if len(self.log) > self._most:
            self._may_answer_all.wait()
        if resource.delay or self.latency:
            self._stopping.wait(max(resource.delay, self.latency))
        phrase = PHRASES.get(resource.code, "Whatever")
        answer = [f"HTTP/1.1 {resource.code} {phrase}"]
        answer += [f"{name}: {value}" for name, value in resource.headers]
        answer += [f"Content-Length: {len(resource.body)}"] if resource.code != 204 else []
        entry.code, entry.answered_at = resource.code, time.time()
        wire.sendall("\r\n".join([*answer, "", ""]).encode("latin-1") + resource.body)
        entry.ended_at = time.time()

    def _resource(self, url: str) -> Resource:
        resource = self.site.resources.get(url, NOT_FOUND)
        if resource.before:
            time_before = self._times[url]
            self._times[url] += 1
            if time_before < len(resource.before):
                return resource.before[time_before]
        return resource


def _receive(wire: socket.socket) -> tuple[bytes, float]:
    """Some bytes, and when they arrived."""
    received, ancillary, _, _ = wire.recvmsg(65536, 256)
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, TIMESTAMPS):
            seconds, nanoseconds = struct.unpack("ll", data)
            return received, seconds + nanoseconds / 1e9
    return received, time.time()


@contextlib.contextmanager
def serve(addresses: Sequence[str] = ("127.0.0.1", SECOND, OUTSIDE)) -> Iterator[Server]:
    """Serve in background threads for as long as the `with` block lasts."""
    server = Server(addresses)
    server.start()
    try:
        yield server
    finally:
        server.close()


def main() -> None:
    """Serve a generated site until Ctrl-C."""
    with serve() as server, contextlib.suppress(KeyboardInterrupt):
        site = server.publish(generate(1, server.port))
        print(f"{site.seed}: {len(site.walk().pages)} pages (Ctrl-C stops it)", flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
