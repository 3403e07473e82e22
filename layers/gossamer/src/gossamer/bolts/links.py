"""LINKS: decide which of the found links enter the frontier.

Known URLs are dropped first, because most links lead to pages we have; what is left is judged by
scope, traps and quotas, remembered with its verdict, and sent on in packs of one host each.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from gossamer.bolts.quotas import Quota
from gossamer.bolts.sitemaps import to_be_read
from gossamer.core.crawl.traps import trap
from gossamer.core.crawl.url_record import Discovery
from gossamer.core.crawl.url_state import State
from gossamer.core.ids import UrlId
from gossamer.core.page.dates import JUST_NOW
from gossamer.core.urls import host_of, sitemap_id, url_id
from gossamer.messages import (
    MAX_PACK,
    Candidate,
    CrawlRequest,
    Emission,
    Link,
    LinksFound,
    PageFetched,
    portions,
)

if TYPE_CHECKING:
    from gossamer.core.crawl.job import Rules
    from gossamer.core.crawl.url_record import Admission, PageRef, UrlRecord
    from gossamer.ports import Ports

MAX_REDIRECTS = 5


def links(found: LinksFound, ports: Ports, now: float) -> list[Emission]:
    """Admit or exclude what was found, and send the admitted on."""
    job = ports.jobs.get(found.job)
    if job is None:
        return []
    source = url_id(found.source) if found.source else UrlId(b"")
    if found.via == "page":
        ports.edges.put(source, found.links, found.part, found.parts)
    feeds = _feeds(found, job.rules, ports, source, now)
    if found.via == "sitemap":  # whose record is not that of a page with the same address
        source = sitemap_id(found.source)
    depth = found.depth + (found.via in ("page", "sitemap"))
    identified = [(url_id(link.url), link) for link in found.links]
    unknown = ports.urls.unknown([(id, depth) for id, _ in identified], source)
    if not unknown:
        _hint(found, unknown, ports, now)
        return feeds + _go_on(found, ports)
    dates = {id: date for id, date in _dates(found).items() if date < now - JUST_NOW}
    judged = [
        Discovery(
            *(id, link.url, host_of(link.url), depth, found.hops, reason, found.job),
            hinted_at=dates.get(id, 0.0),
        )
        for id, link in dict(identified).items()
        if id in unknown
        for reason in [_verdict(link, depth, found, job.rules, now)]
    ]
    admission = ports.urls.add(_within_quotas(judged, job.rules, ports, found), source, now)
    _hint(found, unknown - {record.id for record in admission.shallower}, ports, now)
    packs = _packs(found.job, admission, found.cookies)
    onward = [] if admission.fresh else _go_on(found, ports)
    return feeds + packs + onward + _relaxations(found.job, admission.shallower, ports, now)


def _hint(found: LinksFound, new: set[bytes], ports: Ports, now: float) -> None:
    """Note what changed since we saw it, and the dates of what waits; what is new has its own."""
    dates = {id: date for id, date in _dates(found).items() if id not in new}
    if dates:
        ports.urls.hint(dates, found.job, now - JUST_NOW)


def _dates(found: LinksFound) -> dict[bytes, float]:
    """When pages changed, as a sitemap or feed says of those of its own host."""
    own = host_of(found.source) if found.dates else ""
    return {
        url_id(link.url): date
        for link, date in zip(found.links, found.dates, strict=False)
        if date > 0 and host_of(link.url) == own
    }


def _feeds(
    found: LinksFound, rules: Rules, ports: Ports, source: bytes, now: float
) -> list[Emission]:
    """Have feeds read that are new: of the page's own host, or where the job goes anyway."""
    if not (found.feeds and rules.config.sitemaps and rules.config.follow):
        return []
    own = host_of(found.source)
    wanted = {
        sitemap_id(url): url
        for url in found.feeds
        if host_of(url) == own or not rules.scope.reject(url, 0)
    }
    unknown = ports.urls.unknown([(id, 0) for id in wanted], source)
    judged = [
        Discovery(id, url, host_of(url), 0, job=found.job)
        for id, url in wanted.items()
        if id in unknown
    ]
    if not judged:
        return []
    reasons = Quota(rules, ports.quotas, ports.reputation).of_feeds([d.url for d in judged])
    within = [_excluded(d, why) if why else d for d, why in zip(judged, reasons, strict=True)]
    return to_be_read(found.job, ports.urls.add(within, source, now))


