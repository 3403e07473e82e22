"""Choose the names of a page from the anchor texts of all links to it.

Anchor texts of other hosts always count. Within a host most links are navigation: a text that more
than a fifth of the host's pages use, and at least five of them. Such a text counts once, however
many pages repeat it. Words like "next" say where a page lies, not what it is: within a host they
never count.

A single word that only one page uses does not count either: one stray link made a page the first
result for that word. The others are repeated by the share of the links that use them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

NAVIGATION_SHARE: Final = 0.2
NAVIGATION_PAGES: Final = 5
MOST_NAMES: Final = 40
MOST_BYTES: Final = 2048  # of different names, in UTF-8
MOST_TIMES: Final = 16  # repetitions of one name, of a name that all links use
MIN_SOURCES: Final = 2  # pages that use a single word as a name
EMPTY_WORDS: Final = frozenset(
    {
        *("back", "click", "click here", "continue", "continue reading", "contents", "details"),
        *("download", "first", "here", "home", "home page", "homepage", "index", "last", "link"),
        *("learn more", "main page", "more", "more info", "next", "next page", "page", "permalink"),
        *("prev", "previous", "previous page", "read more", "see more", "source", "this"),
        *("this page", "top", "up", "view", "website", "accueil", "hier", "ici", "mehr"),
        *("startseite", "suivant", "weiter", "weiterlesen", "zurück"),
    }
)


def names_of(links: Iterable[tuple[int, int, str]], host: int, size: int) -> list[str]:
    """Return the names of a page whose host has `size` pages, the most frequent first.

    A link is (host of the source, source, anchor text); links of one source come together. A name
    is repeated 16 x sqrt(its share of the links) times, at most once per page that uses it.
    """
    counts, spellings = _count_pages(links)
    times: dict[str, int] = {}
    sources: dict[str, int] = {}
    for (source_host, name), pages in counts.items():
        counted = pages if source_host != host else _times_within_host(name, pages, size)
        if counted:
            times[name] = times.get(name, 0) + counted
            sources[name] = sources.get(name, 0) + pages
    times = _weigh(times, sources)
    frequent = sorted(times, key=lambda name: (-times[name], name))
    names: list[str] = []
    room = MOST_BYTES
    for name in frequent[:MOST_NAMES]:
        room -= len(name.encode("utf-8", "replace"))
        if room < 0:
            break
        names += [spellings[name]] * times[name]
    return names


def _weigh(times: dict[str, int], sources: dict[str, int]) -> dict[str, int]:
    """Return how often each name is repeated, by its share of all links."""
    total = sum(times.values())
    return {
        name: min(count, max(1, round(MOST_TIMES * math.sqrt(count / total))))
        for name, count in times.items()
        if sources[name] >= MIN_SOURCES or len(name.split()) > 1
    }


def _count_pages(
    links: Iterable[tuple[int, int, str]],
) -> tuple[dict[tuple[int, str], int], dict[str, str]]:
    """How many pages of each host use a name, and one spelling of each name.

    The choice of the spelling does not depend on the order of the links: otherwise a page would be
    indexed again only because its links were read in another order.
    """
    counts: dict[tuple[int, str], int] = {}
    latest: dict[tuple[int, str], int] = {}
    spellings: dict[str, str] = {}
    for host, page, words in links:
        name = words.casefold()
        if not name:
            continue
        known = spellings.get(name)
        if known is None or words < known:
            spellings[name] = words
        key = host, name
        if latest.get(key) != page:
            latest[key] = page
            counts[key] = counts.get(key, 0) + 1
    return counts, spellings


def _times_within_host(name: str, pages: int, size: int) -> int:
    """How often a name counts that `pages` pages of the page's own host use."""
    if name in EMPTY_WORDS or not any(character.isalnum() for character in name):
        return 0
    is_navigation = pages >= NAVIGATION_PAGES and pages > NAVIGATION_SHARE * size
    return 1 if is_navigation else pages
