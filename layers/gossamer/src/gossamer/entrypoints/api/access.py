"""Who may read: by which names a server may be asked, and the pages of which origins may read it.

A browser lets any page send requests to any server, this machine's included. It shows the answer to
the page only if the answer allows that, or if the page's own name leads to this machine: so an
answer names the origins that may read it, and a request by an unknown name is refused.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.api.gateway_event import Refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ANY = "*"
EVERYWHERE = ("", "0.0.0.0", "::")  # noqa: S104 the addresses that mean all
READS = ("GET", "HEAD", "OPTIONS")
EXPOSED = "ETag"
_split_host = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]/@\s]+)(?::[0-9]*)?").fullmatch
_is_origin = re.compile(r"https?://[^/?#@\s,]+").fullmatch


@dataclass(frozen=True, slots=True)
class Access:
    """Names and origins that are allowed besides a server's own; "*" allows all."""

    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()

    def check(self, method: str, headers: Mapping[str, str], listening: str) -> None:
        """Refuse a request by a name that is not ours, and what a foreign page sends to us."""
        host = headers.get("host")  # programs that speak HTTP/1.0 send none, browsers always
        if host is not None and not self._is_ours(host, listening):
            raise Refused(421, _unknown_host(host))
        self.check_origin(method, headers)

    def check_origin(self, method: str, headers: Mapping[str, str]) -> None:
        """Refuse what a foreign page sends to us; what it only reads it is not shown."""
        origin = headers.get("origin", "")
        if method not in READS and origin and not self._may_write(origin, headers.get("host", "")):
            raise Refused(403, _unknown_origin(origin))

    def permission(self, origin: str) -> dict[str, str]:
        """The headers that let pages of an origin read an answer; none for our own."""
        if not self.origins:
            return {}
        exposed = {"Access-Control-Expose-Headers": EXPOSED}
        if ANY in self.origins:
            return {"Access-Control-Allow-Origin": ANY, **exposed}
        allowed = {"Access-Control-Allow-Origin": origin, **exposed}
        return {"Vary": "Origin", **(allowed if origin.lower() in self.origins else {})}

    def granted(self, headers: Mapping[str, str], origin: str) -> dict[str, str]:
        """The headers of an answer, with that permission."""
        added = self.permission(origin)
        both = [each["Vary"] for each in (headers, added) if "Vary" in each]
        return {**headers, **added, **({"Vary": ", ".join(both)} if both else {})}

    def _is_ours(self, host: str, listening: str) -> bool:
        found = _split_host(host)
        if ANY in self.hosts or found is None:
            return found is not None
        name = found[1].lower().strip("[]").rstrip(".")
        return name in self.hosts or name == listening.lower() or _is_known(name, listening)

    def _may_write(self, origin: str, host: str) -> bool:
        own = urlsplit(origin).netloc.lower() == host.lower()
        return own or ANY in self.origins or origin.lower() in self.origins


def access_of(hosts: Iterable[str], origins: Iterable[str]) -> Access:
    """What settings and flags name, checked; each may have several, with commas between."""
    names = frozenset(name.lower().strip("[]").rstrip(".") for name in _each(hosts))
    for name in names:
        if name != ANY and _split_host(f"[{name}]" if ":" in name else name) is None:
            raise ConfigurationError(f"{name!r} is no host: name it without scheme and port")
    pages = frozenset(origin.lower().rstrip("/") for origin in _each(origins))
    for origin in pages - {ANY}:
        if not _is_origin(origin):
            raise ConfigurationError(
                f"{origin!r} is no origin: write it as https://www.example.org, without a path"
            )
    return Access(names, pages)


def _each(given: Iterable[str]) -> list[str]:
    return [part.strip() for text in given for part in text.split(",") if part.strip()]


def _is_known(name: str, listening: str) -> bool:
    """Whether a name means this machine and nothing else.

    No stranger can make an address mean another machine, so on a server for all networks any
    address will do.
    """
    if _is_loopback(name):
        return True
    if _address(name) is not None:
        return listening in EVERYWHERE
    ours = socket.gethostname().lower()
    return not _is_loopback(listening) and name in (ours, f"{ours.partition('.')[0]}.local")


def _is_loopback(name: str) -> bool:
    address = _address(name)
    if address is not None:
        return address.is_loopback
    return name == "localhost" or name.endswith(".localhost")


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None


def _unknown_host(host: str) -> str:
    return (
        f"this server does not know itself as {host[:200]!r}; if it should, start it with"
        " `gossamer serve --allow-host NAME` or set GOSSAMER_ALLOW_HOST"
    )


def _unknown_origin(origin: str) -> str:
    return (
        f"pages of {origin[:200]!r} may not use this server; if they should, start it with"
        " `gossamer serve --allow-origin ORIGIN` or set GOSSAMER_ALLOW_ORIGIN"
    )
