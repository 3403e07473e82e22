"""Does Lambda poll a queue only while it is wanted?"""

from __future__ import annotations

from typing import Any

import pytest

from gossamer.adapters.aws.sqs.queues import SqsQueues

MAPPING = "11111111-2222-3333-4444-555555555555"


@pytest.fixture
def switched(home, faults):
    """A mapping in some state; `switched(state, wanted)` tells to what it was changed."""
    queues = SqsQueues(home.clients, "test-stack", home.frontier, {}, {"merge": MAPPING})

    def poll(state: str, *, wanted: bool) -> list[bool]:
        def answer(name: str, given: dict[str, Any]) -> dict[str, Any]:
            assert given["UUID"] == MAPPING
            return {"State": state}

        asked = faults("lambda", answer)
        queues.poll("merge", wanted=wanted)
        return [given["Enabled"] for name, given in asked.calls if name.startswith("Update")]

    return poll


@pytest.mark.parametrize(
    ("state", "wanted", "changes"),
    [
        ("Enabled", False, [False]),
        ("Disabled", True, [True]),
        ("Enabled", True, []),
        ("Disabled", False, []),
        # Lambda refuses a change while another is under way: the next call makes it.
        ("Disabling", True, []),
        ("Updating", False, []),
    ],
)
def test_a_mapping_is_changed_only_if_it_stands_otherwise(switched, state, wanted, changes):
    assert switched(state, wanted=wanted) == changes


def test_a_queue_without_such_a_reader_is_always_polled(home, faults):
    asked = faults("lambda", lambda name, given: {})

    SqsQueues(home.clients, "test-stack", home.frontier, {}).poll("merge", wanted=False)

    assert asked.calls == []
