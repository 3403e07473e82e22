"""Does the fetcher speak only to whom a certificate names?"""

from __future__ import annotations

import pytest

from tests.hostile.fetching import AGENT, BRIEF_CONNECT, PATIENT, get, is_whole
from tests.hostile.server import HostileServer


@pytest.fixture
async def tls_server(tls):
    async with HostileServer(tls) as running:
        yield running


async def test_tls_with_a_server_that_does_not_speak_it_fails(server, fetcher):
    url = server.url("/page").replace("http:", "https:")

    assert (await fetcher.fetch(get(url))).fault == "tls-handshake"


async def test_an_unsigned_certificate_is_refused(tls_server, fetcher):
    response = await fetcher.fetch(get(tls_server.url("/page", host="localhost")))

    assert (response.fault, response.code) == ("tls-certificate", 0)
    assert tls_server.requests == []


async def test_a_certificate_of_another_name_is_refused(
    tls_server, fetcher, certificate, monkeypatch
):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "certificate.pem"))

    response = await fetcher.fetch(get(tls_server.url("/page", host="127.0.0.1")))

    assert (response.fault, response.code) == ("tls-certificate", 0)
    assert tls_server.requests == []


async def test_tls_connections_are_kept_too(tls_server, fetcher, certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "certificate.pem"))

    for _ in range(2):
        response = await fetcher.fetch(get(tls_server.url("/page", host="localhost")))

        assert is_whole(response)
    assert len(tls_server.requests) == 2
    assert tls_server.connections == 1


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (b"\x15\x03\x03\x00\x02\x02\x28", "tls-handshake"),  # an alert: handshake failure
        (b"\x16\x03\x03\xff\xff" + bytes(70_000), "tls-handshake"),
        (b"", "timeout"),
    ],
    ids=["refused", "garbage", "silence"],
)
async def test_a_handshake_that_goes_wrong_has_a_name(fetcher_with, answer, fault):
    limits = BRIEF_CONNECT if fault == "timeout" else PATIENT
    async with (
        HostileServer(to_hello=answer) as rude,
        fetcher_with(AGENT, allow_private=True, limits=limits) as fetcher,
    ):
        response = await fetcher.fetch(get(rude.url("/").replace("http:", "https:")))

    assert (response.fault, response.code) == (fault, 0)
    assert response.seconds < PATIENT.connect
