"""Does a stack of the release before keep what people wrote when the present one is deployed?"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from gossamer.adapters.aws.clients import Clients
from gossamer.adapters.aws.collection_settings import DynamoCollectionSettings
from gossamer.adapters.aws.dynamodb.models import SegmentItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.core.collection import CollectionSettings, list_name, packed
from tests.cloud.conditions import settled
from tests.cloud.harness import Stack
from tests.cloud.queues import wait_for
from tests.topology.template import load

STACK = "gossamer-former"
SYNONYMS = "cocoon, pupa"


def template_with(*tables: str) -> str:
    resources = settled(load(), {"Contact": "x@y.z"})["Resources"]
    return json.dumps({"Resources": {name: resources[name] for name in tables}})


@pytest.fixture
def former(emulator):
    """Deploy the tables that settings need, as they were before settings had their own."""
    stack = Stack(emulator, STACK, Path("unused"))
    stacks = stack.client("cloudformation")
    stacks.create_stack(StackName=STACK, TemplateBody=template_with("SegmentsTable"))
    wait_for(lambda: state_of(stacks) == "CREATE_COMPLETE", 60, "the former tables were not made")
    yield stack
    stacks.delete_stack(StackName=STACK)


def state_of(stacks) -> str:
    return str(stacks.describe_stacks(StackName=STACK)["Stacks"][0]["StackStatus"])


@pytest.fixture
def clients(emulator, monkeypatch):
    for name, value in emulator.environment.items():
        monkeypatch.setenv(name, value)
    return Clients()


def test_settings_and_lists_survive_the_deployment_of_their_own_table(former, clients):
    segments = Table(clients, STACK, SegmentItem)
    body = packed(SYNONYMS)
    digest = list_name(body)
    settings = CollectionSettings(version=2, profile="tfidf", synonyms=f"{digest}.1")
    segments.put(SegmentItem("web", f"list#{digest}#0", body=body))
    encoded = msgspec.json.encode(settings)
    segments.put(SegmentItem("web", "settings", body=encoded, version=2))

    stacks = former.client("cloudformation")
    tables = template_with("SegmentsTable", "SettingsTable")
    stacks.update_stack(StackName=STACK, TemplateBody=tables)
    wait_for(lambda: state_of(stacks) == "UPDATE_COMPLETE", 60, "the new table was not made")

    store = DynamoCollectionSettings(clients, STACK, "web")
    assert store.get() == settings
    assert store.read_list(settings.synonyms) == SYNONYMS
    changed = msgspec.structs.replace(settings, version=3, profile="bm25")
    assert store.put(changed)
    segments.delete("web", "settings")
    segments.delete("web", f"list#{digest}#0")
    assert store.get() == changed
    assert store.read_list(settings.synonyms) == SYNONYMS
