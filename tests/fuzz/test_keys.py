"""Does the admin key stay secret, whatever is asked and whatever fails?"""

from __future__ import annotations

import hmac
import json
import logging
from contextlib import suppress
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.adapters.aws.clients import Clients
from gossamer.core.errors import Unreachable
from gossamer.entrypoints.api.admin import Denied, Gate
from gossamer.entrypoints.api.backend import Backend
from gossamer.entrypoints.api.routes import make_app
from gossamer.entrypoints.cli import main
from gossamer.entrypoints.lambdas import api
from gossamer.entrypoints.lambdas.powertools import PowertoolsTelemetry
from gossamer.entrypoints.lambdas.sqs import Worker
from tests.effort import often
from tests.fake_search import FakeSearch
from tests.fuzz.bounds import attempt
from tests.unit.entrypoints import moto_stack

KEY = "kT7vQ2-correct-horse-battery-staple"
WRONG = ["wrong-guess-4711", KEY[:-1], KEY[:8], KEY + "x", KEY.swapcase(), "\ud800" + KEY, "é" * 50]


class Failing:
    """An administration where everything goes wrong, each time in another way."""

    def seed(self, *_):
        raise RuntimeError("the store broke")

    def jobs(self):
        raise Unreachable("no answer")

    def steer(self, *_):
        raise KeyError("steer")


def event(method, path, resource, arguments, key, body="{}"):
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    return {
        "resource": resource,
        "path": path,
        "httpMethod": method,
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "pathParameters": arguments,
        "stageVariables": None,
        "requestContext": {
            "resourcePath": resource,
            "httpMethod": method,
            "path": path,
            "identity": {"sourceIp": "192.0.2.1"},
        },
        "body": body,
        "isBase64Encoded": False,
    }


def events(key):
    yield event("GET", "/jobs", "/jobs", None, key)
    yield event("POST", "/seeds", "/seeds", None, key, '{"urls": ["a.test"]}')
    yield event("POST", "/seeds", "/seeds", None, key, "[" * 5000)
    yield event("POST", "/seeds", "/seeds", None, key, "{]")
    yield event("POST", "/jobs/x/stop", "/jobs/{job}/{action}", {"job": "x", "action": "stop"}, key)


@pytest.fixture
def _failing(monkeypatch):
    """The API as it runs in Lambda, logging with Powertools, above stores that fail."""
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", "api")
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Gossamer")
    monkeypatch.setenv("POWERTOOLS_LOG_LEVEL", "DEBUG")
    home: Any = SimpleNamespace(stack="stack", spend=lambda *_: {}, take_calls=dict)
    ports: Any = None
    worker = Worker(ports, lambda: 0.0, telemetry=PowertoolsTelemetry(home, lambda: 0.0))
    monkeypatch.setattr(api, "worker", lambda: worker)


@pytest.mark.usefixtures("_failing")
def test_neither_logs_nor_answers_have_the_key_or_a_guess(monkeypatch, capsys, caplog):
    caplog.set_level(logging.DEBUG)
    answers = []
    for key in (KEY, *WRONG):
        gate = Gate(lambda: KEY)
        app = make_app(Backend(FakeSearch, partial(_same, (gate, Failing()))))
        monkeypatch.setattr(api, "app", partial(_same, app))
        for asked in events(key):
            answers.append(api.handler(asked, None))

    told = capsys.readouterr()
    said = told.out + told.err + caplog.text + json.dumps(answers)
    said += "".join(str(record.__dict__) for record in caplog.records)
    assert "the store broke" in said  # failures are told
    assert {answer["statusCode"] for answer in answers} == {400, 403, 500, 503}
    for secret in (KEY, KEY[:8], KEY[8:20], "wrong-guess", KEY.swapcase()):
        assert secret not in said


def _same(value):
    return value


def test_keys_are_compared_in_constant_time_by_their_digests(monkeypatch):
    compare, compared = hmac.compare_digest, list[tuple[bytes, bytes]]()

    def noted(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return compare(one, other)

    monkeypatch.setattr(hmac, "compare_digest", noted)
    for key in (KEY, "x", KEY * 100):
        with suppress(Denied):
            Gate(lambda: KEY).admit({"authorization": f"Bearer {key}"})

    assert len(compared) == 3
    assert {len(digest) for pair in compared for digest in pair} == {32}


@often(200)
@given(
    st.text(max_size=60),
    st.sampled_from(["Bearer ", "bearer ", "Basic ", "", "Bearer", "Bearer  "]),
)
@example(KEY, "Bearer ")
@example("", "Bearer  ")
@example("\ud800", "Bearer ")
def test_nothing_but_the_key_opens(shown, scheme):
    gate = Gate(lambda: KEY)

    _, denied = attempt(Denied, lambda: gate.admit({"authorization": scheme + shown}))

    is_right = shown.strip() == KEY and scheme in ("Bearer ", "bearer ", "Bearer  ")
    assert (denied is None) == is_right
    assert denied is None or denied.status in (401, 403)


@pytest.mark.parametrize("header", ["Bearer ", "Bearer  ", "Bearer \t", "Bearer"])
def test_an_empty_key_admits_no_client(header):
    with pytest.raises(Denied):
        Gate(lambda: "").admit({"authorization": header})


COMMANDS = [
    ["stats"], ["stats", "--json"], ["cost", "--json"], ["pause"], ["resume", "--json"],
    ["redrive"], ["explain-url", "http://a.test/"], ["export"], ["stop"],
    ["stats", "--job", "unknown"],
]  # fmt: skip


def test_no_command_shows_the_key_of_a_stack(capsys, caplog):
    with moto_stack.aws():
        moto_stack.deploy()
        moto_stack.begin_job()
        name = f"{moto_stack.STACK}-admin-key"
        Clients().call("secretsmanager", "CreateSecret", name, Name=name, SecretString=KEY)
        caplog.set_level(logging.DEBUG)
        caplog.clear()

        codes = [main.main(["--stack", moto_stack.STACK, *command]) for command in COMMANDS]

    told = capsys.readouterr()
    assert codes.count(0) >= len(COMMANDS) - 3
    assert KEY[:8] not in told.out + told.err + caplog.text
