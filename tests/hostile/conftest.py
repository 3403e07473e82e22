"""What do the tests of a hostile web share?"""

from __future__ import annotations

import shutil
import ssl
import subprocess

import pytest

from gossamer.adapters.http.fetcher import HttpFetcher
from tests.hostile.fetching import AGENT, Fetchers
from tests.hostile.server import HostileServer


@pytest.fixture
async def server():
    async with HostileServer() as running:
        yield running


@pytest.fixture
async def fetcher():
    running = HttpFetcher(AGENT, allow_private=True)
    yield running
    await running.close()


@pytest.fixture
def fetcher_with():
    """Fetchers of one's own choosing, closed by the test's end."""
    return Fetchers


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    """A self-signed certificate for localhost."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl to make a certificate with")
    folder = tmp_path_factory.mktemp("tls")
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "certificate.pem")]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    subprocess.run([*command, *files, *names], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="session")
def tls(certificate):
    """What a server with that certificate speaks."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "certificate.pem", certificate / "key.pem")
    return context
