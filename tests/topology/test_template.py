"""template.yaml and topology.py tell the same story."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from gossamer.topology import TOPOLOGY, Edge

ROOT = Path(__file__).resolve().parents[2]


class _Loader(yaml.SafeLoader):
    """Reads CloudFormation's short tags as plain values."""


_Loader.add_multi_constructor("!", lambda loader, tag, node: (tag, node.value))


@pytest.fixture(scope="module")
def resources() -> dict[str, Any]:
    template = yaml.load((ROOT / "template.yaml").read_text(), _Loader)  # noqa: S506 a SafeLoader
    loaded: dict[str, Any] = template["Resources"]
    return loaded


@pytest.mark.parametrize("edge", TOPOLOGY, ids=lambda edge: edge.bolt)
def test_every_bolt_is_a_function_that_reads_its_queue(resources, edge: Edge):
    function = resources[f"{edge.bolt.capitalize()}Function"]["Properties"]

    (event,) = function["Events"].values()

    assert function["CodeUri"] == f"functions/{edge.bolt}/"
    assert (ROOT / function["CodeUri"] / "app.py").is_file()
    assert event["Properties"]["Queue"] == ("GetAtt", f"{edge.reads.capitalize()}Queue.Arn")
    assert event["Properties"]["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


@pytest.mark.parametrize("edge", TOPOLOGY, ids=lambda edge: edge.bolt)
def test_every_queue_has_dead_letters_and_the_visibility_of_the_topology(resources, edge: Edge):
    queue = resources[f"{edge.reads.capitalize()}Queue"]["Properties"]
    function = resources[f"{edge.bolt.capitalize()}Function"]["Properties"]

    redrive = queue["RedrivePolicy"]

    assert queue["VisibilityTimeout"] == edge.visibility >= 6 * function["Timeout"]
    assert redrive["maxReceiveCount"] == edge.max_receives
    assert redrive["deadLetterTargetArn"][1] == f"{edge.reads.capitalize()}DeadLetters.Arn"
    assert f"{edge.reads.capitalize()}DeadLetters" in resources
