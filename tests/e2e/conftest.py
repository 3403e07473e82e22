"""What do the tests of whole crawls share?"""

from __future__ import annotations

import pytest

from tests.sites.generated import serve


@pytest.fixture(scope="module")
def loopback():
    """A server on several loopback addresses, started once per module."""
    addresses = [f"127.0.0.{number}" for number in range(1, 10)]
    with serve(addresses) as running:
        yield running


@pytest.fixture
def server(loopback):
    """The server, as if it had just been started."""
    loopback.latency = 0.0
    loopback.release()
    loopback.forget()
    return loopback


@pytest.fixture
def data(tmp_path):
    """A data folder that does not exist yet."""
    return tmp_path / "data"
