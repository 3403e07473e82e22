from __future__ import annotations

import ast
from itertools import product
from pathlib import Path

import pytest

import gossamer
from gossamer.core.crawl import response_outcome, scope, traps
from gossamer.core.crawl.url_state import (
    END_STATES,
    LIMIT_REASONS,
    REASONS,
    WAY_REASONS,
    Event,
    State,
    after,
    explain,
)
from gossamer.ports.fetcher import PERMANENT_FAULTS, TRANSIENT_FAULTS

SOURCES = sorted(Path(gossamer.__file__).parent.rglob("*.py"))
ANSWERING = {("links.py", "_verdict"), ("document.py", "withheld")}
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
    """The texts that those functions return which answer with a reason, or with "" for none."""
    found = [
        node
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and (path.name, node.name) in ANSWERING
    ]
    assert len(found) == len(ANSWERING)
    returns = [n for f in found for n in ast.walk(f) if isinstance(n, ast.Return) and n.value]
    return {text for r in returns for text in texts_of(r.value) if text}


def texts_of(value):
    chosen = (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,)
    return {v.value for v in chosen if isinstance(v, ast.Constant) and isinstance(v.value, str)}


def test_every_reason_that_the_code_gives_is_explained():
    used = {reason for source in SOURCES for reason in reasons_in(source)} | returned_verdicts()

    known = {"robots", "noindex", "unavailable-after", "dead-letter", "nofollow", "host-quota"}
    assert known <= used  # they are found
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


def test_every_event_leads_somewhere_and_says_why():
    assert all(event.before and event.why for event in Event)
    assert len(Event.__members__) == len(list(Event))  # none is another by mistake


def test_an_event_leads_to_its_state_from_the_states_that_allow_it_and_from_no_other():
    for state, event in product(State, Event):
        assert after(state, event) == (event.leads_to if state in event.before else None)


def ways_from(state):
    return {then for event in Event if (then := after(state, event)) is not None}


@pytest.mark.parametrize("state", State)
def test_every_state_leads_to_every_other(state):
    seen: set[State] = set()
    ahead = {state}
    while ahead:
        ahead = {then for now in ahead for then in ways_from(now)} - seen
        seen |= ahead

    assert seen == set(State)


@pytest.mark.parametrize(
    ("before", "then", "allowed"),
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
        (State.EXCLUDED, State.FETCHING, True),  # a recrawl
        (State.GONE, State.FETCHING, True),  # a recrawl
        (State.GONE, State.DISCOVERED, True),  # another round
        (State.FAILED, State.DISCOVERED, True),  # a dead letter that is sent again
        (State.PARSED, State.FETCHED, False),
    ],
)
def test_steps_of_a_life(before, then, allowed):
    assert (then in ways_from(before)) is allowed


def test_only_a_claim_leads_to_fetching_and_only_a_fetch_to_what_a_response_says():
    claims = {event for event in Event if event.leads_to is State.FETCHING}
    said = {State.DUPLICATE, State.UNCHANGED, State.REDIRECTED, State.GONE}

    assert claims == {Event.CLAIMED, Event.CLAIMED_REVISIT}
    for event in Event:
        assert event.leads_to not in said or event.before == {State.FETCHING}


def test_what_is_under_way_is_ended_only_by_who_fetches_it_or_by_the_end_of_its_job():
    """A late copy of a CrawlRequest must not end what another slot is being used for."""
    ends = {e for e in Event if after(State.FETCHING, e) in END_STATES}

    assert not ends & {Event.SKIPPED, Event.SKIPPED_REVISIT, Event.GIVEN_UP, Event.REVISITED}
