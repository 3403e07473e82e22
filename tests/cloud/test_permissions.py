"""May every function do what it does, and nothing else? Asked last, when all have worked."""

from __future__ import annotations

from collections import defaultdict

import pytest

from tests.topology.template import BY_LAMBDA, allowed_calls, load

FUNCTIONS = ("schedule", "fetch", "parse", "links", "index", "compact", "api")


@pytest.fixture(scope="module")
def called(stack) -> dict[str, set[tuple[str, str]]]:
    """What each function asked of AWS in all its invocations, from its own log."""
    calls: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for function in FUNCTIONS:
        for entry in stack.logs(function):
            for call in entry.get("calls", {}):
                action, _, resource = call.partition(" ")
                calls[function].add((action, resource))
    return calls


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_may_do_what_it_did(called, function):
    assert called[function] <= allowed_calls(load())[function]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_did_what_it_may_do(called, function):
    unused = allowed_calls(load())[function] - called[function]

    assert {(action, on) for action, on in unused if action not in BY_LAMBDA} == set()