def _verdict(link: Link, depth: int, found: LinksFound, rules: Rules, now: float) -> str:
    """Why a URL is excluded; empty if it is admitted. A person's seed is never a trap."""
    if link.nofollow:
        return "nofollow"
    if found.hops > MAX_REDIRECTS:
        return "too-many-redirects"
    return verdict(link.url, depth, rules, now, is_seed=found.via == "seed")


def verdict(url: str, depth: int, rules: Rules, now: float, *, is_seed: bool) -> str:
    """What scope and traps say of a URL: why it is excluded, or nothing."""
    if depth > 0 and not rules.config.follow:
        return "not-followed"
    outside = rules.scope.reject(url, depth)
    if outside or is_seed or not rules.config.traps.enabled:
        return outside
    return trap(url, rules.config.traps, year=datetime.fromtimestamp(now, UTC).year)


def verdict_again(record: UrlRecord, rules: Rules, now: float) -> str:
    """The same for a URL that is known already: the rules may have changed."""
    if record.purpose == "sitemap":
        return "" if rules.config.sitemaps else "not-followed"
    is_seed = not record.via and record.depth == 0
    return verdict(record.url, record.depth, rules, now, is_seed=is_seed)


def judge_again(record: UrlRecord, rules: Rules, quota: Quota, now: float) -> str:
    """What scope, traps and quotas say of a URL that is known and may wait again."""
    return verdict_again(record, rules, now) or quota.reason_again(record)


def _within_quotas(
    judged: list[Discovery], rules: Rules, ports: Ports, found: LinksFound
) -> list[Discovery]:
    """Hosts and shapes of URLs may give only so many: the rest is excluded."""
    if found.via == "seed":
        ports.reputation.mark_named(
            {d.host for d in judged if not (d.reason or rules.names(d.url))}
        )
        return judged
    admitted = [discovery.url for discovery in judged if not discovery.reason]
    if not admitted:
        return judged
    quota = Quota(rules, ports.quotas, ports.reputation)
    reasons = dict(zip(admitted, quota.reasons(admitted), strict=True))
    return [_excluded(d, reasons[d.url]) if reasons.get(d.url) else d for d in judged]


def _excluded(d: Discovery, reason: str) -> Discovery:
    return msgspec.structs.replace(d, reason=reason)


def _packs(job: str, admission: Admission, cookies: str) -> list[Emission]:
    by_host: dict[str, list[Candidate]] = {}
    for fresh in admission.fresh:
        candidate = Candidate(fresh.url, fresh.depth, fresh.hops, cookies=cookies)
        by_host.setdefault(fresh.host, []).append(candidate)
    return [
        Emission("frontier", CrawlRequest(job=job, host=host, urls=pack))
        for host, urls in by_host.items()
        for pack in portions(urls, MAX_PACK)
    ]


def _go_on(found: LinksFound, ports: Ports) -> list[Emission]:
    """Follow a redirect to a URL that redirects itself, if one of them sets cookies.

    Without cookies it would say what it said. It is asked again as for a recrawl, once: when it was
    asked later than the URL that leads to it, this message came twice.
    """
    if found.via != "redirect" or found.hops > MAX_REDIRECTS or not found.links:
        return []
    known = ports.urls.get(url_id(found.links[0].url))
    if known is None or known.state is not State.REDIRECTED:
        return []
    source = ports.urls.get(url_id(found.source)) if found.cookies or known.cookies else None
    if source is None or source.fetched_at <= known.fetched_at:
        return []
    again = Candidate(known.url, known.depth, found.hops, after=known.slot, cookies=found.cookies)
    return [Emission("frontier", CrawlRequest(job=found.job, host=known.host, urls=[again]))]


def redirection(job: str, record: UrlRecord, hops: int) -> LinksFound:
    """Where a URL redirects to after so many hops, found at the URL's own depth."""
    return LinksFound(
        job=job,
        source=record.url,
        depth=record.depth,  # not the request's: a shorter way may have been found meanwhile
        via="redirect",
        links=[Link(record.target)],
        hops=hops + 1,
        cookies=record.cookies,
    )


def _relaxations(job: str, shallower: list[UrlRecord], ports: Ports, now: float) -> list[Emission]:
    """A URL found by a shorter way: what it leads to is nearer too."""
    emissions: list[Emission] = []
    for record in shallower:
        if record.state is State.REDIRECTED:
            emissions += links(redirection(job, record, record.hops), ports, now)
        elif record.page is not None:
            emissions.append(Emission("parse", _read_again(job, record, record.page)))
    return emissions


def _read_again(job: str, record: UrlRecord, page: PageRef) -> PageFetched:
    return PageFetched(
        job=job,
        url=record.url,
        page=page,
        depth=record.depth,
        fetched_at=record.fetched_at,
        links_only=True,
    )
