"""Are long texts searched, in an address and in a body, and refused beyond what is said?"""

from __future__ import annotations

import json
from typing import Any

import pytest

from gossamer.core.search.lexemes import MAX_TEXT
from gossamer.entrypoints.api.backend import Backend
from gossamer.entrypoints.api.expensive import looks_slow
from gossamer.entrypoints.api.parameters import MAX_ENCODED
from gossamer.entrypoints.api.routes import make_app
from tests.fake_search import FakeSearch
from tests.unit.entrypoints.api.asking import event


def post(body: object, service: FakeSearch | None = None) -> tuple[int, dict[str, Any], Any]:
    found = service or FakeSearch()
    app: Any = make_app(Backend(lambda: found))
    text = body if isinstance(body, str) else json.dumps(body)
    said = app({**event("/search", method="POST"), "body": text}, None)
    return said["statusCode"], json.loads(said["body"]), said["headers"]


def get(q: str) -> tuple[int, dict[str, Any]]:
    app: Any = make_app(Backend(FakeSearch))
    said = app(event("/search", query={"q": [q]}), None)
    return said["statusCode"], json.loads(said["body"])


def test_a_query_in_an_address_may_have_four_thousand_bytes():
    assert get("silk " * (MAX_ENCODED // 5))[0] == 200
    status, body = get("silk " * (MAX_ENCODED // 5) + "x")
    assert status == 400
    assert "POST /search takes longer ones" in body["error"]["message"]
    assert get("東" * (MAX_ENCODED // 9))[0] == 200
    assert get("東" * (MAX_ENCODED // 9 + 1))[0] == 400


def test_a_longer_one_is_posted():
    service = FakeSearch()
    q = "silk " * 2_000
    body = {"q": q, "limit": 2, "filter": ["lang:en"], "strict": True, "explain": True}

    status, answer, headers = post(body, service)

    assert (status, answer["query"], answer["limit"]) == (200, q, 2)
    assert service.filters[-1] == ("lang:en",)
    assert service.strict[-1]
    assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "body",
    [
        "", "[]", {}, {"q": ""}, {"q": "silk", "nothing": 1}, {"q": "x" * (MAX_TEXT + 1)},
        {"q": "silk", "limit": 1_000}, {"q": "silk", "page": "1"}, {"q": "a\0b"},
        {"q": "silk", "filter": ["lang:en"] * 21}, {"q": "silk", "limit": 100, "page": 1_000},
    ],
)  # fmt: skip
def test_a_body_that_makes_no_sense_is_refused(body):
    status, answer, _ = post(body)

    assert status == 400
    assert answer["error"]["message"]


def test_a_posted_query_waits_among_the_slow_ones():
    assert looks_slow("/search", b'{"q": "silk"}')
    assert not looks_slow("/search?q=silk")
