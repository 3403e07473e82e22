"""Decides which URLs wait again when the rules of a job change, or another round begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.crawl.url_record import UrlChange
from gossamer.core.crawl.url_state import END_STATES, RULE_REASONS, Event, State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gossamer.core.crawl.url_record import UrlRecord

    Move = Callable[[bytes, Event, UrlChange], bool]

JUDGED_AGAIN = (State.DISCOVERED, State.EXCLUDED)


def revise(
    records: Iterable[UrlRecord], judge: Callable[[UrlRecord], str], move: Move
) -> list[UrlRecord]:
    """Judge anew what waits and what rules or limits had excluded; returns what waits again."""
    reopened: list[UrlRecord] = []
    for record in records:
        was_excluded = record.state is State.EXCLUDED
        if was_excluded and record.reason not in RULE_REASONS:
            continue
        reason = judge(record)
        if was_excluded != bool(reason) or reason != record.reason:
            event = Event.RULED_OUT if reason else Event.RULED_IN
            move(record.id, event, UrlChange(reason=reason))
        if was_excluded and not reason:
            reopened.append(record)
    return reopened


def revisit(records: Iterable[UrlRecord], move: Move) -> list[UrlRecord]:
    """Let everything that has ended wait once more, with all its tries; returns it."""
    ended = [record for record in records if record.state in END_STATES]
    for record in ended:
        move(record.id, Event.REVISITED, UrlChange(reason="", tries=0))
        record.tries = 0
    return ended
