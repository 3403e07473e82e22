"""Would the simulation notice? Deliberate mistakes, each of which it must find.

A mistake is switched on by replacing one function of the program for as long as a `with` block
lasts; the program itself knows nothing of it.
"""

from __future__ import annotations

import dataclasses
import math
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import msgspec
import numpy as np

from gossamer.adapters.local import urls
from gossamer.adapters.local.content_owners import SqliteContentStore
from gossamer.adapters.local.documents import SqliteDocumentStore
from gossamer.adapters.local.frontier import SqliteFrontier
from gossamer.adapters.local.hosts import SqliteHostStore
from gossamer.adapters.local.jobs import SqliteJobStore
from gossamer.adapters.local.segments import LocalSegmentStore
from gossamer.adapters.local.urls import SqliteUrlStore
from gossamer.batch import index as batches
from gossamer.batch import near_duplicates, rank
from gossamer.bolts import links, manifest
from gossamer.bolts import merge as merging
from gossamer.bolts.fetch import apply_response, robots_txt
from gossamer.bolts.fetch import claim as fetch
from gossamer.bolts.fetch import emissions as onward
from gossamer.core.crawl import claims, removal, response_outcome
from gossamer.core.crawl.claims import Claim
from gossamer.core.crawl.host_pace import pace_of
from gossamer.core.crawl.politeness import Starts
from gossamer.core.crawl.robots import Robots
from gossamer.core.crawl.url_record import Discovery
from gossamer.core.crawl.url_state import NO_DOCUMENT, Event
from gossamer.core.fingerprint import fingerprint
from gossamer.core.index.segments import merger
from gossamer.core.page import packed_documents, parts
from gossamer.core.revisit import change_rate
from gossamer.core.urls import host_of, sitemap_id
from gossamer.entrypoints.dispatch import forget_packs
from gossamer.entrypoints.lambdas import compact as compacting
from gossamer.entrypoints.lambdas import sqs
from gossamer.messages import Candidate, CrawlRequest, Emission
from gossamer.ports.documents import PageVersion
from tests.simulation.queues import SimulatedQueues

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Patch = tuple[Any, str, Any]


def _skip_the_claim() -> list[Patch]:
    async def claim(self: Any, id: bytes, *_: Any) -> Claim:
        self.move(id, Event.CLAIMED)
        return Claim.TAKEN

    return [(SqliteUrlStore, "claim", claim)]


def _move_a_url_whatever_its_state() -> list[Patch]:
    return [(urls, "after", lambda _, event: event.leads_to)]


def _drop_the_grace_check() -> list[Patch]:
    request_of = fetch._http_request

    def whenever(*given: Any) -> Any:
        return dataclasses.replace(request_of(*given), start_by=math.inf)

    def never_late(request: Any, job: Any, host: Any, ports: Any, now: float) -> bool:
        return bool(
            now < host.not_before or request.delay < pace_of(host, job.config, ports.grace).delay
        )

    return [(fetch, "_http_request", whenever), (fetch, "slot_is_void", never_late)]


def _start_short_delays_whenever() -> list[Patch]:
    return [(Starts, "free_at", lambda *_: 0.0)]


def _count_the_budget_after_the_fetch() -> list[Patch]:
    def reserve(self: Any, job: str, ids: Any) -> set[bytes]:
        del self, job
        return set(ids)

    return [(SqliteJobStore, "reserve", reserve)]


def _acknowledge_before_sending() -> list[Patch]:
    take = SimulatedQueues.take

    def take_for_good(self: Any, stream: Any, limit: int) -> Any:
        taken = take(self, stream, limit)
        for held in taken:
            self.remove(held)
        return taken

    return [(SimulatedQueues, "take", take_for_good)]


def _forget_packs_before_sending() -> list[Patch]:
    def send(cases: Any, worker: Any) -> None:
        done = [case for case in cases if case.error is None]
        emissions = [emission for case in done for emission in case.emissions]
        forget_packs(emissions, worker.ports.frontier)
        worker.home.queues.send(emissions, worker.clock())

    return [(sqs, "_send", send)]


