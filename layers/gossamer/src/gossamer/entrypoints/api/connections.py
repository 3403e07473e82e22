"""Open connections: how many a client may have, and which of them give way to new ones.

A connection waits until its next request has arrived as a whole. Silence costs a client nothing, so
the connection that has waited longest is closed where a new one finds no room.
"""

from __future__ import annotations

import contextlib
import ipaddress
from collections import Counter
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_CONNECTIONS = 512
CONNECTIONS_PER_CLIENT = 32  # a browser opens six
CLIENT_PREFIX_BITS = 64  # of an IPv6 address: what one customer of a provider has at least


class Connection(Protocol):
    """The task of a connection."""

    def cancel(self) -> object:
        """Close it."""


class Connections:
    """The open connections of a server."""

    def __init__(self) -> None:
        self._clients: dict[Connection, str] = {}
        self._counts: Counter[str] = Counter()
        self._waiting: dict[Connection, None] = {}  # the longest first

    def add(self, connection: Connection, address: str) -> bool:
        """Add a connection; return whether there is room for its requests.

        A server behind a proxy on this machine sees all clients at a loopback address, which has no
        limit of its own: the proxy counts them.
        """
        client = client_network(address)
        has_room = self._make_room(client)
        self._clients[connection] = client
        self._counts[client] += 1
        return has_room

    def remove(self, connection: Connection) -> None:
        """Forget a connection that is closed, if it is not forgotten yet."""
        client = self._clients.pop(connection, None)
        if client is not None:
            self._counts[client] -= 1
            if not self._counts[client]:
                del self._counts[client]

    @contextlib.contextmanager
    def waiting(self, connection: Connection) -> Iterator[None]:
        """Let a connection give way to new ones."""
        self._waiting[connection] = None
        try:
            yield
        finally:
            self._waiting.pop(connection, None)

    def close_waiting(self) -> None:
        """Close all connections that wait."""
        for connection in self._waiting:
            connection.cancel()

    def _make_room(self, client: str) -> bool:
        while client and self._counts[client] >= CONNECTIONS_PER_CLIENT:
            if not self._close_oldest(client):
                return False
        while len(self._clients) >= MAX_CONNECTIONS:
            if not self._close_oldest():
                return False
        return True

    def _close_oldest(self, client: str = "") -> bool:
        """Close the connection that has waited longest, of one client if it is named."""
        for connection in self._waiting:
            if connection in self._clients and client in ("", self._clients[connection]):
                self.remove(connection)
                connection.cancel()
                return True
        return False


def client_address(peer: str, headers: Mapping[str, str]) -> str:
    """Return the address of who asks, which a proxy on this machine names in X-Forwarded-For.

    Only the last address there is the proxy's own word: those before it came with the request.
    """
    named = headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
    if client_network(peer) or not _is_address(named):
        return peer
    return named


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def client_network(address: str) -> str:
    """Return what identifies the client at an address; empty for this machine."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped is None:
            network = ipaddress.ip_network((ip, CLIENT_PREFIX_BITS), strict=False)
            return "" if ip.is_loopback else str(network)
        ip = ip.ipv4_mapped
    return "" if ip.is_loopback else str(ip)
