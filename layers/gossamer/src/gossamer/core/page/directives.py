"""Robots directives of a page: noindex, nofollow and their like.

Both ways of saying it, the header `X-Robots-Tag` and `<meta name="robots">`, share one language.
Rules addressed to our name count beside those addressed to everyone: what either forbids is
forbidden.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gossamer.core.page.dates import moment_of

if TYPE_CHECKING:
    from collections.abc import Iterable

AGENT = "gossamer"
EVERYONE = "*"

# Rules that carry a value look like an agent's name before a colon.
_VALUED = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
_UNAVAILABLE: Final = "unavailable_after="
# A date has commas and spaces of its own, which do not end the rule: it is taken out before.
_find_last_days = re.compile(
    r"unavailable_after\s*+[:=]?\s*+"
    r"(\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|\s?[+-]\d\d:?\d\d)?)?"
    r"|(?:[a-z]{3,9},?\s+)?\d{1,2}[\s-][a-z]{3,9}[\s-]\d{2,4}"
    r"(?:\s+\d\d:\d\d(?::\d\d)?(?:\s*(?:[+-]\d{4}|[a-z]{1,5}\b))?)?)",
    re.IGNORECASE,
).sub
_split = re.compile(r"[,;]").split
_read_addressed = re.compile(r"\s*([A-Za-z][\w.-]*)\s*:(.*)", re.DOTALL).fullmatch
_read_product = re.compile(r"[A-Za-z_-]+").match


@dataclass(frozen=True, slots=True)
class Directives:
    """What is forbidden; everything else is allowed."""

    noindex: bool = False
    nofollow: bool = False
    noarchive: bool = False  # no copy may be shown
    unavailable_after: float = 0.0  # when it must be found no more; 0 is never
    noimageindex: bool = False  # its pictures are not to be found

    def __or__(self, other: Directives) -> Directives:
        """What either forbids."""
        ends = [end for end in (self.unavailable_after, other.unavailable_after) if end]
        return Directives(
            self.noindex or other.noindex,
            self.nofollow or other.nofollow,
            self.noarchive or other.noarchive,
            min(ends, default=0.0),
            self.noimageindex or other.noimageindex,
        )


def product_token(agent: str) -> str:
    """The name that robots rules are addressed to: "Gossamer/0.1 (+https://…)" is "gossamer"."""
    found = _read_product(agent.strip())
    return found[0].lower() if found else ""


def header_directives(values: Iterable[str], agent: str = AGENT) -> Directives:
    """What the values of all X-Robots-Tag headers of a response say to `agent`."""
    said: dict[str, set[str]] = {}
    for value in values:
        addressee = EVERYONE
        for part in _split(_with_moments(value)):
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
        rules = re.sub(r"[,;]", " ", _with_moments(content)).lower().split()
        said.setdefault(addressee, set()).update(rules)
    return _choose(said, product_token(agent))


def _with_moments(text: str) -> str:
    """Rules with the dates in them as seconds."""
    return _find_last_days(lambda found: f"{_UNAVAILABLE}{_moment(found[1]) or ''}", text)


def _moment(date: str) -> float | None:
    return moment_of(date) or moment_of(f"{date} 00:00:00")


def _choose(said: dict[str, set[str]], agent: str) -> Directives:
    rules = said.get(agent, set()) | said.get(EVERYONE, set())
    starts = len(_UNAVAILABLE)
    ends = [rule[starts:] for rule in rules if rule.startswith(_UNAVAILABLE)]
    return Directives(
        noindex=not rules.isdisjoint({"noindex", "none"}),
        nofollow=not rules.isdisjoint({"nofollow", "none"}),
        noarchive=not rules.isdisjoint({"noarchive", "nocache"}),
        noimageindex="noimageindex" in rules,
        unavailable_after=min((float(end) for end in ends if _is_number(end)), default=0.0),
    )


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal() and text.isascii()
