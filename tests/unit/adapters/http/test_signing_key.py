"""Are requests signed by the key in a PEM file, and is a wrong file refused with the way out?"""

from __future__ import annotations

import asyncio
import math

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from gossamer.adapters.http.fetcher import HttpFetcher
from gossamer.adapters.http.signing_key import read_signer
from gossamer.core.errors import ConfigurationError
from gossamer.ports.fetcher import HttpRequest
from tests.unit.core.test_bot_auth import signature_of

AGENT = "https://search.example"


def pem_of(key: Ed25519PrivateKey | X25519PrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


async def headers_of_a_request(fetcher: HttpFetcher, **headers: str) -> dict[str, str]:
    """What a server on loopback gets."""
    got: dict[str, str] = {}

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        while line := (await reader.readline()).decode().strip():
            name, _, value = line.partition(": ")
            got[name] = value
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    request = HttpRequest(url=url, start_by=math.inf, max_bytes=9, headers=headers)
    try:
        await fetcher.fetch(request)
    finally:
        await fetcher.close()
        server.close()
    return got


async def test_every_request_carries_a_signature_that_the_key_in_the_directory_verifies():
    key = Ed25519PrivateKey.generate()
    fetcher = HttpFetcher("test", allow_private=True, signer=read_signer(pem_of(key), AGENT))

    got = await headers_of_a_request(fetcher, **{"If-None-Match": '"a"'})

    assert got["If-None-Match"] == '"a"'
    components = {'"@authority"': got["Host"], '"signature-agent";key="sig1"': f'"{AGENT}"'}
    public = Ed25519PublicKey.from_public_bytes(key.public_key().public_bytes_raw())
    public.verify(*signature_of(got, components))


async def test_without_a_key_nothing_is_signed():
    got = await headers_of_a_request(HttpFetcher("test", allow_private=True))

    assert not [name for name in got if name.startswith("Signature")]


@pytest.mark.parametrize("pem", [b"", b"no key", pem_of(X25519PrivateKey.generate())])
def test_what_is_no_such_key_is_refused_with_the_command_that_makes_one(pem):
    with pytest.raises(ConfigurationError, match="openssl genpkey -algorithm ed25519"):
        read_signer(pem, AGENT)
