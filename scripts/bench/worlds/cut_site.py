"""The first pages of a site, as a site of its own: links to its other pages are taken out.

A crawl of it ends when it has every page that it has found, as a long crawl does; one that stops at
a number of pages would have paid for many URLs that it never asks for.
"""

import re
from collections import deque
from pathlib import Path
from urllib.parse import unquote

from scripts.bench.worlds.reachable_pages import ORIGIN, START, LinkParser
from scripts.bench.worlds.site_urls import link_target

HREF = re.compile(rb"""\b(?:href|src)=(["'])(.*?)\1""", re.DOTALL)


class CutSite:
    """Files below a folder, as far as the first `pages` pages go; 0 for all."""

    def __init__(self, root: Path, pages: int) -> None:
        self._root = root
        self._kept = self._walk(pages) if pages else None

    def read(self, path: str) -> tuple[str, bytes] | None:
        """The name of the file at a path and what is in it, if there is one."""
        file = self._file(path)
        if not (file.is_file() and file.resolve().is_relative_to(self._root)):
            return None
        body = file.read_bytes()
        if self._kept is not None and file.suffix == ".html":
            body = HREF.sub(lambda link: self._cut(path, link), body)
        return file.name, body

    def _file(self, path: str) -> Path:
        file = self._root / unquote(path).lstrip("/")
        return file / "index.html" if file.is_dir() else file

    def _cut(self, path: str, link: re.Match[bytes]) -> bytes:
        target = link_target(path, link[2].decode(errors="replace"), ORIGIN)
        return link[0] if self._kept is None or target in self._kept else b""

    def _walk(self, pages: int) -> set[str]:
        """The paths of the first pages, breadth first."""
        kept, waiting = {START}, deque([START])
        while waiting and len(kept) < pages:
            page = waiting.popleft()
            for reference in self._references(page):
                target = link_target(page, reference, ORIGIN)
                if target and target not in kept and self._is_page(target) and len(kept) < pages:
                    kept.add(target)
                    waiting.append(target)
        return kept

    def _is_page(self, path: str) -> bool:
        file = self._root / unquote(path).lstrip("/")
        return file.suffix == ".html" and file.is_file()

    def _references(self, page: str) -> list[str]:
        parser = LinkParser()
        parser.feed(self._file(page).read_text(errors="replace"))
        return parser.references
