"""A pattern for the URLs of pages that are made alike."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from gossamer.core.page.templates.matching import matches

if TYPE_CHECKING:
    from collections.abc import Sequence

# A last segment that numbers or describes one page: 1234, a-b-c.html, a.html
_last_number = re.compile(r"(\w+://[^/]+/.*?)(\d+)(\D*)").fullmatch
_names_one = re.compile(r".*\d|.*[-_.].*").fullmatch


def patterns_of(urls: Sequence[str]) -> list[str]:
    """One pattern for the URLs of each host; `*` stands where they differ."""
    by_host: dict[str, list[str]] = {}
    for url in urls:
        parts = urlsplit(url)
        host = f"{parts.scheme}://{parts.netloc}"
        by_host.setdefault(host, []).append(parts.path or "/")
    return [host + _path_pattern(paths) for host, paths in by_host.items()]


def patterns_of_list(url: str, following: Sequence[str], items: Sequence[str]) -> list[str]:
    """Patterns for the pages of a list that are none for its items' own pages.

    Those would have nothing that the list's template selects, and would not be documents any more.
    """
    wide = patterns_of([url])
    if not _take(wide, items):
        return wide
    numbered = list(dict.fromkeys([url, *map(_numbered, following)]))
    return numbered if not _take(numbered[1:], items) else list(dict.fromkeys([url, *following]))


def _take(patterns: Sequence[str], urls: Sequence[str]) -> bool:
    return any(matches(pattern, url) for pattern in patterns for url in urls)


def _numbered(url: str) -> str:
    """A URL with any number in place of its last one: https://a.test/?page=*"""
    found = _last_number(url)
    return f"{found[1]}*{found[3]}" if found else url


def _path_pattern(paths: Sequence[str]) -> str:
    split = [path.split("/") for path in dict.fromkeys(paths)]
    if len(split) == 1:
        return _of_one(split[0])
    if len({len(segments) for segments in split}) > 1:
        return "/".join(_shared_head(split)) + "/*"
    columns = [_segment(set(column)) for column in zip(*split, strict=True)]
    last = columns[-1]
    return "/".join([*columns[:-1], last if "*" in last else f"{last}*"])


def _of_one(segments: list[str]) -> str:
    last = segments[-1]
    return "/".join([*segments[:-1], "*" if _names_one(last) else f"{last}*"])


def _shared_head(split: Sequence[list[str]]) -> list[str]:
    head = []
    for column in zip(*split, strict=False):
        if len(set(column)) > 1:
            break
        head.append(column[0])
    return head


def _segment(texts: set[str]) -> str:
    """Of one text itself; of several what all begin with, up to a mark between words."""
    if len(texts) == 1:
        return texts.pop()
    endings = {text.rpartition(".")[2] if "." in text else "" for text in texts}
    ending = f".{endings.pop()}" if len(endings) == 1 and "" not in endings else ""
    return f"*{ending}"
