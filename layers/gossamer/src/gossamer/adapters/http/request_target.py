"""Split a URL into host, port and path for one request."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gossamer.core.errors import Fault

PORTS = {"http": 80, "https": 443}
# Stricter than a browser on purpose: URLs arrive normalised. Anything else (a space, a line break,
# a user name, a letter outside ASCII) must not reach a request line.
URL = re.compile(
    r"(?P<scheme>(?i:https?))://"
    r"(?P<authority>(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?)"
    r"(?P<path>(?:[/?][!-\"$-~]*)?)(?:\#.*)?"
)


@dataclass(frozen=True, slots=True)
class Target:
    """The parts of a URL that a request needs."""

    scheme: str
    host: str  # lower case, an IPv6 literal without its brackets
    port: int
    authority: str  # the Host header
    path: str  # with the query

    @classmethod
    def of(cls, url: str) -> Target:
        """Split a URL, or raise a `Fault` if it is not safe."""
        match = URL.fullmatch(url)
        if match is None:
            raise Fault("unsafe-address")
        scheme, path = match["scheme"].lower(), match["path"]
        port = int(match["port"] or PORTS[scheme])
        if not 0 < port < 65536:
            raise Fault("unsafe-address")
        path = path if path.startswith("/") else "/" + path
        return cls(scheme, match["host"].strip("[]").lower(), port, match["authority"], path)

    @property
    def origin(self) -> tuple[str, str, int]:
        """Requests of the same origin may share a connection."""
        return self.scheme, self.host, self.port
