"""Documents that are well-formed responses, and hostile to their readers."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.hostile.wire import MEGABYTE, leads_to, sends

if TYPE_CHECKING:
    from tests.hostile.wire import Behaviour, Wire

MANY = 100_000
WORDS = "some words of a page "
FONTS = "".join(f"<font a{number}>" for number in range(3000))
# All of these are read to the end: each holds a link, to "/behind" itself.
PAGES: dict[str, str] = {
    "/nested": "<div>" * MANY,
    "/nested-and-closed": "<div>" * MANY + "</div>" * MANY,
    "/nested-tables": "<table><tr><td>" * MANY,
    "/formats": "<p>" + FONTS + "<p>x" * 3000,
    "/megabyte-attribute": f'<img alt="{"x" * 4 * MEGABYTE}">',
    "/megabyte-link": f'<a href="/{"x" * 4 * MEGABYTE}">',
    "/crowded-tag": "<i " + " ".join(f"a{number}" for number in range(MANY)) + ">",
    "/crowded-tag-in-quotes": "<i " + " ".join(f'a{number}=">"' for number in range(MANY)) + ">",
    "/elements": "<p a>" * 1_900_000,
    "/paragraphs": f"<p>{WORDS}</p>" * MANY,
    "/links": "".join(f'<a href="/m/{number}">{number}</a>' for number in range(MANY)),
    "/nuls": "\0" * MEGABYTE + '<a href="/\0nul\0">nul\0</a><\0p>',
    "/entities": "&amp;&#0;&#x110000;&notit;&" * MANY,
    "/open-comments": "<!--" * MANY,
    "/open-scripts": "<script><!--<script>" * MANY,
    "/brackets": "<" * MEGABYTE,
}


@dataclass(frozen=True)
class Lie:
    """A page in another encoding than it says."""

    kind: str  # its Content-Type
    body: bytes


LIES = {
    "/latin-as-utf-8": Lie("text/html; charset=utf-8", "<title>café</title>".encode("latin-1")),
    "/ascii-as-utf-16": Lie("text/html; charset=utf-16", b"<title>plain</title> odd"),
    "/utf-16-as-latin": Lie("text/html; charset=latin1", "<title>wide</title>".encode("utf-16-le")),
    "/klingon": Lie("text/html; charset=x-klingon", b"<title>Qapla'</title>\xff\xfe\x80"),
    "/utf-7": Lie("text/html; charset=utf-7", b"+ADw-title+AD4-seven+ADw-/title+AD4-"),
    "/wrong-mark": Lie("text/html", b"\xff\xfe<title>marked</title>x"),
    "/picture": Lie("text/html", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 100),
    "/endless-charset": Lie("text/html; charset=" + "x" * 8000, b"<title>long</title>"),
}

ENTITIES = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
LAUGHS = f'<!DOCTYPE u [<!ENTITY e0 "http://a.test/">{ENTITIES}]><urlset><url><loc>&e9;</loc></url>'
SECRETS = '<!DOCTYPE u [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset><url><loc>/&x;</loc></url>'
SITEMAPS: dict[str, bytes] = {
    "/laughs.xml": LAUGHS.encode(),
    "/secrets.xml": SECRETS.encode(),
    "/nested.xml": b"<urlset>" + b"<url>" * 1_000_000,
    "/attributes.xml": b"<urlset "
    + b" ".join(b'a%d=""' % number for number in range(MANY))
    + b"></urlset>",
    "/bomb.xml.gz": gzip.compress(b"<urlset>" + b" " * 100 * MEGABYTE),
    "/itself.xml": b"<sitemapindex><sitemap><loc>/itself.xml</loc></sitemap></sitemapindex>",
    "/nuls.xml": b"<urlset>" + bytes(MEGABYTE),
    "/good.xml": b"<urlset><url><loc>/from-sitemap</loc></url></urlset>",
}


def documents() -> dict[str, Behaviour]:
    """Behaviours by path: all pages, all lies, and what the pages link to."""
    pages = {path: sends(_page(path, content).encode()) for path, content in PAGES.items()}
    behind = {f"/behind{path}": sends(f"<title>{path}</title>behind".encode()) for path in PAGES}
    lies = {path: sends(lie.body, kind=lie.kind) for path, lie in LIES.items()}
    return pages | behind | lies


def _page(path: str, content: str) -> str:
    return f'<title>{path}</title><a href="/behind{path}">behind</a>{content}'


def sitemaps(host: str, port: int) -> dict[str, Behaviour]:
    """A host whose robots.txt names hostile sitemaps, and one good one at the end."""
    names = "".join(f"Sitemap: http://{host}:{port}{path}\n" for path in SITEMAPS)
    maps = {host + path: sends(body, kind="application/xml") for path, body in SITEMAPS.items()}
    return maps | {
        f"{host}/bomb.xml.gz": sends(SITEMAPS["/bomb.xml.gz"], kind="application/gzip"),
        f"{host}/robots.txt": sends(names.encode(), kind="text/plain"),
        f"{host}/from-sitemap": sends(b"<title>from the sitemap</title>"),
    }


async def huge_robots(wire: Wire) -> None:
    """A rule, a hundred megabytes of nothing, and a rule that comes too late."""
    length = 100 * MEGABYTE
    await wire.head("Content-Type: text/plain", f"Content-Length: {length + 100}")
    await wire.send(b"User-agent: *\nDisallow: /secret\n")
    for _ in range(100):
        await wire.send((b"#" * 99 + b"\n") * (MEGABYTE // 100))
    await wire.send(b"\nDisallow: /\n")


ROBOTS: dict[str, Behaviour] = {
    "huge": huge_robots,
    "bomb": sends(gzip.compress(bytes(32 * MEGABYTE)), "Content-Encoding: gzip", kind="text/plain"),
    "elsewhere": leads_to("http://169.254.169.254/robots.txt"),
    "binary": sends(bytes(range(256)) * 2000, kind="text/plain"),
    "wildcards": sends(
        b"User-agent: *\n"
        + b"Disallow: /"
        + b"*a" * 2000
        + b"$\n"
        + b"Disallow: /*x*y*z$\n" * 9000,
        kind="text/plain",
    ),
}
