"""The cookies of one chain of redirects: what its responses set, and what its next request sends.

Read and sent by the algorithms of RFC 6265 (5.2 to 5.4), with two of its revision's rules: a Secure
cookie is set over https only, and one with a control character is none. Stricter than both: a
cookie without a Domain stays on its host and port, and all of them stay within the registrable
domain that set them. docs/decisions/0105-cookies-of-one-chain.md says why this is written here.

A jar is text, because it travels in messages and lies in the ledger; an empty one is "".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from gossamer.core.crawl.response_outcome import http_date
from gossamer.core.registrable_domain import registrable_domain
from gossamer.core.urls import host_of, hostname_of

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_COOKIES = 20
MAX_BYTES = 4096  # of all names, values, domains and paths; servers refuse headers of 8 KB
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_SECONDS = re.compile(r"-?[0-9]+")


class Cookie(msgspec.Struct, frozen=True, array_like=True):
    """One cookie, and where it may be sent."""

    name: str
    value: str
    host: str  # the host that set it, with its port; or the domain that it is shared in
    is_shared: bool
    path: str
    is_secure: bool

    @property
    def key(self) -> tuple[str, str, str]:
        """What a later cookie has in common with the one that it replaces."""
        return self.name, self.host, self.path

    @property
    def size(self) -> int:
        """How much of the jar it takes."""
        return len(self.name) + len(self.value) + len(self.host) + len(self.path)

    def is_for(self, url: str) -> bool:
        """Whether it is sent with a request for a URL."""
        if self.is_secure and not url.startswith("https://"):
            return False
        return self._is_for_host(url) and _is_below(_path_of(url), self.path)

    def _is_for_host(self, url: str) -> bool:
        if not self.is_shared:
            return host_of(url) == self.host
        return _is_within(hostname_of(url), self.host)


_READ = msgspec.json.Decoder(list[Cookie])


def with_set(jar: str, url: str, headers: Iterable[tuple[str, str]], now: float) -> str:
    """A jar after the response from a URL: its cookies are added, replaced or removed.

    What has no room any more is not added.
    """
    kept = {cookie.key: cookie for cookie in _cookies(jar)}
    for name, line in headers:
        if name.lower() == "set-cookie" and (found := _read_line(line, url, now)):
            cookie, is_over = found
            if is_over:
                kept.pop(cookie.key, None)
            elif _has_room({**kept, cookie.key: cookie}.values()):
                kept[cookie.key] = cookie
    return _text(kept.values())


def header_for(jar: str, url: str) -> str:
    """The Cookie header of a request, empty without one: longer paths first, then older cookies."""
    sent = sorted((c for c in _cookies(jar) if c.is_for(url)), key=lambda c: -len(c.path))
    return "; ".join(f"{cookie.name}={cookie.value}" for cookie in sent)


def handed_on(jar: str, url: str, target: str) -> str:
    """What a redirect from a URL takes along: nothing to another registrable domain."""
    if not jar or registrable_domain(host_of(url)) != registrable_domain(host_of(target)):
        return ""
    return jar


def _cookies(jar: str) -> list[Cookie]:
    try:
        return _READ.decode(jar) if jar else []
    except msgspec.DecodeError:
        return []


def _text(cookies: Iterable[Cookie]) -> str:
    kept = list(cookies)
    return msgspec.json.encode(kept).decode() if kept else ""


def _has_room(cookies: Iterable[Cookie]) -> bool:
    sizes = [cookie.size for cookie in cookies]
    return len(sizes) <= MAX_COOKIES and sum(sizes) <= MAX_BYTES


def _read_line(line: str, url: str, now: float) -> tuple[Cookie, bool] | None:
    """The cookie of a Set-Cookie line, and whether it is over; None if it counts for nothing."""
    pair, *parts = line.split(";")
    name, sign, value = (part.strip() for part in pair.partition("="))
    if not name or not sign or _CONTROL.search(line):
        return None
    said = _attributes(parts)
    place = _place(said.get("domain", ""), url)
    is_secure = "secure" in said
    if place is None or (is_secure and not url.startswith("https://")):
        return None
    path = said.get("path", "")
    path = path if path.startswith("/") else _folder(_path_of(url))
    return Cookie(name, value, *place, path, is_secure), _is_over(said, now)


def _attributes(parts: Iterable[str]) -> dict[str, str]:
    """What a line says of its cookie; of two that say the same, the last."""
    pairs = (part.partition("=") for part in parts)
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _place(domain: str, url: str) -> tuple[str, bool] | None:
    """Where a cookie may be sent, and whether to all hosts there; None if it may not say that."""
    domain, name = domain.removeprefix(".").lower(), hostname_of(url)
    if not domain:
        return host_of(url), False
    is_own = _is_within(domain, registrable_domain(name))
    return (domain, True) if is_own and _is_within(name, domain) else None


def _is_over(said: dict[str, str], now: float) -> bool:
    """Whether a cookie is removed by what it says of its end."""
    age = said.get("max-age", "")
    if _SECONDS.fullmatch(age):
        return age.startswith("-") or not age.strip("0")
    end = http_date(said.get("expires", ""))
    return end is not None and end <= now


def _is_within(name: str, domain: str) -> bool:
    return name == domain or name.endswith("." + domain)


def _path_of(url: str) -> str:
    """The path of a normalised URL, without its query."""
    return "/" + url.partition("://")[2].partition("?")[0].partition("/")[2]


def _folder(path: str) -> str:
    """The path of a cookie that names none: that of the URL up to its last slash."""
    return path.rpartition("/")[0] or "/"


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