def _forget_a_pack_that_was_parked_again() -> list[Patch]:
    def forget(self: Any, host: str, key: str) -> None:
        seq = int(key.split()[0])
        if self._store.write("DELETE FROM frontier WHERE seq = ?", (seq,)).rowcount:
            self.packs[host] -= 1

    return [(SqliteFrontier, "forget", forget)]


def _ignore_robots() -> list[Patch]:
    return [(Robots, "allows", lambda *_: True)]


def _ignore_nofollow() -> list[Patch]:
    verdict = links._verdict

    def blind(link: Any, *rest: Any) -> str:
        return verdict(msgspec.structs.replace(link, nofollow=False), *rest)

    return [(links, "_verdict", blind)]


def _book_the_same_slots_twice() -> list[Patch]:
    book = SqliteHostStore.book

    def book_and_forget(self: Any, host: str, *given: Any) -> Any:
        before = self.get(host)
        booking = book(self, host, *given)
        self._write(before)
        return booking

    return [(SqliteHostStore, "book", book_and_forget)]


def _do_not_hear_retry_after() -> list[Patch]:
    return [(response_outcome, "retry_after", lambda *_: 0.0)]


def _say_nothing_the_second_time() -> list[Patch]:
    return [(fetch, "_repeat", lambda *_: [])]


def _own_every_content() -> list[Patch]:
    return [(SqliteContentStore, "own", lambda _self, _md5, url: url)]


def _give_units_back_of_pages() -> list[Patch]:
    def release(self: Any, job: str, id: bytes, now: float, **_: Any) -> bool:
        del now
        row = self._jobs[job]
        units = (self._store.row("SELECT units FROM urls WHERE id = ?", (id,)) or (0,))[0]
        self._store.write("UPDATE urls SET units = 0 WHERE id = ?", (id,))
        row.pages -= bool(units & 1)
        row.documents -= bool(units & 2)
        return bool(units)

    return [(SqliteJobStore, "release", release)]


# ── the index ───────────────────────────────────────────────────────────────────────────────────


def _merge_without_the_tombstones_that_came_since() -> list[Patch]:
    taken_over = manifest._taken_over

    def as_it_began(writer: Any, name: str, size: int, merged: Any, sources: Any) -> Any:
        del sources
        return taken_over(writer, name, size, merged, merged.sources)

    return [(manifest, "_taken_over", as_it_began)]


def _publish_whatever_the_versions() -> list[Patch]:
    superseded = manifest._superseded

    def blind(opened: Any, info: Any, identities: Any) -> Any:
        newest = dataclasses.replace(identities, versions=identities.versions + 1e12)
        return superseded(opened, info, newest)

    return [(manifest, "_superseded", blind)]


def _publish_over_the_manifest_of_others() -> list[Patch]:
    publish = LocalSegmentStore.publish

    def overwrite(self: Any, after: Any) -> bool:
        version = self.manifest().version + 1
        return publish(self, msgspec.structs.replace(after, version=version))

    return [(LocalSegmentStore, "publish", overwrite)]


def _delete_the_sources_before_publishing() -> list[Patch]:
    replace = manifest.replace_segments

    def delete_first(writer: Any, name: str, size: int, merged: Any) -> bool:
        writer.store.delete([info.name for info in merged.sources])
        return replace(writer, name, size, merged)

    return [(merging, "replace_segments", delete_first)]


def _sweep_without_grace() -> list[Patch]:
    return [(compacting, "sweep", partial(manifest.sweep, grace=0.0))]


def _sweep_what_is_being_written() -> list[Patch]:
    def unnamed(names: Any, known: Any, now: float) -> list[str]:
        del now
        return [name for name in names if name not in known.names()]

    return [(manifest, "_orphans", unnamed)]


