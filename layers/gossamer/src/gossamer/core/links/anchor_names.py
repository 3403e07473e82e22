"""What do other pages call a page? Of the words of all links to it, those that say something.

What another host says counts always. Inside of a host most links are navigation: the same words on
page after page, those that more than a fifth of the host's pages say, and at least five. They are
one voice, however many pages repeat it, and count once. Words like "next" say where a page lies and
not what it is; inside of a host they never count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

NAVIGATION_SHARE: Final = 0.2
NAVIGATION_PAGES: Final = 5
MOST_NAMES: Final = 40
MOST_BYTES: Final = 2048  # of different names, in UTF-8
MOST_TIMES: Final = 16  # that a name is repeated
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
    """What a page of a host with `size` pages is called, the usual names first.

    A link is the host of its page, its page, and its words; those of one page come together. A name
    is repeated as often as pages say it, within limits.
    """
    said, spellings = _said(links)
    times: dict[str, int] = {}
    for (by, name), pages in said.items():
        voices = pages if by != host else _voices(name, pages, size)
        if voices:
            times[name] = times.get(name, 0) + voices
    usual = sorted(times, key=lambda name: (-min(times[name], MOST_TIMES), name))
    names: list[str] = []
    room = MOST_BYTES
    for name in usual[:MOST_NAMES]:
        room -= len(name.encode("utf-8", "replace"))
        if room < 0:
            break
        names += [spellings[name]] * min(times[name], MOST_TIMES)
    return names


def _said(
    links: Iterable[tuple[int, int, str]],
) -> tuple[dict[tuple[int, str], int], dict[str, str]]:
    """How many pages of each host say a name, and how it is written.

    Of several ways to write it always the same is chosen: otherwise a page would be indexed again
    because its links were read in another order.
    """
    said: dict[tuple[int, str], int] = {}
    latest: dict[tuple[int, str], int] = {}
    spellings: dict[str, str] = {}
    for host, page, words in links:
        name = words.casefold()
        if not name:
            continue
        spellings[name] = min(words, spellings.get(name, words))
        key = host, name
        if latest.get(key) != page:
            latest[key] = page
            said[key] = said.get(key, 0) + 1
    return said, spellings


def _voices(name: str, pages: int, size: int) -> int:
    """How often a name counts that so many pages of the page's own host say."""
    if name in EMPTY_WORDS or not any(sign.isalnum() for sign in name):
        return 0
    is_navigation = pages >= NAVIGATION_PAGES and pages > NAVIGATION_SHARE * size
    return 1 if is_navigation else pages
