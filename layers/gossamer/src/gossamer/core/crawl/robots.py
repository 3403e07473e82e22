"""The rules of robots.txt (RFC 9309).

Protego matches paths. Which lines are rules and whose they are is decided here, because Protego
lets the group "goss" speak for "gossamer", misses "Gossamer/0.1" and splits groups at other lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from protego import Protego

from gossamer.core.page.directives import EVERYONE, product_token

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_ROBOTS_BYTES = 512 * 1024  # RFC 9309, section 2.5: at least 500 KiB
MAX_ROBOTS_REDIRECTS = 5  # RFC 9309, section 2.3.1.2

# Spellings as tolerated by Google's parser and by Protego.
_read_line = re.compile(
    r"\s*(?:(?P<agent>user[- ]?agent)|(?P<allow>allow)|(?P<disallow>dis?s?al+[ao]w|diasllow)"
    r"|(?P<sitemap>site-?maps?)|(?P<delay>crawl[- ]delay)|(?P<rate>request[- ]rate))"
    r"(?:\s*:|\s)\s*(?P<value>.*)",
    re.IGNORECASE,
).match
_FIELDS = {
    "agent": "User-agent",
    "allow": "Allow",
    "disallow": "Disallow",
    "sitemap": "Sitemap",
    "delay": "Crawl-delay",
    "rate": "Request-rate",
}
# str.splitlines, which Protego uses, breaks lines at these too; RFC 9309 does not.
_NO_BREAKS = str.maketrans(dict.fromkeys("\v\f\x1c\x1d\x1e\x85\u2028\u2029", " "))


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """A parsed robots.txt."""

    matcher: Protego
    agents: frozenset[str]

    def addressee(self, agent: str) -> str:
        """Whose group `agent` has to obey: its own, else everyone's."""
        token = product_token(agent)
        return token if token in self.agents else EVERYONE


@dataclass(frozen=True, slots=True)
class Robots:
    """The rules of one host, as they are stored."""

    code: int = 200
    text: str = ""
    unavailable: bool = False  # nothing may be asked until the rules can be read

    def allows(self, url: str, agent: str) -> bool:
        """Whether `agent` may ask for a normalised URL of this host."""
        if self.unavailable:
            return _is_robots_txt(url)
        if not self.text:
            return True
        rules = _rules(self.text)
        return bool(rules.matcher.can_fetch(url, rules.addressee(agent)))

    def crawl_delay(self, agent: str) -> float | None:
        """Seconds that the host wants between two requests; None if it does not say."""
        if not self.text:
            return None
        rules = _rules(self.text)
        addressee = rules.addressee(agent)
        delay: float | None = rules.matcher.crawl_delay(addressee)
        rate = rules.matcher.request_rate(addressee)
        if rate is None:
            return delay
        return max(delay or 0.0, rate.seconds / rate.requests)

    def sitemaps(self) -> list[str]:
        """The sitemaps that the host names, as written."""
        return list(dict.fromkeys(_rules(self.text).matcher.sitemaps)) if self.text else []


def parse_robots(body: bytes, code: int) -> Robots:
    """The rules that a response to the request for /robots.txt stands for; code 0 = none came."""
    if 200 <= code < 300:
        return Robots(code=code, text=_decode(body))
    return Robots(code=code, unavailable=code == 0 or code >= 500)


def _decode(body: bytes) -> str:
    if len(body) > MAX_ROBOTS_BYTES:
        # Half a rule may forbid more, or less, than the whole one.
        body = body[: MAX_ROBOTS_BYTES + 1]
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r"), 0)]
    return body.decode("utf-8", "replace").removeprefix("\ufeff")


def _is_robots_txt(url: str) -> bool:
    path = url.partition("://")[2].partition("/")[2]
    return path.partition("?")[0] == "robots.txt"


@lru_cache(maxsize=256)
def _rules(text: str) -> RobotsRules:
    lines = list(_readable_lines(text))
    agents = frozenset(value for field, value in lines if field == "agent")
    plain = "\n".join(f"{_FIELDS[field]}: {value}" for field, value in lines)
    return RobotsRules(Protego.parse(plain), agents)


def _readable_lines(text: str) -> Iterator[tuple[str, str]]:
    """Field and value of each line that means something, agents as product tokens."""
    for line in re.split(r"[\r\n]+", text.translate(_NO_BREAKS)):
        found = _read_line(line.partition("#")[0])
        if found is None:
            continue
        field = next(name for name in _FIELDS if found[name])
        value = found["value"].strip()
        yield field, _addressee(value) if field == "agent" else value


def _addressee(value: str) -> str:
    # An agent that is no name still starts a group, which applies to no crawler.
    return EVERYONE if value.split()[:1] == ["*"] else product_token(value) or "-"