def _never_sweep_orphans() -> list[Patch]:
    return [(manifest, "_orphans", lambda *_: [])]


def _make_parts_of_what_lives_by_now() -> list[Patch]:
    """Not of what lived when the merge was planned: then parts do not fit together."""
    open_sources = merging.open_sources

    def opened(writer: Any, infos: Any, forget_before: float) -> Any:
        now = {info.name: info for info in writer.store.manifest().segments}
        return open_sources(writer, [now.get(i.name, i) for i in infos], forget_before)

    return [(merging, "open_sources", opened)]


def _forget_at_once_what_is_gone() -> list[Patch]:
    order_of = merger.order_of
    return [
        (manifest, "_remembers", lambda *_: False),
        (merging, "order_of", lambda sources, _: order_of(sources, math.inf)),
    ]


def _merge_the_dead_as_if_they_lived() -> list[Patch]:
    def all_of_them(source: Any, _: float) -> Any:
        return np.arange(len(source.segment.identities))

    return [(merger, "_kept", all_of_them)]


# ── pages with none, one or many documents ──────────────────────────────────────────────────────


def _know_items_by_their_places() -> list[Patch]:
    parts_of = parts.parts_of

    def without_keys(documents: Any) -> Any:
        return parts_of(msgspec.structs.replace(document, key="") for document in documents)

    return [(packed_documents, "parts_of", without_keys)]


def _supersede_only_the_documents_that_come_again() -> list[Patch]:
    superseded = manifest._superseded

    def by_document(opened: Any, info: Any, identities: Any) -> Any:
        theirs, ours = superseded(opened, info, identities)
        again = np.isin(opened.segment(info).identities.ids, identities.ids)
        return theirs & again, ours

    return [(manifest, "_superseded", by_document)]


def _index_the_first_documents_of_pages() -> list[Patch]:
    versions = PageVersion.versions
    return [(PageVersion, "versions", lambda self: versions(self)[:2])]


def _keep_what_was_found_on_a_page_that_has_none() -> list[Patch]:
    leaves_index = removal.leaves_index

    def unless_empty(record: Any) -> bool:
        return leaves_index(record) and record.reason != NO_DOCUMENT

    return [(onward, "leaves_index", unless_empty)]


def _keep_items_that_left_their_page() -> list[Patch]:
    put = SqliteDocumentStore.put

    def add(self: Any, page: Any, documents: Any, fetched_at: float) -> None:
        known = {d.key: d for p in self.pages([page]) for d in p.documents.values() if d.key}
        named = {document.key for document in documents}
        left = [document for key, document in known.items() if key not in named]
        put(self, page, [*documents, *left], fetched_at)

    return [(SqliteDocumentStore, "put", add)]


def _rank_one_document_of_a_page() -> list[Patch]:
    keep_ranks = rank._keep_ranks

    def only_firsts(writer: Any, indexed: Any, pages: Any, found: Any) -> None:
        firsts = np.isin(indexed.live, pages.numbers)
        fewer = dataclasses.replace(indexed, live=indexed.live[firsts], ids=indexed.ids[firsts])
        keep_ranks(writer, fewer, pages, found)

    return [(rank, "_keep_ranks", only_firsts)]


# ── links, names and later rounds ───────────────────────────────────────────────────────────────


def _take_the_first_absence_for_the_last() -> list[Patch]:
    return [(change_rate, "ABSENCES", 1)]


def _keep_pages_that_are_gone() -> list[Patch]:
    return [(onward, "leaves_index", lambda _: False)]


def _ask_again_though_visited_since() -> list[Patch]:
    is_free = claims._is_free

    def whenever(url: Any, tries: int, after: float) -> bool:
        return is_free(url, tries, url.slot if after else 0.0)

    return [(claims, "_is_free", whenever)]


