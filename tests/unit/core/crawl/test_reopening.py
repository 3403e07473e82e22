from __future__ import annotations

import pytest

from gossamer.core.crawl.reopening import revise, revisit
from gossamer.core.crawl.url_record import UrlRecord
from gossamer.core.crawl.url_state import END_STATES, RULE_REASONS, Event, State


def record(state, reason="", tries=3) -> UrlRecord:
    return UrlRecord(id=b"x", url="u", host="h", state=state, reason=reason, tries=tries)


class Moves(list[tuple[Event, str]]):
    def __call__(self, id, event, change):
        self.append((event, change.reason))
        return True


@pytest.mark.parametrize(
    ("state", "reason", "verdict", "moves", "reopens"),
    [
        (State.DISCOVERED, "", "", [], False),
        (State.DISCOVERED, "", "too-deep", [(Event.RULED_OUT, "too-deep")], False),
        (State.EXCLUDED, "max-pages", "", [(Event.RULED_IN, "")], True),
        (State.EXCLUDED, "too-deep", "too-deep", [], False),
        (State.EXCLUDED, "too-deep", "calendar", [(Event.RULED_OUT, "calendar")], False),
        (State.EXCLUDED, "robots", "", [], False),
    ],
)
def test_rules_open_and_close_what_they_have_a_say_in(state, reason, verdict, moves, reopens):
    made, url = Moves(), record(state, reason)

    reopened = revise([url], lambda _: verdict, made)

    assert made == moves
    assert reopened == ([url] if reopens else [])


def test_only_what_a_rule_excluded_is_judged_again():
    asked: list[str] = []
    urls = [record(State.EXCLUDED, reason) for reason in ("robots", "noindex", *RULE_REASONS)]

    def judge(url):
        asked.append(url.reason)
        return ""

    revise(urls, judge, Moves())

    assert set(asked) == RULE_REASONS


def test_everything_that_has_ended_waits_again_with_all_its_tries():
    made = Moves()

    again = revisit([record(state) for state in State], made)

    assert {url.state for url in again} == END_STATES
    assert {url.tries for url in again} == {0}
    assert made == [(Event.REVISITED, "")] * len(END_STATES)
