"""RECRAWL: choose the pages of a job that are fetched again now.

Who is due is worked out anew each time, from the history of every page: what was planned long ago
is not trusted. A page stays what it is until it is claimed for its request, so a plan writes
nothing, and one that is lost costs nothing: its pages are due the next time.
"""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby
from math import inf
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from gossamer.core.crawl.url_record import Purpose, UrlChange
from gossamer.core.crawl.url_state import (
    END_STATES,
    FILE_REASONS,
    NO_DOCUMENT,
    UNASKED_REASONS,
    Event,
    State,
)
from gossamer.core.revisit.budget import within
from gossamer.core.revisit.change_rate import DAY, SLOWEST, Prior, remembered
from gossamer.core.revisit.policy import Policy, Revisit, due
from gossamer.messages import MAX_PACK, Candidate, CrawlRequest, Emission, id_of, portions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gossamer.bolts.quotas import Quota
    from gossamer.core.crawl.job import RecrawlConfig
    from gossamer.core.crawl.url_record import UrlRecord
    from gossamer.core.revisit.change_rate import History
    from gossamer.ports.home import Home
    from gossamer.ports.hosts import HostStore
    from gossamer.ports.urls import UrlStore

# Of URLs that are excluded these may be let in again; what rules exclude, rules must let in.
READ_AGAIN = FILE_REASONS | {"noindex", NO_DOCUMENT, "sitemap", "content-type", "too-large"}
MOST_REFUSED = 1000  # URLs of one host that are looked at, of those that its quota refused
SHARE_OF_REFUSED = 4  # what such URLs may take of a limit: one request in so many
ALMOST = 1e-9  # an interval of 0 would be a page visited for ever
# A sitemap or feed changes whenever one of its pages does.
LIST_PRIOR = Prior(rate=1 / DAY)
# Hints of a host that are believed in one plan: so many, more for each that was right, and fewer
# for each that was wrong. One that always says "now" costs so many visits, and no more.
TRIAL, CREDIT = 20, 4


class Plan(msgspec.Struct, kw_only=True):
    """What is asked for again, the most urgent first, and what it was chosen from."""

    job: str
    urls: int = 0  # that may be asked for again
    due: int = 0  # that were due without a budget
    limit: int | None = None  # requests that the budget has for this time
    price: float = 0.0  # seconds of freshness that a request must bring, to keep to the budget
    chosen: list[Waiting] = []
    refused: list[Waiting] = []  # by the quotas of their hosts, which may have grown since


class Waiting(msgspec.Struct, frozen=True):
    """A URL that may be asked for again: what is kept of its record while others are looked at."""

    url: str
    host: str
    purpose: Purpose
    depth: int
    hops: int
    slot: float  # of its last request
    rate: float  # changes a second
    missing: bool = False  # it was there and was not found the last time
    stranded: bool = False  # a process died before it had sent a round
    tries: int = 0
    probe: float = inf  # seconds after which a look tells how often it changes
    hinted_at: float = 0.0  # said to have changed since then


@dataclass(slots=True)
class Gathered:
    """What a plan needs of many records: gathered from some, and put together with others."""

    rates: array[float] = field(default_factory=lambda: array("d"))  # of all that may be asked for
    ripe: list[Waiting] = field(default_factory=list)  # due, if requests cost nothing
    refused: dict[str, list[Waiting]] = field(default_factory=dict)  # by the quotas of their hosts
    # Of hosts, for what was said of their pages; below 0 for what was wrong.
    credit: Counter[str] = field(default_factory=Counter)
    last: float = 0.0  # the slot of the last request

    def join(self, other: Gathered) -> None:
        """Take in what was gathered elsewhere."""
        self.rates += other.rates
        self.ripe += other.ripe
        self.credit.update(other.credit)
        self.last = max(self.last, other.last)
        for host, some in other.refused.items():
            of_host = self.refused.setdefault(host, [])
            of_host += some[: MOST_REFUSED - len(of_host)]