def _take_every_page_for_unchanged() -> list[Patch]:
    def unchanged(record: Any) -> bool:
        return record is not None and bool(record.history)

    class Equal(bytes):
        __hash__ = bytes.__hash__

        def __eq__(self, _: object) -> bool:
            return True

        def __ne__(self, _: object) -> bool:
            return False

    return [
        (apply_response, "_was_understood", unchanged),
        (apply_response, "fingerprint", lambda body: Equal(fingerprint(body))),
    ]


def _rank_by_nofollow_links() -> list[Patch]:
    lots = rank._lots

    def blind(links: Any) -> Any:
        for sources, targets, anchors, followed in lots(links):
            yield sources, targets, anchors, [True] * len(followed)

    return [(rank, "_lots", blind)]


def _keep_only_the_first_names() -> list[Patch]:
    put_anchors = SqliteDocumentStore.put_anchors

    def put_once(self: Any, called: Any) -> int:
        known = {page.id for page in self.pages(list(called)) if page.anchors}
        return put_anchors(self, {id: names for id, names in called.items() if id not in known})

    return [(SqliteDocumentStore, "put_anchors", put_once)]


def _leave_new_versions_unranked() -> list[Patch]:
    return [(batches, "levels_of", lambda *_: {})]


def _take_all_for_similar_that_share_a_key() -> list[Patch]:
    return [(near_duplicates, "are_similar", lambda *_: True)]


# ── mistakes that were made, found by the simulation, and mended ────────────────────────────────
# Others that were made are too rare for two hundred worlds: unit tests hold them down.


def _claim_without_a_look_at_the_tries() -> list[Patch]:
    claim = SqliteUrlStore.claim

    async def claim_anyway(
        self: Any, id: bytes, slot: float, until: float, now: float, tries: int, after: float
    ) -> Claim:
        del tries
        return await claim(self, id, slot, until, now, 1000, after)

    return [(SqliteUrlStore, "claim", claim_anyway)]


def _let_a_round_inherit_the_tries_of_the_last() -> list[Patch]:
    revisit = SqliteUrlStore.revisit

    def with_tries(self: Any, job: str) -> list[Any]:
        tries = {record.id: record.tries for record in self.all()}
        records = revisit(self, job)
        for record in records:
            record.tries = tries[record.id]
        return records

    return [(SqliteUrlStore, "revisit", with_tries)]


def _read_a_sitemap_whenever_it_is_named() -> list[Patch]:
    def ask(urls: Any, source: str, job: str, ports: Any, now: float, hops: int = 0) -> Any:
        del source, now
        found = [Discovery(sitemap_id(url), url, host_of(url), 0, job=job) for url in urls]
        ports.urls.add(found, b"robots", 0.0)
        for item in found:
            ports.urls.move(item.id, Event.REVISITED)
        requests = [
            CrawlRequest(job=job, host=i.host, urls=[Candidate(i.url, 0, hops)], purpose="sitemap")
            for i in found
        ]
        return [Emission("frontier", request) for request in requests]

    return [(robots_txt, "ask_for_sitemaps", ask)]


def _leave_what_was_forgotten_beside_a_crawl() -> list[Patch]:
    return [(batches, "unindexed", lambda home, writer: [])]


def _use_slots_of_a_clock_that_was_ahead() -> list[Patch]:
    return [(fetch, "is_from_wrong_clock", lambda *_: False)]


# Mistakes that only worlds with a wrong clock show.
CLOCK_BUGS = {"use slots of a clock that was ahead"}

BUGS: dict[str, Callable[[], list[Patch]]] = {
    name.lstrip("_").replace("_", " "): bug
    for name, bug in list(globals().items())
    if name.startswith("_") and getattr(bug, "__annotations__", {}).get("return") == "list[Patch]"
}


@contextmanager
def switched_on(bug: str) -> Iterator[None]:
    """The program with a mistake in it."""
    with ExitStack() as stack:
        for owner, name, replacement in BUGS[bug]():
            stack.enter_context(patch.object(owner, name, replacement))
        yield
