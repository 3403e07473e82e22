"""A pattern for the URLs of pages that are made alike."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Sequence

# A last segment that numbers or describes one page: 1234, a-b-c.html, a.html
_names_one = re.compile(r".*\d|.*[-_.].*").fullmatch


def patterns_of(urls: Sequence[str]) -> list[str]:
    """One pattern for the URLs of each host; `*` stands where they differ."""
    by_host: dict[str, list[str]] = {}
    for url in urls:
        parts = urlsplit(url)
        host = f"{parts.scheme}://{parts.netloc}"
        by_host.setdefault(host, []).append(parts.path or "/")
    return [host + _path_pattern(paths) for host, paths in by_host.items()]


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