def recrawl(
    home: Home,
    job: str,
    now: float,
    config: RecrawlConfig,
    *,
    elapsed: float | None = None,
    most: int | None = None,
) -> Plan:
    """Choose what is asked for again.

    The budget is for `elapsed` seconds; by default for those since the last request of the
    job, of which a day counts at most. `most` is a limit beside it.
    """
    gathered = gather(home.urls.visited(job), now, policy_of(config))
    return plan_of(gathered, home.hosts, job, now, config, elapsed=elapsed, most=most)


def policy_of(config: RecrawlConfig) -> Policy:
    """How fresh a job wants its pages, whatever that costs."""
    shortest, longest = max(config.min_interval, ALMOST), max(config.max_interval, ALMOST)
    return Policy(target=config.target, min_interval=shortest, max_interval=longest)


def is_visited(record: UrlRecord) -> bool:
    """Whether `UrlLedger.visited` has a URL of the job."""
    if record.state is State.DISCOVERED:
        return True
    return record.state in END_STATES and (record.slot > 0 or record.reason in UNASKED_REASONS)


def gather(records: Iterable[UrlRecord], now: float, policy: Policy) -> Gathered:
    """What a plan needs of some records that `UrlLedger.visited` has."""
    found = Gathered()
    for record in records:
        if record.reason == "host-quota":
            _remember_refused(record, found.refused)
            continue
        found.last = max(found.last, record.slot)
        history = remembered(record.history)
        if history.hints:
            found.credit[record.host] += CREDIT * (history.hints - 2 * history.wrong_hints)
        waiting = _waiting(record, history, policy)
        if waiting is not None:
            found.rates.append(waiting.rate)
            if _is_ripe(waiting, now, policy):
                found.ripe.append(waiting)
    return found


def plan_of(
    gathered: Gathered,
    hosts: HostStore,
    job: str,
    now: float,
    config: RecrawlConfig,
    *,
    elapsed: float | None = None,
    most: int | None = None,
) -> Plan:
    """Choose among what was gathered."""
    policy, last = policy_of(config), gathered.last
    plan = Plan(job=job, urls=len(gathered.rates))
    ripe = _askable(_believed(gathered.ripe, gathered.credit, now, policy), hosts, now)
    plan.due = len(ripe)
    plan.limit = _limit(config, min(now - last, DAY) if elapsed is None else elapsed, most)
    if config.budget is not None and ripe:
        policy = within(policy, np.asarray(gathered.rates), config.budget)
        plan.price = policy.price
    plan.chosen = _chosen(ripe, now, policy, len(ripe) if plan.limit is None else plan.limit)
    refused = [url for some in gathered.refused.values() for url in some]
    plan.refused = _askable(refused, hosts, now)
    return plan


def _remember_refused(record: UrlRecord, refused: dict[str, list[Waiting]]) -> None:
    of_host = refused.setdefault(record.host, [])
    if len(of_host) < MOST_REFUSED:
        url, purpose, way = record.url, record.purpose, (record.depth, record.hops)
        of_host.append(Waiting(url, record.host, purpose, *way, record.slot, SLOWEST))


def with_refused(plan: Plan, quota: Quota) -> Plan:
    """The plan with those that hosts could not give before and can now. Takes their units.

    Of a limit they get one request in four at most; the least urgent of the others wait for them.
    """
    most = len(plan.refused) if plan.limit is None else plan.limit // SHARE_OF_REFUSED
    admitted: list[Waiting] = []
    for _, of_host in groupby(plan.refused, lambda url: url.host):
        some = list(of_host)[: most - len(admitted)]
        reasons = quota.reasons([url.url for url in some])
        admitted += [url for url, reason in zip(some, reasons, strict=True) if not reason]
    others = plan.chosen if plan.limit is None else plan.chosen[: plan.limit - len(admitted)]
    return msgspec.structs.replace(plan, chosen=others + admitted, refused=[])


