"""The template deploys, and what it promises is there."""

from __future__ import annotations

import pytest

from tests.cloud.queues import QUEUES

TABLES = {
    *("urls", "frontier", "domains", "content_seen", "documents", "edges"),
    *("inverted_index", "segments", "settings", "jobs", "stats", "page_packs"),
}
FUNCTIONS = {
    *("schedule", "fetch", "parse", "links", "index", "compact", "merge", "rank", "recrawl"),
    *("search", "api"),
}


def names(stack, kind: str) -> set[str]:
    """The names of the stack's resources of a kind, without the stack's own."""
    return {
        entry["PhysicalResourceId"].rpartition("/")[2].removeprefix(f"{stack.name}-")
        for entry in stack.resources
        if entry["ResourceType"] == kind
    }


def test_every_resource_was_made(stack):
    states = {entry["LogicalResourceId"]: entry["ResourceStatus"] for entry in stack.resources}

    assert set(states.values()) <= {"CREATE_COMPLETE", "UPDATE_COMPLETE"}, states


def test_the_tables_and_functions_bear_their_names(stack):
    assert names(stack, "AWS::DynamoDB::Table") == TABLES
    assert names(stack, "AWS::Lambda::Function") >= FUNCTIONS


@pytest.mark.parametrize("queue", QUEUES)
def test_each_queue_is_empty_and_has_dead_letters(stack, queue):
    assert stack.counts(queue) == stack.counts(f"{queue}-dead") == (0, 0, 0)


def test_each_queue_feeds_its_function_and_takes_partial_failures(stack):
    mappings = stack.client("lambda").list_event_source_mappings()["EventSourceMappings"]
    found = {
        mapping["EventSourceArn"].rpartition("-")[2]: mapping
        for mapping in mappings
        if f":{stack.name}-" in mapping["EventSourceArn"]
    }

    assert set(found) == set(QUEUES)
    for mapping in found.values():
        assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


def test_the_index_by_weight_projects_what_a_query_reads(stack):
    name = f"{stack.name}-inverted_index"
    table = stack.client("dynamodb").describe_table(TableName=name)["Table"]

    (index,) = table["GlobalSecondaryIndexes"]

    assert index["IndexName"] == "by_tfidf"
    assert index["Projection"]["ProjectionType"] == "INCLUDE"
    assert "p" not in index["Projection"]["NonKeyAttributes"]


def test_the_admin_key_is_long_and_made_up(stack):
    secrets = stack.client("secretsmanager")

    key = secrets.get_secret_value(SecretId=f"{stack.name}-admin-key")["SecretString"]

    assert len(key) >= 32


def test_pages_have_a_private_bucket(stack):
    bucket = stack.outputs["PagesBucket"]

    access = stack.client("s3").get_public_access_block(Bucket=bucket)

    assert all(access["PublicAccessBlockConfiguration"].values())


def test_deploying_the_same_again_changes_nothing(stack):
    before = stack.outputs

    stack.deploy()

    assert stack.outputs == before
