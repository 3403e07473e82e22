"""What became of the seeds of a crawl: why they failed, and which are asked for again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.bolts.fetch.robots_txt import FATAL_FAULTS
from gossamer.bolts.packs import packs
from gossamer.core.crawl.host_pace import readmitted
from gossamer.core.crawl.host_record import HostChange
from gossamer.core.crawl.host_trouble import explain_with
from gossamer.core.crawl.reopening import revisit
from gossamer.core.crawl.url_state import LIMIT_REASONS, PAGE_REASONS, State
from gossamer.core.urls import url_id

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.core.crawl.host_record import HostRecord
    from gossamer.core.crawl.url_record import UrlRecord
    from gossamer.ports.home import Home

MAX_REDIRECTS = 10  # of a seed that are followed in the ledger; a crawl follows fewer
_ENDED_BADLY = {State.FAILED, State.GONE, State.EXCLUDED, State.REDIRECTED}
# Excluded, but it was read, or a limit came first: neither says that it cannot be crawled.
_NO_FAILURE = PAGE_REASONS | LIMIT_REASONS | {"sitemap", "feed"}

# robots.txt as if it had never been asked for.
UNREAD = HostChange(robots_until=0.0, robots_unavailable=False, robots_tries=0, robots_fault="")


def failed_seeds(home: Home, seeds: Iterable[str]) -> dict[str, str]:
    """Why each of some normalised seeds brought no page; empty if any of them brought one."""
    causes = {seed: _failure(home, seed) for seed in seeds}
    return {} if "" in causes.values() else causes


def ask_again(home: Home, job: str, seeds: Iterable[str], now: float) -> None:
    """Let normalised seeds wait again that could not be fetched: a person asks for them again.

    The cause may be mended by now, or a missing flag be given. A host that demanded a pause gets
    it: its seeds stay as they are.
    """
    ends = [record for seed in seeds if (record := _end_of(home, seed)) is not None]
    failed = [record for record in ends if record.state in (State.FAILED, State.GONE)]
    hosts = {name: home.hosts.get(name) for name in {record.host for record in failed}}
    free = {name for name, host in hosts.items() if host.not_before <= now}
    for name in free:
        _forget_trouble(home, hosts[name])
    again = revisit((record for record in failed if record.host in free), home.urls.move)
    home.queues.send(packs(job, again), now)


def _forget_trouble(home: Home, host: HostRecord) -> None:
    """Let a host be asked for robots.txt again, unless it is set aside for what it answered."""
    if host.set_aside in FATAL_FAULTS:
        home.hosts.change(host.host, readmitted(host))
    if host.robots_unavailable:
        home.hosts.change(host.host, UNREAD)


def _failure(home: Home, seed: str) -> str:
    record = _end_of(home, seed)
    if record is None or record.state not in _ENDED_BADLY or record.reason in _NO_FAILURE:
        return ""
    text = explain_with(record.reason, home.hosts.get(record.host))
    return text if record.url == seed else f"it leads to {record.url}: {text}"


def _end_of(home: Home, seed: str) -> UrlRecord | None:
    """The record of a seed, or of the last URL that it redirects to."""
    record = home.urls.get(url_id(seed))
    for _ in range(MAX_REDIRECTS):
        if record is None or record.state is not State.REDIRECTED:
            break
        onward = home.urls.get(url_id(record.target))
        if onward is None:
            break
        record = onward
    return record
