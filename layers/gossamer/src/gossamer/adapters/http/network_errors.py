"""Map network errors of Python to the names of our faults."""

from __future__ import annotations

import socket
import ssl

# glibc reports EAI_FAIL for a resolver that refuses to answer; the name may still exist.
BUSY_RESOLVER = {socket.EAI_AGAIN, socket.EAI_FAIL, socket.EAI_MEMORY, socket.EAI_SYSTEM}


def name_of(error: OSError) -> str:
    """The fault behind an error of connecting or of an open connection."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return "tls-certificate"
    if isinstance(error, ssl.SSLError):
        return "tls-handshake"
    if isinstance(error, TimeoutError):
        return "timeout"
    if isinstance(error, (ConnectionResetError, BrokenPipeError, ConnectionAbortedError)):
        return "connection-reset"
    return "connection-refused"  # also "no route to host"


def name_of_lookup(error: socket.gaierror) -> str:
    """The fault behind a failed lookup: an unknown name, or a resolver without an answer."""
    return "dns-busy" if error.errno in BUSY_RESOLVER else "dns"
