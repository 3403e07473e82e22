from __future__ import annotations

import ast
from pathlib import Path

import pytest

import gossamer
from gossamer.core.crawl import response_outcome, scope, traps
from gossamer.core.crawl.url_state import (
    END_STATES,
    LIMIT_REASONS,
    REASONS,
    TRANSITIONS,
    WAY_REASONS,
    State,
    explain,
    may_become,
)
from gossamer.ports.fetcher import PERMANENT_FAULTS, TRANSIENT_FAULTS

SOURCES = sorted(Path(gossamer.__file__).parent.rglob("*.py"))
# Functions that end a URL; the reason is a text among their arguments.
ENDING = {"end_all", "end_unfetched", "give_up", "_end", "_refused", "Unparsed"}


def reasons_in(source):
    """Every reason that stands as text in a module: reason="…", set_aside="…", f(…, "…")."""
    for node in ast.walk(ast.parse(source.read_text())):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        given = [k.value for k in node.keywords if k.arg in ("reason", "set_aside")]
        given += node.args if name in ENDING else []
        for value in given:
            if isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value:
                yield value.value


def returned_verdicts():
    verdict = next(
        node
        for path in SOURCES
        if path.name == "links.py"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and node.name == "_verdict"
    )
    returns = [node.value for node in ast.walk(verdict) if isinstance(node, ast.Return)]
    return {r.value for r in returns if isinstance(r, ast.Constant)}


def test_every_reason_that_the_code_gives_is_explained():
    used = {reason for source in SOURCES for reason in reasons_in(source)} | returned_verdicts()

    assert {"robots", "noindex", "dead-letter", "nofollow", "host-quota"} <= used  # they are found
    assert used - set(REASONS) == set()


def test_every_fault_of_a_request_is_explained():
    assert (TRANSIENT_FAULTS | PERMANENT_FAULTS) - set(REASONS) == set()


def test_every_verdict_of_scope_and_traps_is_explained():
    verdicts = {
        value
        for module in (scope, traps)
        for name, value in vars(module).items()
        if name.isupper() and isinstance(value, str) and not name.startswith("_")
    }

    assert {"out-of-scope", "calendar"} <= verdicts
    assert verdicts - set(REASONS) == set()


@pytest.mark.parametrize("code", range(100, 600))
def test_every_code_leads_to_a_reason_that_is_explained(code):
    reason = response_outcome.judge(code, "", transient=False).reason

    assert explain(reason) != reason


def test_a_code_is_explained_with_its_number():
    assert explain("http-418") == "the server answered with code 418"


def test_reasons_of_limits_and_ways_are_reasons():
    assert set(REASONS) >= LIMIT_REASONS | WAY_REASONS
    assert LIMIT_REASONS.isdisjoint(WAY_REASONS)


def test_every_state_says_what_may_follow_it():
    assert set(TRANSITIONS) == set(State)


def test_open_states_lead_to_an_end_and_ends_are_not_open():
    for state in set(State) - END_STATES:
        seen, ahead = {state}, [state]
        while ahead:
            ahead = [s for old in ahead for s in TRANSITIONS[old] if s not in seen]
            seen.update(ahead)
        assert seen >= END_STATES


@pytest.mark.parametrize(
    ("before", "after", "allowed"),
    [
        (State.DISCOVERED, State.FETCHING, True),
        (State.DISCOVERED, State.EXCLUDED, True),
        (State.DISCOVERED, State.PARSED, False),
        (State.FETCHING, State.FETCHED, True),
        (State.FETCHING, State.DISCOVERED, True),
        (State.FETCHING, State.PARSED, False),
        (State.FETCHED, State.PARSED, True),
        (State.FETCHED, State.DISCOVERED, False),
        (State.EXCLUDED, State.DISCOVERED, True),
        (State.EXCLUDED, State.FETCHING, False),
        (State.GONE, State.FETCHING, True),
        (State.GONE, State.DISCOVERED, False),
    ],
)
def test_steps_of_a_life(before, after, allowed):
    assert may_become(before, after) is allowed
