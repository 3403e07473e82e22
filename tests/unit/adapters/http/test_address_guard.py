"""Which addresses may a name lead us to?"""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.adapters.http.address_guard import Guard, is_public, safe
from gossamer.core.errors import Fault

PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "93.184.216.34",
    "100.63.255.255",
    "100.128.0.0",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2001:4860:4860::8888",
    "2a00:1450:4001:801::200e",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2002:808:808::1",
]
REFUSED = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",  # Alibaba's metadata
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",  # Azure's
    "169.254.169.254",  # AWS's, Google's, Azure's
    "169.254.170.2",  # of ECS tasks
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",  # Oracle's
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",  # IPv4-compatible
    "::8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:0:7f00:1",  # IPv4-translated
    "64:ff9b::a9fe:a9fe",  # NAT64 of metadata
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::808:808",  # a private NAT64
    "100::1",
    "2001::1",
    "2001:0:5ef5:79fd:0:59d:a0e5:ba1",  # Teredo
    "2001:db8::1",
    "2002:7f00:1::",  # 6to4 of loopback
    "2002:a9fe:a9fe::1",
    "2002:c0a8:101::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",  # AWS's metadata
    "fd00::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_safe(address):
    assert safe([address]) == (str(ip_address(address)),)


@pytest.mark.parametrize("address", REFUSED)
def test_an_address_that_is_not_public_is_refused(address):
    assert safe([address]) == ()


@pytest.mark.parametrize("address", ["10.0.0.1", "127.0.0.1", "192.168.1.1", "::1", "fd00::1"])
def test_private_addresses_can_be_allowed(address):
    assert safe([address], allow_private=True) == (address,)


@pytest.mark.parametrize(
    "address",
    ["0.0.0.0", "224.0.0.1", "::", "ff02::1", "::ffff:0.0.0.0", "::ffff:224.0.0.1"],
)
def test_what_is_no_machine_is_refused_even_then(address):
    assert safe([address], allow_private=True) == ()


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "169.254.170.2",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::1",
        "fd00:ec2::254",
        "fd00:ec2::23",
        "fd00:42::42",
        "fd20:ce::254",
        "fe80::a9fe:a9fe%eth0",
    ],
)
def test_metadata_is_refused_even_then(address):
    assert safe([address], allow_private=True) == ()


def test_of_several_addresses_the_safe_ones_stay_ipv4_first():
    found = safe(["2606:4700::1", "10.0.0.1", "9.9.9.9", "8.8.8.8", "9.9.9.9", "::1"])

    assert found == ("9.9.9.9", "8.8.8.8", "2606:4700::1")


@given(st.ip_addresses(v=4))
def test_what_python_calls_private_is_never_public(address):
    if address.is_private or address.is_multicast or address.is_reserved or address.is_link_local:
        assert not is_public(address)


@given(st.ip_addresses(v=6))
def test_what_python_calls_special_is_never_public(address):
    if not address.is_global or address.is_multicast:
        assert address.ipv4_mapped or not is_public(address)


@given(
    st.ip_addresses(v=4),
    st.sampled_from(["::ffff:0:0", "64:ff9b::"]),
)
def test_an_embedded_address_is_judged_as_itself(inner, prefix):
    outer = IPv6Address(int(IPv6Address(prefix)) | int(inner))

    assert is_public(outer) == is_public(inner)


@given(st.ip_addresses(v=4), st.integers(min_value=0, max_value=2**80 - 1))
def test_a_tunnel_to_an_unsafe_address_is_unsafe(inner, rest):
    outer = IPv6Address((0x2002 << 112) | (int(inner) << 80) | rest)

    assert is_public(outer) == is_public(inner)


@given(st.lists(st.ip_addresses().map(str)), st.booleans())
def test_nothing_is_added_and_nothing_repeated(addresses, allow_private):
    found = safe(addresses, allow_private=allow_private)

    assert set(found) <= set(addresses)
    assert len(found) == len(set(found))


class Resolver:
    """Answers from a list, and counts."""

    def __init__(self, *answers: list[str] | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, host: str) -> list[str]:
        self.asked.append(host)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


async def fault_of(guard: Guard, host: str = "a.test") -> str:
    with pytest.raises(Fault) as caught:
        await guard.addresses(host)
    return caught.value.name


async def test_a_lookup_is_remembered_for_its_time_to_live():
    now = 100.0
    resolver = Resolver(["8.8.8.8"], ["9.9.9.9"])
    guard = Guard(resolve=resolver, ttl=10.0, monotonic=lambda: now)

    first = await guard.addresses("a.test")
    again = await guard.addresses("a.test")
    now = 111.0
    later = await guard.addresses("a.test")

    assert (first, again, later) == (("8.8.8.8",), ("8.8.8.8",), ("9.9.9.9",))


async def test_a_name_that_turns_private_is_refused_when_looked_up_again():
    now = 100.0
    guard = Guard(resolve=Resolver(["8.8.8.8"], ["127.0.0.1"]), ttl=10.0, monotonic=lambda: now)
    await guard.addresses("a.test")
    now = 111.0

    assert await fault_of(guard) == "unsafe-address"


async def test_a_missing_name_is_remembered_but_a_busy_resolver_is_not():
    missing = socket.gaierror(socket.EAI_NONAME, "no such name")
    busy = socket.gaierror(socket.EAI_AGAIN, "try again")
    resolver = Resolver(busy, missing)
    guard = Guard(resolve=resolver)

    faults = [await fault_of(guard) for _ in range(3)]

    assert faults == ["dns-busy", "dns", "dns"]
    assert resolver.asked == ["a.test", "a.test"]


async def test_an_empty_answer_means_that_there_is_no_such_name():
    assert await fault_of(Guard(resolve=Resolver([]))) == "dns"


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "169.254.169.254", "fd00:ec2::254"])
async def test_a_literal_address_is_checked_without_asking_anybody(host):
    resolver = Resolver()

    assert await fault_of(Guard(resolve=resolver), host) == "unsafe-address"
    assert resolver.asked == []


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1"])
async def test_odd_spellings_of_an_address_are_checked_as_the_system_reads_them(host):
    guard = Guard()

    assert await fault_of(guard, host) == "unsafe-address"
    guard.close()


@pytest.mark.parametrize("host", ["a..test", "a" * 64 + ".test"])
async def test_a_name_that_cannot_exist_does_not_exist(host):
    guard = Guard()

    assert await fault_of(guard, host) == "dns"
    guard.close()


@given(st.integers(min_value=0, max_value=2**32 - 1))
def test_every_ipv4_address_has_one_verdict_in_all_its_clothes(number):
    plain = IPv4Address(number)

    assert bool(safe([str(plain)])) == bool(safe([f"::ffff:{plain}"]))
