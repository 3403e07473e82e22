"""Robots directives of a page: noindex, nofollow and their like.

Both ways of saying it, the header `X-Robots-Tag` and `<meta name="robots">`, share one language.
Rules addressed to our name replace those addressed to everyone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

AGENT = "gossamer"
EVERYONE = "*"

# Rules that carry a value look like an agent's name before a colon.
_VALUED = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
_read_addressed = re.compile(r"\s*([A-Za-z][\w.-]*)\s*:(.*)", re.DOTALL).fullmatch
_read_product = re.compile(r"[A-Za-z_-]+").match


@dataclass(frozen=True, slots=True)
class Directives:
    """What is forbidden; everything else is allowed."""

    noindex: bool = False
    nofollow: bool = False
    noarchive: bool = False  # no copy may be shown


def product_token(agent: str) -> str:
    """The name that robots rules are addressed to: "Gossamer/0.1 (+https://…)" is "gossamer"."""
    found = _read_product(agent.strip())
    return found[0].lower() if found else ""


def header_directives(values: Iterable[str], agent: str = AGENT) -> Directives:
    """What the values of all X-Robots-Tag headers of a response say to `agent`."""
    said: dict[str, set[str]] = {}
    for value in values:
        addressee = EVERYONE
        for part in value.split(","):
            addressed = _read_addressed(part)
            if addressed and addressed[1].lower() not in _VALUED:
                addressee, part = addressed[1].lower(), addressed[2]
            said.setdefault(addressee, set()).add(part.strip().lower())
    return _choose(said, product_token(agent))


def meta_directives(metas: Iterable[tuple[str, str]], agent: str = AGENT) -> Directives:
    """What the (name, content) pairs of a page's meta elements say to `agent`."""
    said: dict[str, set[str]] = {}
    for name, content in metas:
        name = name.strip().lower()
        addressee = EVERYONE if name == "robots" else name
        said.setdefault(addressee, set()).update(content.lower().replace(",", " ").split())
    return _choose(said, product_token(agent))


def _choose(said: dict[str, set[str]], agent: str) -> Directives:
    rules = said.get(agent) or said.get(EVERYONE, set())
    return Directives(
        noindex=not rules.isdisjoint({"noindex", "none"}),
        nofollow=not rules.isdisjoint({"nofollow", "none"}),
        noarchive=not rules.isdisjoint({"noarchive", "nocache"}),
    )
