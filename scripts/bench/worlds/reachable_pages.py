"""The pages and links that a site has, found without Gossamer.

A breadth-first walk over the files on disk with the standard library's HTML parser. It shares no
code with Gossamer, because Gossamer's crawl is compared with it. A link is the `href` of an `a` or
`area`, or the `src` of an `iframe` or `frame`; fragments are dropped.
"""

import hashlib
from collections import deque
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from scripts.bench.worlds.site_urls import link_target

LINKS = {"a": "href", "area": "href", "iframe": "src", "frame": "src"}
ORIGIN = "http://site.test"
START = "/"

Edge = tuple[str, str]


@dataclass(slots=True)
class Reachable:
    """What a crawl from `/` must find: pages with their MD5, and edges between pages."""

    pages: dict[str, str] = field(default_factory=dict)
    edges: set[Edge] = field(default_factory=set)
    others: set[str] = field(default_factory=set)  # linked, but broken, moved or not HTML

    @property
    def distinct(self) -> int:
        """How many different bodies the pages have."""
        return len(set(self.pages.values()))

    @property
    def representatives(self) -> dict[str, str]:
        """Each page → the first page with the same body."""
        first: dict[str, str] = {}
        return {page: first.setdefault(print_, page) for page, print_ in self.pages.items()}


class LinkParser(HTMLParser):
    """Collects the references of one page, in order, and its base."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.references: list[str] = []
        self.base: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the reference if the tag is a link."""
        if tag == "base" and self.base is None:
            self.base = dict(attrs).get("href")
        reference = dict(attrs).get(LINKS[tag]) if tag in LINKS else None
        if reference is not None:
            self.references.append(reference)


def walk(root: Path) -> Reachable:
    """Everything reachable from the site's first page."""
    found = Reachable()
    known, queue = {START}, deque([START])
    while queue:
        page = queue.popleft()
        following = _visit(root, page, found)
        queue.extend(new for new in following if new not in known)
        known.update(following)
    found.edges = {(source, end) for source, end in found.edges if end in found.pages}
    return found


def _visit(root: Path, page: str, found: Reachable) -> list[str]:
    """Record what is at a path; return where it leads to, each target once."""
    file = _file(root, page)
    if file.is_dir():
        found.others.add(page)  # nginx redirects to the path with a slash
        return [f"{page}/"]
    if not file.is_file() or file.suffix not in {".html", ".htm"}:
        found.others.add(page)
        return []
    body = file.read_bytes()
    found.pages[page] = hashlib.md5(body, usedforsecurity=False).hexdigest()
    ends = _targets(page, body)
    found.edges.update((page, end) for end in ends)
    return ends


def _file(root: Path, page: str) -> Path:
    """The file that nginx sends for this path."""
    path = unquote(urlsplit(page).path)
    return root / f"{path}index.html".lstrip("/") if path.endswith("/") else root / path.lstrip("/")


def _targets(page: str, body: bytes) -> list[str]:
    parser = LinkParser()
    parser.feed(body.decode("utf-8", "replace"))
    parser.close()
    base = page
    if parser.base and (moved := link_target(page, parser.base, ORIGIN)):
        base = moved
    ends = (link_target(base, reference, ORIGIN) for reference in parser.references)
    return list(dict.fromkeys(end for end in ends if end is not None))