def begin(plan: Plan, urls: UrlStore) -> list[Emission]:
    """What is chosen, in packs of one host and purpose each."""
    groups: dict[tuple[str, Purpose], list[Candidate]] = {}
    for url in plan.chosen:
        if not url.slot:  # never asked for: there is no last request by which to know it
            # A crash here leaves it waiting in no stream: the next plan finds it.
            id = id_of(url.url, url.purpose)
            urls.move(id, Event.ASKED_AFTER_ALL, UrlChange(reason="", tries=0))
        candidate = Candidate(url.url, url.depth, url.hops, url.tries, after=url.slot)
        groups.setdefault((url.host, url.purpose), []).append(candidate)
    return [
        Emission("frontier", CrawlRequest(job=plan.job, host=host, urls=pack, purpose=purpose))
        for (host, purpose), candidates in groups.items()
        for pack in portions(candidates, MAX_PACK)
    ]


def _waiting(record: UrlRecord, history: History, policy: Policy) -> Waiting | None:
    """What may be asked for again, and how often it changes, as far as that is known."""
    if record.state is State.EXCLUDED and record.reason not in READ_AGAIN:
        return None
    prior = LIST_PRIOR if record.purpose == "sitemap" else policy.prior
    hinted = record.hinted_at > record.slot > 0 and history.trusts_hints
    missing = record.state is State.GONE and bool(record.history) and not history.is_vanished
    gone = record.state is State.GONE and not missing
    stranded = record.state is State.DISCOVERED
    return Waiting(
        record.url,
        record.host,
        record.purpose,
        record.depth,
        record.hops,
        record.slot,
        SLOWEST if gone else history.rate(prior),
        missing,
        stranded,
        record.tries if stranded else 0,
        inf if gone else history.probe,
        record.hinted_at if hinted else 0.0,
    )


def _is_ripe(waiting: Waiting, now: float, policy: Policy) -> bool:
    """Whether it is due, if requests cost nothing; soon, if it is missing or said to be new."""
    if waiting.stranded:
        return True
    soon = waiting.missing or waiting.hinted_at
    wanted = policy.min_interval if soon else policy.interval(waiting.rate)
    return now - waiting.slot >= wanted


def _believed(
    ripe: list[Waiting], credit: Mapping[str, int], now: float, policy: Policy
) -> list[Waiting]:
    """Hints count as far as those of their host were right before, the latest first."""
    kept = [waiting for waiting in ripe if not waiting.hinted_at]
    believed = Counter[str]()
    for waiting in sorted((w for w in ripe if w.hinted_at), key=lambda w: (-w.hinted_at, w.url)):
        believed[waiting.host] += 1
        if believed[waiting.host] > TRIAL + credit.get(waiting.host, 0):
            waiting = msgspec.structs.replace(waiting, hinted_at=0.0)
            if not _is_ripe(waiting, now, policy):
                continue
        kept.append(waiting)
    return kept


def _askable(ripe: list[Waiting], hosts: HostStore, now: float) -> list[Waiting]:
    """Without those of hosts that are left alone now."""
    known: dict[str, bool] = {}
    for host in {waiting.host for waiting in ripe}:
        record = hosts.get(host)
        unreadable = record.robots_unavailable and now < record.robots_until
        known[host] = not unreadable and not record.is_set_aside(now)
    return [waiting for waiting in ripe if known[waiting.host]]


def _limit(config: RecrawlConfig, elapsed: float, most: int | None) -> int | None:
    limits = [] if most is None else [most]
    if config.budget is not None:
        limits.append(int(config.budget * max(0.0, elapsed) / DAY))
    return min(limits) if limits else None


def _chosen(ripe: list[Waiting], now: float, policy: Policy, limit: int) -> list[Waiting]:
    """First what was left behind, and what is missing: the index may show what is not there.

    What is said to have changed counts as if it had waited for the longest interval.
    """
    long_ago = now - policy.max_interval - 1.0
    by_id = {f"{waiting.purpose} {waiting.url}": waiting for waiting in ripe}
    urgent = [waiting for waiting in ripe if waiting.missing or waiting.stranded]
    first = sorted(urgent, key=lambda w: (w.slot, w.url))[:limit]
    revisits: Iterable[Revisit] = (
        Revisit(id, w.rate, long_ago if w.hinted_at else w.slot, probe=w.probe)
        for id, w in by_id.items()
        if not (w.missing or w.stranded)
    )
    return first + [by_id[r.id] for r in due(revisits, now, policy, limit - len(first))]
