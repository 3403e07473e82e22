"""The tools that disturb a stack do disturb it, and put it back."""

from __future__ import annotations

import json

import pytest

from gossamer.topology import SQS_RECEIVES
from tests.cloud.queues import wait_for

STAND_IN = """
import json, os, pathlib, time
def handler(event, context):
    for record in event.get("Records", []):
        wish, time_no = json.loads(record["body"]), record["attributes"]["ApproximateReceiveCount"]
        if "held_in" in wish:
            hold(pathlib.Path(wish["held_in"]))
        print(json.dumps({"note": wish["note"], "time": time_no}), flush=True)
    return {"batchItemFailures": [], "pid": os.getpid(), "echo": event.get("echo")}
def hold(folder):
    (folder / f"held-{os.getpid()}").touch()
    while not (folder / "go").exists():
        time.sleep(0.1)
"""
SECONDS = 180.0  # for a process to start: a few, on a machine that does nothing else
USUAL = 180  # the visibility timeout of links in the template


@pytest.fixture
def hasty(stack):
    """A queue whose messages come back soon after a failure, and are given up soon."""
    stack.set_visibility("links", 2)
    stack.set_receives("links", 4)
    yield "links"
    stack.set_visibility("links", USUAL)
    stack.set_receives("links", SQS_RECEIVES)


def test_a_function_is_replaced_invoked_and_put_back(stack):
    with stack.replaced("links", STAND_IN):
        assert stack.invoke("links", {"echo": 7}).payload["echo"] == 7

    payload, error = stack.invoke("links", {"echo": 7})
    assert error or payload.get("echo") is None


def test_a_function_that_raises_loses_its_messages_and_says_why(stack, hasty):
    with stack.raising("links"):
        stack.send("links", '{"note": "doomed"}')

        assert stack.invoke("links", {}).error == "Unhandled"
        stack.wait_until_drained()

    assert stack.take("lost") == ['{"note": "doomed"}']
    assert any("a test made this function raise" in line for line in stack.log_lines("links"))
    stack.purge("lost")
    assert stack.counts("lost") == (0, 0, 0)


def test_a_killed_function_gets_its_message_again(stack, hasty, tmp_path):
    with stack.replaced("links", STAND_IN):
        stack.send("links", json.dumps({"note": "twice", "held_in": str(tmp_path)}))
        wait_for(lambda: any(tmp_path.iterdir()), SECONDS, "links never worked on its message")

        assert stack.kill_processes("links")
        (tmp_path / "go").touch()
        stack.wait_until_drained()

    # A function that starts more slowly than its message is hidden for gets it more than twice.
    times = [entry["time"] for entry in stack.logs("links") if entry.get("note") == "twice"]
    assert times
    assert "1" not in times


def test_a_message_is_duplicated_while_its_reader_is_paused(stack):
    with stack.replaced("links", STAND_IN):
        with stack.paused("links"):
            stack.send("links", json.dumps({"note": "copied"}))

            assert stack.duplicate("links") == 1
            assert sum(stack.counts("links")) == 2
        stack.wait_until_drained(2 * USUAL)  # if the function cannot start in time, they come back

    notes = [entry for entry in stack.logs("links") if entry.get("note") == "copied"]
    assert len(notes) == 2


def test_the_api_answers_at_its_base_url(stack):
    assert stack.ask("/no/such/route").status in {403, 404}
