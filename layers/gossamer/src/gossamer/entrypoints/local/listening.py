"""Which port a server of ours listens on: the one that was named, or the next that is free."""

from __future__ import annotations

import contextlib
import errno
import socket
import sys

from gossamer.core.errors import ConfigurationError

SEARCH_PORT = 8080  # of the search page, if none is named
MAX_PORT = 65_535
TRIES = 50  # ports that are looked at if none is named


def port_to_listen(given: int | None, usual: int, what: str, host: str = "127.0.0.1") -> int:
    """A port that can be had now; says so if it is not the usual one.

    `what` names the server. A port that was given is had or raises ConfigurationError.
    """
    if given is not None:
        _check(given)
        return _bound(host, given)
    for port in range(usual, usual + TRIES):
        with contextlib.suppress(_Taken):
            free = _bound(host, port)
            if free != usual:
                print(f"Port {usual} is taken: {what} is on port {free}.", file=sys.stderr)
            return free
    raise ConfigurationError(
        f"the ports from {usual} to {usual + TRIES - 1} are taken; name another with --port N"
    )


class _Taken(ConfigurationError):
    """Another program listens there."""


def _check(port: int) -> None:
    if not 0 <= port <= MAX_PORT:
        raise ConfigurationError(
            f"port {port}: there are ports from 1 to {MAX_PORT} only (0 takes any that is free)"
        )


def _bound(host: str, port: int) -> int:
    """Bind a port and let go of it again; returns its number, which 0 leaves open.

    It is not listened on: a client that connected just then would be cut off.
    """
    try:
        found = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE | socket.AI_NUMERICSERV
        )
        for family, *_, address in found:
            with socket.socket(family, socket.SOCK_STREAM) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                probe.bind(address)
                port = probe.getsockname()[1]
    except OSError as error:
        raise _explained(error, host, port) from error
    return port


def _explained(error: OSError, host: str, port: int) -> ConfigurationError:
    if error.errno == errno.EADDRINUSE:
        return _Taken(
            f"port {port} is taken by another program; end that one, or name another port"
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return ConfigurationError(
            f"port {port} needs the rights of an administrator; name one from 1024 on"
        )
    return ConfigurationError(f"cannot listen on {host}, port {port}: {error.strerror or error}")
