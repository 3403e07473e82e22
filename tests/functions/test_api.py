"""Does the API behind API Gateway answer, and whose pages may read it?"""

from __future__ import annotations

import pytest

from gossamer import homes
from gossamer.entrypoints.lambdas import api, context
from gossamer.settings import Settings
from tests.unit.entrypoints.api.asking import event


@pytest.fixture
def ask(tmp_path, monkeypatch):
    """The handler over an embedded home, asked by a page of an origin."""
    monkeypatch.setenv("GOSSAMER_DATA", str(tmp_path))
    homes.open_home(Settings(data=str(tmp_path))).close()
    caches = (api.app, api.access, context.home, context.worker)
    for each in caches:
        each.cache_clear()
    headers = {"Origin": "https://blog.test"}
    yield lambda: api.handler(event("/health", headers=headers), None)
    context.home().close()
    for each in caches:
        each.cache_clear()


def allowed(said):
    return said["headers"].get("Access-Control-Allow-Origin")


def test_in_the_cloud_all_pages_may_read_unless_some_are_named(ask):
    said = ask()

    assert (said["statusCode"], allowed(said)) == (200, "*")


@pytest.mark.parametrize(
    ("named", "expected"),
    [("https://blog.test,https://a.test", "https://blog.test"), ("https://a.test", None)],
)
def test_only_pages_of_named_origins_may_read(ask, monkeypatch, named, expected):
    monkeypatch.setenv("GOSSAMER_ALLOW_ORIGIN", named)

    said = ask()

    assert allowed(said) == expected
    assert said["headers"]["Vary"] == "Origin"


@pytest.mark.parametrize(("named", "status"), [("https://a.test", 403), ("*", 202)])
def test_pages_of_other_origins_post_nothing_once_some_are_named(ask, monkeypatch, named, status):
    monkeypatch.setenv("GOSSAMER_ALLOW_ORIGIN", named)
    headers = {"Origin": "https://blog.test", "Content-Type": "application/json"}
    posted = event("/mcp", method="POST", headers=headers)
    posted["body"] = '{"jsonrpc": "2.0", "method": "notifications/initialized"}'

    assert api.handler(posted, None)["statusCode"] == status
