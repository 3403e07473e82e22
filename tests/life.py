"""Brings a URL into a state by events that the life cycle allows, for tests that begin there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gossamer.core.crawl.url_record import NOTHING_LEARNED, UrlChange
from gossamer.core.crawl.url_state import Event, State, after

if TYPE_CHECKING:
    from gossamer.ports.urls import UrlStore


def events_to(state: State, before: State) -> list[Event]:
    """The fewest events, at least one, that lead from one state to another."""
    ways: list[tuple[State, list[Event]]] = [(before, [])]
    while ways:
        now, events = ways.pop(0)
        for event in Event:
            then = after(now, event)
            if then is state:
                return [*events, event]
            if then is not None and len(events) < len(State):
                ways.append((then, [*events, event]))
    raise AssertionError(f"nothing leads from {before} to {state}")


def bring(urls: UrlStore, id: bytes, state: State, change: UrlChange | None = None) -> None:
    """Let a URL live until it is in this state, and learn there what is given."""
    record = urls.get(id)
    assert record is not None
    *before, last = events_to(state, record.state)
    for event in before:
        assert urls.move(id, event)
    assert urls.move(id, last, change or NOTHING_LEARNED)


def learned(reason: str = "", **facts: Any) -> UrlChange:
    """A change with a reason."""
    return UrlChange(reason=reason, **facts)
