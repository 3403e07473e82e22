"""Does every answer keep the promises of /openapi.json, whatever is asked?"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from gossamer.entrypoints.api.openapi import description
from gossamer.entrypoints.api.routes import make_app
from gossamer.entrypoints.api.services import backend_of
from gossamer.settings import Settings
from tests.background_server import background
from tests.effort import share_of
from tests.fake_search import Served
from tests.local_home import open_local

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")

# Only after the skip above: without the tool there is nothing to import.
from schemathesis.checks import not_a_server_error  # noqa: E402
from schemathesis.specs.openapi.checks import (  # noqa: E402
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)


def refused_or_too_long(ctx, response, case):
    """Many long filters make an address that is refused before its parameters are read.

    By its length (414), or by that of the whole head of the request (431). And what an owner
    changes is refused first if somebody else has changed it (412). Of an unknown parameter
    whose value is an empty list nothing is sent.
    """
    if response.status_code in (412, 414, 431) or [] in (case.query or {}).values():
        return None
    return negative_data_rejection(ctx, response, case)


CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    refused_or_too_long,
    unsupported_method,
]


@pytest.fixture(scope="module")
def address():
    with background(Served().app()) as url:
        yield url.rstrip("/")


@schemathesis.serializer("application/toml", "text/plain")
def as_text(_ctx, value):
    return str(value).encode(errors="replace")


KEY = "a key of those tests"
OWNED = ["/settings", "/synonyms", "/templates", "/templates/{name}", "/queries"]


@pytest.fixture(scope="module")
def owned(tmp_path_factory):
    """The address of a server over an empty collection, which its owner may change."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "key").write_text(KEY)
    settings = Settings(data=str(folder), admin_secret=str(folder / "key"))
    open_local(settings).close()
    with background(make_app(backend_of(settings))) as url:
        yield url.rstrip("/")


schema = schemathesis.openapi.from_dict(description())


@schema.parametrize()
@settings(max_examples=share_of(60), deadline=None, suppress_health_check=list(HealthCheck))
def test_every_answer_is_as_described(case, address):
    case.call_and_validate(base_url=address, checks=CHECKS)


@schema.include(path=OWNED).parametrize()
@settings(max_examples=share_of(60), deadline=None, suppress_health_check=list(HealthCheck))
def test_every_answer_to_an_owner_is_as_described(case, owned):
    headers = {"Authorization": f"Bearer {KEY}"}
    case.call_and_validate(base_url=owned, headers=headers, checks=CHECKS)
