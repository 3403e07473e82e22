"""May a function do only what is its business?"""

from __future__ import annotations

import pytest

from gossamer.topology import TOPOLOGY
from tests.topology.template import (
    BY_LAMBDA,
    allowed_calls,
    functions,
    load,
    short_name,
    statements,
)

TEMPLATE = load()
ALLOWED = allowed_calls(TEMPLATE)
FUNCTIONS = functions(TEMPLATE)
EDGES = {edge.bolt: edge for edge in TOPOLOGY}

# What leaves a function along no edge of the topology: the sweep of schedule puts parked URLs back
# and lost messages to the dead letters of their streams, pages that are due begin anew, large
# merges are cut into tasks, what others call by new names is indexed again, and seeds and jobs that
# are resumed enter through the API.
BESIDE = {
    "schedule": {"queue:frontier", *(f"queue:{edge.reads}-dead" for edge in TOPOLOGY)},
    "recrawl": {"queue:frontier"},
    "compact": {"queue:merge"},
    "rank": {"queue:index"},
    "api": {"queue:links", "queue:frontier"},
}


@pytest.mark.parametrize("bolt", FUNCTIONS)
def test_no_action_and_no_resource_is_a_wildcard(bolt: str):
    for statement in statements(TEMPLATE, FUNCTIONS[bolt]):
        assert statement["Effect"] == "Allow"
        assert not any("*" in action for action in statement["Action"])
        for resource in statement["Resource"]:
            text = next(iter(resource.values()))
            assert "*" not in text or (text.endswith("/*") and text.count("/") >= 2)


@pytest.mark.parametrize("bolt", FUNCTIONS)
def test_a_function_sends_along_its_edges_and_to_its_dead_letters(bolt: str):
    edge = EDGES.get(bolt)
    along = {f"queue:{stream}" for stream in (*edge.emits, f"{edge.reads}-dead")} if edge else set()

    sends = {resource for action, resource in ALLOWED[bolt] if action == "sqs:SendMessage"}

    assert sends == along | BESIDE.get(bolt, set())


@pytest.mark.parametrize("bolt", FUNCTIONS)
def test_lambda_reads_for_a_function_its_own_queue_and_writes_its_own_log(bolt: str):
    edge = EDGES.get(bolt)
    # SCHEDULE looks at all queues itself, the API when it wakes the hosts of a resumed job, and
    # COMPACT whether MERGE has something to do.
    looks = {"sqs:GetQueueAttributes"} if bolt in ("schedule", "api", "compact") else set()

    touched = {resource for action, resource in ALLOWED[bolt] if action in BY_LAMBDA - looks}

    lost = {"queue:lost"} if bolt == "schedule" else set()
    assert touched == {f"log:{bolt}"} | ({f"queue:{edge.reads}"} if edge else set()) | lost


def test_only_the_api_reads_the_admin_key():
    holders = {bolt for bolt, calls in ALLOWED.items() if any("secret:" in r for _, r in calls)}

    assert holders == {"api"}


def test_the_api_changes_no_pages_and_beside_the_index_only_settings():
    changes = {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "PutObject"}

    changed = {r for action, r in ALLOWED["api"] if action.partition(":")[2] in changes}

    # limits of a job are counted at its URLs; a job that is stopped or resumed moves what is parked
    assert changed <= {"jobs", "stats", "urls", "frontier", "domains", "settings"}


def test_calls_are_told_by_the_names_that_the_code_uses():
    assert ("dynamodb:Query", "inverted_index/by_tfidf") in ALLOWED["api"]
    assert ("s3:PutObject", "bucket:warc/") in ALLOWED["fetch"]
    assert ("secretsmanager:GetSecretValue", "secret:admin-key") in ALLOWED["api"]


def test_what_is_outside_the_stack_has_no_name():
    for resource in ("*", {"Fn::Sub": "arn:aws:s3:::another/*"}, {"Ref": "Api"}):
        with pytest.raises(ValueError, match=r"resource of this stack|may touch"):
            short_name(TEMPLATE, resource)
