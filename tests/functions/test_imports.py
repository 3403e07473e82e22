"""A function loads the stores that its bolt uses, and nothing of another home."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

SHARED = {
    "aws.clients", "aws.counters", "aws.dynamodb", "aws.dynamodb.attributes", "aws.dynamodb.keys",
    "aws.dynamodb.models", "aws.dynamodb.table", "aws.dynamodb.transactions", "aws.errors",
    "aws.home", "aws.memory", "aws.meter", "aws.sqs", "aws.sqs.queues", "aws.sqs.gathering", "aws",
}  # fmt: skip
# What each bolt asks its ports for, beyond what every function has.
OPENED = {
    "schedule": ("urls", "hosts", "frontier", "jobs", "queues"),
    "fetch": ("urls", "hosts", "frontier", "jobs", "queues", "pages", "contents"),
    "parse": (
        *("urls", "jobs", "queues", "frontier", "pages", "documents", "contents", "parser"),
        *("settings", "template_health", "host_languages"),
    ),
    "links": ("urls", "jobs", "queues", "frontier", "edges", "quotas", "reputation"),
    "index": (
        "urls",
        "queues",
        "frontier",
        "documents",
        "contents",
        "edges",
        "index",
        "settings",
    ),
    "compact": ("jobs", "index", "queues", "frontier"),
    "merge": ("index", "queues", "frontier"),
    "rank": ("jobs", "index", "edges", "documents", "urls", "queues", "frontier", "reputation"),
    "recrawl": ("jobs", "urls", "hosts", "queues", "frontier", "quotas", "reputation"),
    "api": ("index", "documents", "edges", "jobs", "urls", "hosts", "settings", "pages"),
}
OF_STORE = {
    "index": {"aws.index", "aws.index.segments", "aws.index.files", "aws.index.heads"},
    "pages": {
        "aws.pages", "aws.packs", "aws.packs.members",
        "warc", "warc_file", "warc_lookup", "warc_reading",
    },
    "contents": {"aws.content_owners"},
    "settings": {"aws.collection_settings"},
    "template_health": {"aws.counting", "aws.counting.template_health"},
    "host_languages": {"aws.counting", "aws.counting.host_languages"},
    "jobs": {"aws.jobs", "aws.counting", "aws.counting.budgets"},
    "queues": set[str](),
    "parser": {"aws.parser", "child_process", "native_reader", "process_limits"},
    "reputation": {"aws.reputation", "aws.hosts"},  # a part of a host's record
}  # fmt: skip
OPEN = """
import json, os, sys
os.environ |= {"GOSSAMER_HOME": "aws", "GOSSAMER_STACK": "s", "AWS_DEFAULT_REGION": "us-east-1"}
import functions.FUNCTION.app
from gossamer.entrypoints.lambdas import context
home = context.worker().home
for name in NAMES:
    getattr(home, name)
print(json.dumps(sorted(sys.modules)))
"""


def loaded_by(function: str) -> set[str]:
    code = OPEN.replace("FUNCTION", function).replace("NAMES", repr(OPENED[function]))
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return set(json.loads(done.stdout))


@pytest.mark.parametrize("function", OPENED)
def test_a_function_loads_no_store_that_its_bolt_does_not_use(function: str):
    modules = loaded_by(function)

    prefix = "gossamer.adapters."
    adapters = {name.removeprefix(prefix) for name in modules if name.startswith(prefix)}
    own = set().union(*(OF_STORE.get(name, {f"aws.{name}"}) for name in OPENED[function]))
    assert adapters - own - SHARED == set()
    assert modules & {"sqlite3", "gossamer.adapters.local"} == set()


@pytest.mark.parametrize("function", OPENED)
def test_no_function_imports_the_sdk_of_traces_unless_it_is_traced(function: str):
    assert not {name for name in loaded_by(function) if name.startswith("aws_xray_sdk")}
