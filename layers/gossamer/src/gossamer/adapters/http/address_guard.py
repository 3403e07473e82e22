"""SSRF protection: resolve names and refuse private, local and metadata addresses."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from gossamer.adapters.http.network_errors import name_of_lookup
from gossamer.core.errors import Fault

Resolve = Callable[[str], Awaitable[Sequence[str]]]
Address = IPv4Address | IPv6Address

# The IANA special-purpose registries, written out: `ipaddress.is_global` changed between patch
# releases of Python (CVE-2024-4032).
REFUSED_V4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT; Alibaba's metadata is 100.100.100.200
        "127.0.0.0/8",
        "168.63.129.16/32",  # Azure's metadata, inside a public range
        "169.254.0.0/16",  # link-local; the metadata of AWS, Google and Azure
        "172.16.0.0/12",
        "192.0.0.0/24",  # Oracle's metadata is 192.0.0.192
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
GLOBAL_V6 = IPv6Network("2000::/3")  # everything else is private, local, reserved or embedding
REFUSED_V6 = tuple(
    IPv6Network(network)
    for network in ("2001::/23", "2001:db8::/32", "3fff::/20")  # Teredo is in the first
)
EMBEDDING_96 = tuple(  # the last 32 bits are an IPv4 address
    IPv6Network(network)
    for network in ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96")
)
SIX_TO_FOUR = IPv6Network("2002::/16")

# Where clouds give out credentials without authentication. No intranet uses these addresses, so
# allow_private does not admit them.
METADATA = tuple(
    ip_network(network)
    for network in (
        "100.100.100.200/32",  # Alibaba
        "168.63.129.16/32",  # Azure
        "169.254.0.0/16",  # AWS, its containers, Google, Azure
        "192.0.0.192/32",  # Oracle
        "fd00:ec2::/32",  # AWS
        "fd00:42::42/128",  # Scaleway
        "fd20:ce::254/128",  # Google
        "fe80::a9fe:a9fe/128",  # OpenStack
    )
)

LOOKUP_TTL = 300.0
MAX_LOOKUPS = 20_000
RESOLVER_THREADS = 16  # a dead name server blocks a thread for 10-30 s


def embedded(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that this IPv6 address embeds, if there is one."""
    number = int(address)
    if number > 1 and any(address in network for network in EMBEDDING_96):
        return IPv4Address(number & 0xFFFFFFFF)
    if address in SIX_TO_FOUR:
        return IPv4Address(number >> 80 & 0xFFFFFFFF)
    return None


def is_public(address: Address) -> bool:
    """Whether the address belongs to the public internet."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in REFUSED_V4)
    inner = embedded(address)
    if inner is not None and not is_public(inner):
        return False
    if address in EMBEDDING_96[1] or address in EMBEDDING_96[3]:  # mapped, NAT64
        return True
    return address in GLOBAL_V6 and not any(address in network for network in REFUSED_V6)


def is_a_host(address: Address) -> bool:
    """Whether the address is one machine, private or public, but not a metadata service."""
    inner = embedded(address) if isinstance(address, IPv6Address) else None
    judged = [address] if inner is None else [address, inner]
    return not any(one.is_unspecified or one.is_multicast or is_metadata(one) for one in judged)


def is_metadata(address: Address) -> bool:
    """Whether it is the metadata service of a cloud, which gives out credentials."""
    return any(address in network for network in METADATA)


def safe(addresses: Iterable[str], *, allow_private: bool = False) -> tuple[str, ...]:
    """The allowed addresses; IPv4 first, because broken IPv6 routes are common."""
    allowed = is_a_host if allow_private else is_public
    parsed = dict.fromkeys(ip_address(address.partition("%")[0]) for address in addresses)
    chosen = [address for address in parsed if allowed(address)]
    return tuple(map(str, sorted(chosen, key=lambda address: address.version)))


class Guard:
    """Resolves names and returns only checked addresses.

    The caller connects to the address, never to the name, so a DNS answer that changes between the
    check and the connection (DNS rebinding) has no effect.
    """

    def __init__(
        self,
        *,
        allow_private: bool = False,
        resolve: Resolve | None = None,
        ttl: float = LOOKUP_TTL,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._allow_private = allow_private
        self._resolve = resolve or self._system_lookup
        self._ttl = ttl
        self._monotonic = monotonic
        self._known: dict[str, tuple[float, tuple[str, ...] | str]] = {}
        self._threads: ThreadPoolExecutor | None = None

    async def addresses(self, host: str) -> tuple[str, ...]:
        found = self._cached(host)
        if found is None:
            found = await self._look_up(host)
            if found != "dns-busy":
                self._cache(host, found)
        if isinstance(found, str):
            raise Fault(found)
        return found

    def close(self) -> None:
        if self._threads:
            self._threads.shutdown(wait=False, cancel_futures=True)
            self._threads = None

    def _cached(self, host: str) -> tuple[str, ...] | str | None:
        until, found = self._known.get(host, (0.0, None))
        return found if self._monotonic() < until else None

    def _cache(self, host: str, found: tuple[str, ...] | str) -> None:
        self._known.pop(host, None)
        if len(self._known) >= MAX_LOOKUPS:
            del self._known[next(iter(self._known))]
        self._known[host] = (self._monotonic() + self._ttl, found)

    async def _look_up(self, host: str) -> tuple[str, ...] | str:
        """Addresses, or the name of a fault."""
        try:
            found = _literal(host) or await self._resolve(host)
        except socket.gaierror as error:
            return name_of_lookup(error)
        except UnicodeError:  # a label that is empty or longer than 63
            return "dns"
        if not found:
            return "dns"
        return safe(found, allow_private=self._allow_private) or "unsafe-address"

    async def _system_lookup(self, host: str) -> list[str]:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(RESOLVER_THREADS, thread_name_prefix="resolver")
        ask = partial(socket.getaddrinfo, host, None, type=socket.SOCK_STREAM)
        answers = await asyncio.get_running_loop().run_in_executor(self._threads, ask)
        return [str(answer[4][0]) for answer in answers]


def _literal(host: str) -> tuple[str, ...]:
    """A host that is an IP address; decimal and hexadecimal forms are left to the resolver."""
    try:
        return (str(ip_address(host)),)
    except ValueError:
        return ()
