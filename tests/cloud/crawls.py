"""How does a test crawl with a deployed stack, and what did the crawl find?"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.core.crawl.job import DEFAULT_JOB
from gossamer.messages import DocumentParsed, encode
from tests.cloud.queues import wait_for

if TYPE_CHECKING:
    from tests.cloud.harness import Reply, Stack
    from tests.sites.generated import Server

ROOT = Path(__file__).resolve().parents[2]
GOSSAMER = Path(sys.executable).with_name("gossamer")
ENQUEUE = ROOT / "scripts" / "enqueue.py"
QUICK = ("--delay", "0", "--allow-private", "--retry-wait", "0.5")
ATTEMPTS = 5  # to compact beside the schedule
PATIENCE = 400.0  # seconds, for a busy machine: nothing waits so long when all is well


def run(stack: Stack, *command: object) -> subprocess.CompletedProcess[str]:
    """A program as an operator of the stack would run it."""
    return subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        env=stack.environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def gossamer(stack: Stack, *arguments: object) -> Any:
    """A command that succeeds, and what it prints as JSON."""
    done = run(stack, GOSSAMER, "--stack", stack.name, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def enqueue(stack: Stack, *arguments: object, job: str = DEFAULT_JOB) -> Any:
    """Give the stack something to crawl, quickly; returns the report."""
    named = ("--stack", stack.name, "--job", job, "--json")
    done = run(stack, sys.executable, ENQUEUE, *named, *QUICK, *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def tend(stack: Stack) -> dict[str, str]:
    """What the schedule does every minute."""
    answer = stack.invoke("schedule", {"source": "aws.events"})
    assert answer.error is None, answer
    states: dict[str, str] = answer.payload
    return states


def finish(stack: Stack, job: str = DEFAULT_JOB) -> str:
    """Wait until the job has ended; returns how."""
    give_up_at = time.monotonic() + PATIENCE
    while time.monotonic() < give_up_at:
        stack.wait_until_drained(PATIENCE)
        state = state_of(stack, job)
        if state != "running":
            return state
    raise AssertionError(f"job {job} does not end")


def state_of(stack: Stack, job: str) -> str:
    """How a job stands after SCHEDULE has looked after it."""
    return tend(stack).get(job) or _kept_state(stack, job)


def _kept_state(stack: Stack, job: str) -> str:
    """How a job stands that needs no housekeeping any more: SCHEDULE says nothing of it."""
    found = stack.client("dynamodb").scan(TableName=f"{stack.name}-jobs")["Items"]
    (state,) = [
        item["st"]["S"] for item in found if "st" in item and item["k"]["S"].endswith(f"#{job}")
    ]
    return str(state)


def end_claims(stack: Stack) -> None:
    """Let the claims of a dead function end now: what comes back would wait for their time."""
    tables = stack.client("dynamodb")
    name = f"{stack.name}-urls"
    for page in tables.get_paginator("scan").paginate(TableName=name):
        for item in page["Items"]:
            if item["st"]["S"] == "fetching":
                tables.update_item(
                    TableName=name,
                    Key={"k": item["k"]},
                    UpdateExpression="SET lse = :over",
                    ExpressionAttributeValues={":over": {"N": "1"}},
                )


def search(stack: Stack, parameters: str) -> Reply:
    """An answer from the whole index: on a busy machine the seconds of a query may be over before.

    `parameters`: of the URL, beginning with the query.
    """
    found: list[Reply] = []

    def is_whole() -> bool:
        found.append(stack.ask(f"/search?q={parameters}"))
        return not (found[-1].status == 200 and found[-1].json.get("partial"))

    wait_for(is_whole, PATIENCE, f"only a part was searched for {parameters}")
    return found[-1]


def exported(stack: Stack, what: str, origin: str = "") -> list[dict[str, Any]]:
    """URLs, documents or edges of one origin."""
    key = "source" if what == "edges" else "url"
    done = run(
        stack, GOSSAMER, "--stack", stack.name, "export", "--what", what, "--format", "jsonl"
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [row for row in rows if row[key].startswith(origin)]


def states(stack: Stack, origin: str) -> dict[str, str]:
    """How the URLs of one origin stand."""
    return {row["url"]: row["state"] for row in exported(stack, "urls", origin)}


def page_requests(server: Server, origin: str) -> list[str]:
    """The pages of one origin that were asked for, in order."""
    asked = (url for url in server.asked() if url.startswith(origin))
    return [url for url in asked if not url.endswith("/robots.txt")]


def compact(stack: Stack, **bounds: int) -> None:
    """Merge at least two segments, though the schedule may be compacting, or has left only one."""
    page = exported(stack, "documents")[0]
    again = DocumentParsed(job="web", url=page["url"], fetched_at=page["fetched_at"])
    for _ in range(ATTEMPTS):
        stack.send("index", encode(again).decode())  # one more segment
        stack.wait_until_drained()
        done = stack.invoke("compact", {"at_once": True, **bounds}).payload
        stack.wait_until_drained()
        if done == {"compacted": True}:
            return
    pytest.fail(f"nothing was merged in {ATTEMPTS} attempts")
