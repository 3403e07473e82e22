"""The Runtime API: one event at a time, and an end for everybody who waits."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
import time

import pytest

from localstack_host.runtime_api import MOST_BYTES, Invocation, Outcome, RuntimeApi, failure

NEXT = "/2018-06-01/runtime/invocation/next"


@pytest.fixture
def api():
    api = RuntimeApi()
    yield api
    api.close()


def ask(api: RuntimeApi, method: str, path: str, body: bytes | None = None, **headers: str):
    with contextlib.closing(http.client.HTTPConnection(api.address, timeout=60)) as connection:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return response.status, dict(response.headers), response.read()


def invocation(request_id: str = "r1", seconds: float = 10.0) -> Invocation:
    return Invocation(request_id, b'{"a": 1}', "arn:f", time.time() + seconds, "Root=1")


def in_background(work, *args):
    """Run it in a thread; the result is in the list once the thread is joined."""
    results: list[object] = []
    thread = threading.Thread(target=lambda: results.append(work(*args)), daemon=True)
    thread.start()
    return thread, results


def test_an_event_is_handed_over_and_its_answer_comes_back(api):
    thread, outcomes = in_background(api.invoke, invocation())

    status, headers, body = ask(api, "GET", NEXT)
    answered = ask(api, "POST", "/2018-06-01/runtime/invocation/r1/response", b'"done"')
    thread.join(60)

    assert (status, body) == (200, b'{"a": 1}')
    assert headers["Lambda-Runtime-Aws-Request-Id"] == "r1"
    assert headers["Lambda-Runtime-Invoked-Function-Arn"] == "arn:f"
    assert headers["Lambda-Runtime-Trace-Id"] == "Root=1"
    assert int(headers["Lambda-Runtime-Deadline-Ms"]) > time.time() * 1000
    assert answered[0] == 202
    assert outcomes == [Outcome(b'"done"')]


def test_an_error_is_an_outcome_too(api):
    thread, outcomes = in_background(api.invoke, invocation())
    ask(api, "GET", NEXT)

    ask(api, "POST", "/2018-06-01/runtime/invocation/r1/error", b'{"errorType": "E"}')
    thread.join(60)

    assert outcomes == [Outcome(b'{"errorType": "E"}', is_error=True)]


def test_a_chunked_answer_is_read_whole(api):
    thread, outcomes = in_background(api.invoke, invocation())
    ask(api, "GET", NEXT)

    path = "/2018-06-01/runtime/invocation/r1/response"
    with contextlib.closing(http.client.HTTPConnection(api.address, timeout=60)) as connection:
        connection.request("POST", path, iter([b"[1,", b"2]"]), encode_chunked=True)
        connection.getresponse().read()
    thread.join(60)

    assert outcomes == [Outcome(b"[1,2]")]


def test_asking_for_work_is_how_a_process_says_that_it_is_ready(api):
    assert api.wait_until_ready(0.05) == failure(
        "Runtime.InitTimeout", "not ready after 0.05 seconds"
    )

    thread, _ = in_background(api.next_invocation)

    assert api.wait_until_ready(10) is None
    api.end(failure("Runtime.ExitError", "gone"))
    thread.join(60)


def test_a_function_that_cannot_be_loaded_says_why(api):
    ask(api, "POST", "/2018-06-01/runtime/init/error", b'{"errorType": "Runtime.X"}')

    assert api.wait_until_ready(10) == Outcome(b'{"errorType": "Runtime.X"}', is_error=True)
    assert api.has_ended


def test_no_answer_before_the_deadline_is_no_outcome(api):
    assert api.invoke(invocation(seconds=0.05)) is None


def test_an_answer_without_a_waiting_caller_is_refused(api):
    status, _, _ = ask(api, "POST", "/2018-06-01/runtime/invocation/other/response", b"1")

    assert status == 400


def test_a_late_answer_is_not_taken_for_the_next_event(api):
    thread, _ = in_background(api.invoke, invocation(seconds=0.3))
    ask(api, "GET", NEXT)
    thread.join(60)

    late, _, _ = ask(api, "POST", "/2018-06-01/runtime/invocation/r1/response", b"1")

    assert late == 400


def test_an_answer_over_the_limit_becomes_an_error(api):
    thread, outcomes = in_background(api.invoke, invocation())
    ask(api, "GET", NEXT)

    path = "/2018-06-01/runtime/invocation/r1/response"
    status, _, _ = ask(api, "POST", path, b"x" * (MOST_BYTES + 1))
    thread.join(60)

    (outcome,) = outcomes
    assert status == 413
    assert outcome.is_error
    assert json.loads(outcome.body)["errorType"] == "Function.ResponseSizeTooLarge"


def test_a_waiting_caller_hears_that_the_process_is_gone(api):
    thread, outcomes = in_background(api.invoke, invocation())
    gone = failure("Runtime.ExitError", "gone")

    api.end(gone)
    thread.join(60)

    assert outcomes == [gone]


def test_a_process_that_asks_when_all_is_over_is_hung_up_on(api):
    api.end(failure("Runtime.ExitError", "gone"))

    with pytest.raises(http.client.RemoteDisconnected):
        ask(api, "GET", NEXT)


@pytest.mark.parametrize(("method", "path"), [("GET", "/"), ("POST", "/2018-06-01/elsewhere")])
def test_other_paths_lead_nowhere(api, method, path):
    assert ask(api, method, path)[0] == 404
