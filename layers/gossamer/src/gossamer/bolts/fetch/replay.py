"""FETCH once more, for a request that lies in a WARC file: all of it but the request.

A database that was lost is made anew by this: every response is applied in the order in which they
came, so that URLs, hosts and owners of content end as they did. What the rules say against a
request is not asked: it was made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.bolts.fetch.apply_response import Visit
from gossamer.bolts.fetch.claim import apply
from gossamer.core.crawl.host_record import HostChange
from gossamer.core.crawl.url_record import Discovery, UrlChange, UrlRecord
from gossamer.core.crawl.url_state import END_STATES, Event, State
from gossamer.core.ids import UrlId
from gossamer.messages import id_of

if TYPE_CHECKING:
    from gossamer.core.crawl.url_record import PageRef
    from gossamer.messages import Emission, FetchRequest
    from gossamer.ports import Ports
    from gossamer.ports.fetcher import HttpResponse


def is_expected(request: FetchRequest, ports: Ports) -> bool:
    """Whether what was applied before leads to this request: its URL is known, and waits."""
    if request.purpose == "robots":
        return True
    record = ports.urls.get(id_of(request.candidate.url, request.purpose))
    return record is not None and record.state is not State.FETCHED


async def replay(
    request: FetchRequest, response: HttpResponse, page: PageRef, ports: Ports
) -> list[Emission]:
    """Apply a response that was stored; nothing comes of one that is older than what is known."""
    job, before = ports.jobs.get(request.job), None
    if job is None:
        return []
    if request.purpose != "robots":
        known = _known(request, ports, response.started_at)
        request = _as_known(request, known)
        before = _claim(request, known, ports)
        if before is None:
            return []
    host = ports.hosts.get(request.host)
    emissions = await apply(Visit(request, ports, job, host, response, page, before))
    _keep_distance(request, response, ports)
    return emissions


def _known(request: FetchRequest, ports: Ports, now: float) -> UrlRecord:
    """The URL; one whose source is not there is added, because its source's record is damaged."""
    url, id = request.candidate.url, id_of(request.candidate.url, request.purpose)
    if (record := ports.urls.get(id)) is not None:
        return record
    found = Discovery(id, url, request.host, request.candidate.depth, job=request.job)
    ports.urls.add([found], UrlId(b""), now)
    return UrlRecord(id=id, url=url, host=request.host, depth=request.candidate.depth)


def _as_known(request: FetchRequest, known: UrlRecord) -> FetchRequest:
    """The request with what its WARC record does not tell: hops, and the visit as it is known."""
    asked = request.candidate
    after = known.slot if asked.after and known.state in END_STATES else 0.0
    hops = asked.hops if asked.cookies else known.hops
    candidate = msgspec.structs.replace(asked, hops=hops, after=after)
    return msgspec.structs.replace(request, candidate=candidate)


def _claim(request: FetchRequest, known: UrlRecord, ports: Ports) -> UrlRecord | None:
    """The URL as a fetcher had it; None if a later request for it is known.

    One that has ended, and is not visited by a recrawl, waited once more: in another round of its
    job, by other rules, or because a kill left the request before without effect. There is no
    commit: a rebuild begins anew after a crash.
    """
    if known.slot >= request.slot:
        return None
    event = Event.CLAIMED_REVISIT if request.candidate.after else Event.CLAIMED
    if known.state in END_STATES and event is Event.CLAIMED:
        ports.urls.move(known.id, Event.REVISITED, UrlChange(reason="", tries=0))
    if not ports.urls.move(known.id, event, UrlChange(slot=request.slot)):
        return None
    return ports.urls.get(known.id)


def _keep_distance(request: FetchRequest, response: HttpResponse, ports: Ports) -> None:
    """The next request of a crawl keeps its distance to the last one before."""
    free_at = response.started_at + request.delay + request.grace
    ports.hosts.change(request.host, HostChange(next_slot=free_at))
