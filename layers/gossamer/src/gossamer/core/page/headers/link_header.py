"""Links in the header of a response (RFC 8288): a canonical address, and other languages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_LINKS: Final = 100  # of one response
_find_links = re.compile(
    r"<([^<>]{0,8192}+)>((?:\s*+;\s*+[^\s=;,<\"]++(?:\s*+=\s*+(?:\"[^\"]*+\"|[^\s;,\"<]*+))?+)*+)"
).finditer
_find_parameters = re.compile(
    r";\s*+([^\s=;,]++)(?:\s*+=\s*+(?:\"([^\"]*+)\"|([^\s;,]*+)))?+"
).findall


class HeaderLink(NamedTuple):
    """A link, what it is, and the language of its target."""

    href: str
    rel: frozenset[str]
    hreflang: str


def header_links(values: Iterable[str]) -> Iterator[HeaderLink]:
    """The links in all Link headers of a response."""
    count = 0
    for value in values:
        for found in _find_links(value):
            count += 1
            if count > MAX_LINKS:
                return
            said: dict[str, str] = {}
            for name, quoted, plain in _find_parameters(found[2]):
                said.setdefault(name.lower(), quoted or plain)  # the first counts
            if "anchor" not in said:  # else it is about another page
                rel = frozenset(said.get("rel", "").lower().split())
                yield HeaderLink(found[1].strip(), rel, said.get("hreflang", "").lower())
