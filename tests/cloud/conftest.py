"""What do the tests of the cloud home share? An emulator, the deployed stack, and a site to crawl.

They run where GOSSAMER_CLOUD names an emulator to start (ministack, localstack), or where
AWS_ENDPOINT_URL names one that runs already. Elsewhere they are skipped.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scripts.emulator import SETTINGS, started
from tests.cloud.building import build, make_build
from tests.cloud.harness import Stack, running_at
from tests.sites.generated import serve

HERE = Path(__file__).parent
KIND = os.environ.get("GOSSAMER_CLOUD", "")
ENDPOINT = os.environ.get("AWS_ENDPOINT_URL", "")
DEPLOY_SECONDS = 1200  # installs included, and several waits on a busy machine


# The first crawl is compared with an embedded one, so nothing else may be in the collection; what
# the functions were seen to do is asked when they have done everything.
FIRST, LAST = ("test_deploy", "test_crawl"), ("test_operations", "test_permissions")


def _turn(item) -> int:
    if HERE not in item.path.parents:
        return 0
    name = item.path.stem
    return FIRST.index(name) if name in FIRST else 2 + (name in LAST and 1 + LAST.index(name))


def pytest_collection_modifyitems(items):
    """Mark the tests of this folder, and skip them where there is no emulator."""
    items.sort(key=_turn)
    skip = pytest.mark.skip(reason="needs GOSSAMER_CLOUD=ministack|localstack or AWS_ENDPOINT_URL")
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.cloud)
            item.add_marker(pytest.mark.timeout(DEPLOY_SECONDS))
            if not (KIND or ENDPOINT):
                item.add_marker(skip)


@pytest.fixture(scope="session")
def building(tmp_path_factory):
    """What is built while the emulator is installed and starts.

    LocalStack's is built apart: its tests may run beside those of MiniStack, whose is the build of
    docs/operations.md, which is tested there.
    """
    with ThreadPoolExecutor(1) as aside:
        if KIND == "localstack":
            yield aside.submit(build, tmp_path_factory.mktemp("sam"))
        else:
            yield aside.submit(make_build)


@pytest.fixture(scope="session")
def emulator():
    """The AWS of these tests."""
    if ENDPOINT:
        yield running_at(ENDPOINT)
        return
    assert KIND in SETTINGS, f"GOSSAMER_CLOUD={KIND} is none of {', '.join(SETTINGS)}"
    with started(KIND) as running:
        yield running


@pytest.fixture(scope="session")
def stack(building, emulator):
    """The template of this repository, built and deployed as a person would do it."""
    deployed = Stack(emulator, "gossamer-test", building.result())
    deployed.deploy()
    return deployed


@pytest.fixture(scope="session")
def loopback():
    """A server on several loopback addresses that functions can reach."""
    # The first three are the hosts of a generated site, the others one for each test that needs it.
    with serve([f"127.0.0.{number}" for number in (1, 2, 3, *range(19, 41))]) as running:
        yield running


@pytest.fixture
def site(loopback):
    """The server, as if it had just been started; `publish` gives it something to serve."""
    loopback.latency = 0.0
    loopback.release()
    loopback.forget()
    return loopback
