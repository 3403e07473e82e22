"""Do all URL stores keep the promises of `ports.urls`?"""

from __future__ import annotations

import asyncio
import dataclasses
from typing import Any

import msgspec
import pytest

from gossamer.batch.recrawl import is_visited
from gossamer.core.crawl.claims import Claim
from gossamer.core.crawl.url_record import Discovery, PageRef, UrlChange, UrlEntry, UrlRecord
from gossamer.core.crawl.url_state import Event, State
from gossamer.core.urls import url_id
from tests.conftest import EMBEDDED

SOURCE = url_id("http://a.test/")
OTHER = url_id("http://a.test/other")


@pytest.fixture
def urls(any_home):
    return any_home.urls


def found(path="/x", depth=1, reason="", hops=0):
    url = f"http://a.test{path}"
    return Discovery(url_id(url), url, "a.test", depth, hops, reason)


def add(urls, *items, source=SOURCE):
    return urls.add(list(items), source, 100.0)


def worth_adding(urls, *items, source=OTHER):
    return urls.unknown([(item.id, item.depth) for item in items], source)


async def take(urls, item, slot=100.0):
    assert await urls.claim(item.id, slot, slot + 50.0, slot) is Claim.TAKEN


async def parse(urls, item):
    """Let a URL live until it is parsed."""
    await take(urls, item)
    ref = PageRef("f.warc.gz", 10, 20)
    assert urls.move(item.id, Event.STORED, UrlChange(page=ref))
    assert urls.move(item.id, Event.PARSED, UrlChange(reason="document"))


def test_a_url_never_met_has_no_record(urls):
    assert urls.get(found().id) is None


def test_a_url_never_visited_has_no_history(urls):
    add(urls, found())

    assert urls.get(found().id).history == b""


def test_an_admitted_url_is_fresh_and_waits(urls):
    admission = add(urls, found(depth=3, hops=2))

    record = urls.get(found().id)
    assert admission.fresh == [found(depth=3, hops=2)]
    assert (record.state, record.reason) == (State.DISCOVERED, "")
    assert (record.url, record.host) == ("http://a.test/x", "a.test")
    assert (record.depth, record.hops, record.via) == (3, 2, SOURCE)


def test_an_excluded_url_is_remembered_with_its_reason_and_is_not_fresh(urls):
    admission = add(urls, found(reason="calendar"))

    record = urls.get(found().id)
    assert admission.fresh == []
    assert (record.state, record.reason) == (State.EXCLUDED, "calendar")


def test_only_urls_never_seen_are_worth_adding(urls):
    add(urls, found("/x"), found("/no", reason="robots"))

    assert worth_adding(urls, found("/x"), found("/no"), found("/y")) == {found("/y").id}


@pytest.mark.parametrize("reason", ["nofollow", "too-deep", "too-many-redirects", "host-quota"])
def test_a_url_excluded_by_its_way_is_worth_adding_again(urls, reason):
    add(urls, found(depth=9, reason=reason))

    assert worth_adding(urls, found(depth=9)) == {found().id}


def test_a_url_excluded_for_what_it_is_stays_out_however_it_is_reached(urls):
    add(urls, found(depth=9, reason="calendar"))

    assert add(urls, found(depth=1), source=OTHER).fresh == []
    assert urls.get(found().id).state is State.EXCLUDED


@pytest.mark.parametrize("reason", ["nofollow", "too-deep", "too-many-redirects", "host-quota"])
def test_a_better_way_admits_what_a_worse_one_had_excluded(urls, reason):
    add(urls, found(depth=9, reason=reason))

    admission = add(urls, found(depth=2), source=OTHER)

    record = urls.get(found().id)
    assert admission.fresh == [found(depth=2)]
    assert (record.state, record.reason) == (State.DISCOVERED, "")
    assert (record.depth, record.via) == (2, OTHER)


@pytest.mark.parametrize(("reason", "depth"), [("host-quota", 2), ("nofollow", 9)])
def test_a_way_that_came_too_early_still_counts_and_one_that_is_none_does_not(urls, reason, depth):
    add(urls, found(depth=2, reason=reason))

    admission = add(urls, found(depth=9), source=OTHER)

    record = urls.get(found().id)
    assert admission.fresh == [found(depth=depth)]
    assert (record.depth, record.via) == (depth, OTHER)


def test_a_host_whose_quota_is_still_full_leaves_its_url_as_it_is(urls):
    add(urls, found(depth=2, reason="host-quota"))

    admission = add(urls, found(depth=1, reason="host-quota"), source=OTHER)

    assert admission.fresh == []
    assert (urls.get(found().id).reason, urls.get(found().id).via) == ("host-quota", SOURCE)


def test_a_second_worse_way_changes_nothing(urls):
    add(urls, found(depth=9, reason="too-deep"))

    admission = add(urls, found(depth=8, reason="too-deep"), source=OTHER)

    assert admission.fresh == []
    assert urls.get(found().id).via == SOURCE


def test_a_shorter_way_is_worth_adding_and_a_longer_is_not(urls):
    add(urls, found(depth=3))

    assert worth_adding(urls, found(depth=2)) == {found().id}
    assert worth_adding(urls, found(depth=3)) == set()
    assert worth_adding(urls, found(depth=4)) == set()


async def test_a_shorter_way_to_a_parsed_page_is_reported_with_its_new_depth(urls):
    add(urls, found(depth=3))
    await parse(urls, found())

    admission = add(urls, found(depth=1), source=OTHER)

    (record,) = admission.shallower
    assert admission.fresh == []
    assert (record.url, record.depth) == ("http://a.test/x", 1)
    assert record.page == PageRef("f.warc.gz", 10, 20)
    assert urls.get(found().id).depth == 1


@pytest.mark.parametrize("source", [OTHER, b""], ids=["page", "seed"])
async def test_the_same_source_reports_its_shorter_way_again_because_sending_may_have_failed(
    backend, source
):
    urls, nearer = backend.home.urls, found(depth=1, hops=2)
    add(urls, found(depth=3))
    await parse(urls, found())

    reported = [add(urls, nearer, source=source).shallower]
    for _ in range(2):
        assert worth_adding(urls, nearer, source=source) == {nearer.id}
        reported.append(add(urls, nearer, source=source).shallower)
        assert worth_adding(urls, nearer, source=b"third") == set()
        assert add(urls, nearer, source=b"third").shallower == []
        assert add(urls, found(depth=3)).shallower == []
        urls = backend.reopen().urls

    assert [[(r.depth, r.hops) for r in records] for records in reported] == [[(1, 2)]] * 3


async def test_a_way_that_was_shorter_before_the_page_was_fetched_is_not_reported(urls):
    add(urls, found(depth=3))
    add(urls, found(depth=1), source=OTHER)
    await parse(urls, found())

    assert add(urls, found(depth=1), source=OTHER).shallower == []


async def test_a_longer_way_to_a_parsed_page_is_not_reported(urls):
    add(urls, found(depth=3))
    await parse(urls, found())

    admission = add(urls, found(depth=3), source=OTHER)

    assert (admission.fresh, admission.shallower) == ([], [])


def test_a_shorter_way_to_a_waiting_url_makes_it_shallower_and_sends_it_only_once(urls):
    add(urls, found(depth=3))

    admission = add(urls, found(depth=1), source=OTHER)

    assert (admission.fresh, admission.shallower) == ([], [])
    assert urls.get(found().id).depth == 1


@pytest.mark.parametrize("reason", ["http-204", "robots", "max-pages"])
def test_a_shorter_way_to_an_excluded_url_is_noted_in_case_it_is_asked_for_again(urls, reason):
    add(urls, found(depth=3))
    urls.move(found().id, Event.SKIPPED, UrlChange(reason=reason))

    worth = worth_adding(urls, found(depth=1), source=OTHER)
    admission = add(urls, found(depth=1), source=OTHER)

    assert worth == {found().id}
    assert (admission.fresh, admission.shallower) == ([], [])
    assert (urls.get(found().id).depth, urls.get(found().id).reason) == (1, reason)


def test_the_same_source_repeats_its_fresh_urls_because_sending_may_have_failed(urls):
    add(urls, found("/x"), found("/y"))

    admission = add(urls, found("/x"), found("/y"))

    assert admission.fresh == [found("/x"), found("/y")]


def test_what_a_source_has_added_is_worth_adding_again_by_that_source_only(urls):
    add(urls, found("/x"), found("/y", reason="robots"))

    assert worth_adding(urls, found("/x"), found("/y"), source=SOURCE) == {found("/x").id}
    assert worth_adding(urls, found("/x"), found("/y"), source=OTHER) == set()


async def test_what_a_source_has_added_and_a_fetcher_claimed_is_known(urls):
    add(urls, found("/x"))
    await take(urls, found("/x"))

    assert worth_adding(urls, found("/x"), source=SOURCE) == set()


def test_another_process_knows_what_the_first_has_added(backend):
    add(backend.home.urls, found("/x"), found("/y", depth=3))

    urls = backend.reopen().urls

    assert worth_adding(urls, found("/x"), found("/y", depth=2), found("/z")) == {
        found("/y").id,
        found("/z").id,
    }
    assert [item.url for item in add(urls, found("/x"), source=OTHER).fresh] == []


async def test_what_a_fetcher_has_claimed_is_not_repeated(urls):
    add(urls, found("/x"), found("/y"))
    await take(urls, found("/x"))

    admission = add(urls, found("/x"), found("/y"))

    assert admission.fresh == [found("/y")]


async def test_of_many_concurrent_claims_for_a_slot_one_is_taken(urls):
    add(urls, found())

    claims = await asyncio.gather(*(urls.claim(found().id, 100.0, 150.0, 100.0) for _ in range(20)))

    assert claims.count(Claim.TAKEN) == 1
    assert claims.count(Claim.BUSY) == 19


async def test_a_claim_is_durable_when_it_returns(backend):
    add(backend.home.urls, found())
    await take(backend.home.urls, found(), slot=100.0)

    record = backend.reopen().urls.get(found().id)

    assert (record.state, record.slot, record.lease) == (State.FETCHING, 100.0, 150.0)


async def test_a_second_slot_does_not_interrupt_a_request_under_way(urls):
    add(urls, found())
    await take(urls, found(), slot=100.0)

    assert await urls.claim(found().id, 110.0, 160.0, 110.0) is Claim.BUSY


async def test_a_slot_whose_holder_died_is_stale_and_a_later_one_may_have_the_url(urls):
    add(urls, found())
    await take(urls, found(), slot=100.0)  # its lease ends at 150

    assert await urls.claim(found().id, 100.0, 250.0, 200.0) is Claim.STALE
    assert await urls.claim(found().id, 200.0, 250.0, 200.0) is Claim.TAKEN


@pytest.mark.only(*EMBEDDED)
async def test_recovery_lets_go_of_claims_at_once(backend):
    add(backend.home.urls, found())
    await take(backend.home.urls, found(), slot=100.0)

    home = backend.reopen()
    home.recover()

    assert await home.urls.claim(found().id, 100.0, 150.0, 101.0) is Claim.STALE
    assert await home.urls.claim(found().id, 101.0, 151.0, 101.0) is Claim.TAKEN


async def test_an_ended_or_unknown_url_cannot_be_claimed(urls):
    add(urls, found())
    await parse(urls, found())

    assert await urls.claim(found().id, 500.0, 550.0, 500.0) is Claim.ENDED
    assert await urls.claim(found("/never").id, 500.0, 550.0, 500.0) is Claim.ENDED


async def test_a_slot_buys_one_request_even_if_the_url_waits_again(urls):
    add(urls, found())
    await take(urls, found(), slot=100.0)
    urls.move(found().id, Event.RETRIED, UrlChange(tries=1))

    assert await urls.claim(found().id, 100.0, 150.0, 100.0, 1) is Claim.ENDED
    assert await urls.claim(found().id, 110.0, 160.0, 110.0, 1) is Claim.TAKEN


async def test_an_old_copy_of_a_message_cannot_claim_what_was_tried_since(urls):
    add(urls, found())
    await take(urls, found(), slot=100.0)
    urls.move(found().id, Event.RETRIED, UrlChange(tries=1))

    assert await urls.claim(found().id, 110.0, 160.0, 110.0, tries=0) is Claim.ENDED
    assert await urls.claim(found().id, 110.0, 160.0, 110.0, tries=1) is Claim.TAKEN


def test_the_first_finder_sends_a_url_on_though_another_found_a_shorter_way(urls):
    add(urls, found(depth=3), source=SOURCE)
    add(urls, found(depth=2), source=OTHER)

    worth = worth_adding(urls, found(depth=3), source=SOURCE)  # its message comes again
    again = add(urls, found(depth=3), source=SOURCE)

    assert worth == {found().id}
    assert [item.id for item in again.fresh] == [found().id]
    assert urls.get(found().id).depth == 2


async def test_what_is_visited_again_has_all_its_tries_again(any_home):
    any_home.urls.add([msgspec.structs.replace(found(), job="web")], SOURCE, 100.0)
    await take(any_home.urls, found(), slot=100.0)
    any_home.urls.move(found().id, Event.FAILED, UrlChange(tries=3, reason="http-500"))

    (again,) = any_home.urls.revisit("web")

    assert again.tries == any_home.urls.get(found().id).tries == 0


async def end(urls, item, slot=100.0):
    """Let a URL be asked for in a slot, and end."""
    await take(urls, item, slot)
    urls.move(item.id, Event.UNCHANGED, UrlChange(tries=2, reason="not-modified"))


async def test_what_has_ended_is_claimed_again_by_who_knows_its_last_slot(urls):
    add(urls, found())
    await end(urls, found(), slot=100.0)

    assert await urls.claim(found().id, 500.0, 550.0, 500.0, after=90.0) is Claim.ENDED
    assert await urls.claim(found().id, 500.0, 550.0, 500.0, after=100.0) is Claim.TAKEN
    record = urls.get(found().id)
    assert (record.state, record.slot, record.tries) == (State.FETCHING, 500.0, 0)
    assert record.reason == "not-modified"  # how it ended, until it ends anew


async def test_of_two_who_ask_again_one_does(urls):
    add(urls, found())
    await end(urls, found(), slot=100.0)

    assert await urls.claim(found().id, 500.0, 550.0, 500.0, after=100.0) is Claim.TAKEN
    assert await urls.claim(found().id, 510.0, 560.0, 510.0, after=100.0) is Claim.BUSY
    urls.move(found().id, Event.UNCHANGED, UrlChange(tries=1))
    assert await urls.claim(found().id, 520.0, 570.0, 520.0, after=100.0) is Claim.ENDED


async def test_a_retry_of_a_revisit_knows_how_often_it_was_tried(urls):
    add(urls, found())
    await end(urls, found(), slot=100.0)
    await urls.claim(found().id, 500.0, 550.0, 500.0, after=100.0)
    urls.move(found().id, Event.RETRIED, UrlChange(tries=1))

    assert await urls.claim(found().id, 510.0, 560.0, 510.0, 0, after=100.0) is Claim.ENDED
    assert await urls.claim(found().id, 510.0, 560.0, 510.0, 1, after=100.0) is Claim.TAKEN
    assert urls.get(found().id).tries == 1


async def test_a_job_finds_what_it_may_ask_for_again(any_home):
    urls = any_home.urls
    ours = [
        msgspec.structs.replace(found(path), job="web")
        for path in ("/asked", "/waits", "/unasked", "/refused", "/never", "/under-way")
    ]
    urls.add([*ours, found("/of-another")], SOURCE, 100.0)
    await end(urls, found("/asked"))
    await end(urls, found("/of-another"))
    await take(urls, found("/under-way"))
    urls.move(found("/unasked").id, Event.GIVEN_UP, UrlChange(reason="host-set-aside"))
    urls.move(found("/refused").id, Event.SKIPPED, UrlChange(reason="host-quota"))
    urls.move(found("/never").id, Event.SKIPPED, UrlChange(reason="max-pages"))

    assert {record.url for record in urls.visited("web")} == {
        "http://a.test/asked",
        "http://a.test/unasked",
        "http://a.test/waits",
        "http://a.test/refused",
    }


async def test_a_url_moves_only_as_its_life_cycle_says(urls):
    add(urls, found())

    refused = urls.move(found().id, Event.PARSED, UrlChange(reason="no"))
    moved = urls.move(found().id, Event.GIVEN_UP, UrlChange(reason="dns"))
    again = urls.move(found().id, Event.GIVEN_UP, UrlChange(reason="http-404"))

    assert (refused, moved, again) == (False, True, False)
    record = urls.get(found().id)
    assert (record.state, record.reason) == (State.FAILED, "dns")


def test_a_url_never_met_cannot_be_moved(urls):
    assert not any(urls.move(found().id, event, UrlChange(reason="no")) for event in Event)


async def test_what_was_learned_is_kept_with_the_move(backend):
    add(backend.home.urls, found())
    await take(backend.home.urls, found())
    change = UrlChange(
        reason="same-content",
        target="http://a.test/first",
        tries=2,
        slot=101.5,
        lease=190.5,
        fetched_at=100.25,
        code=200,
        size=1234,
        md5=b"m" * 16,
        etag='"e"',
        modified="yesterday",
        page=PageRef("f.warc.gz", 7, 9),
        history=b"\x81\xa6visits\x01",
        cookies='[["s","1","a.test",false,"/",false]]',
    )
    backend.home.urls.move(found().id, Event.REPEATED, change)

    record = backend.reopen().urls.get(found().id)

    assert set(change.given()) == {field.name for field in dataclasses.fields(change)}
    assert {name: getattr(record, name) for name in change.given()} == change.given()


class TestAHint:
    async def asked(self, urls, *items, slot=100.0, job="web"):
        add(urls, *(msgspec.structs.replace(item, job=job) for item in items))
        for item in items:
            await take(urls, item, slot)
            urls.move(item.id, Event.UNCHANGED, UrlChange(reason="not-modified"))

    async def test_is_kept_if_it_is_later_than_the_last_request(self, backend):
        urls = backend.home.urls
        await self.asked(urls, found("/later"), found("/same"), found("/earlier"))

        dates = {found("/later").id: 100.5, found("/same").id: 100.0, found("/earlier").id: 99.0}
        urls.hint(dates, "web")

        reopened = backend.reopen().urls
        assert [reopened.get(id).hinted_at for id in dates] == [100.5, 0.0, 0.0]

    async def test_is_enough_until_the_next_visit(self, urls):
        await self.asked(urls, found())

        said = []
        for date in (150.0, 160.0, 120.0):
            urls.hint({found().id: date}, "web")
            said.append(urls.get(found().id).hinted_at)
        await urls.claim(found().id, 170.0, 220.0, 170.0, after=100.0)
        for date in (160.0, 180.0):
            urls.hint({found().id: date}, "web")
            said.append(urls.get(found().id).hinted_at)

        assert said == [150.0, 150.0, 150.0, 150.0, 180.0]

    async def test_of_what_was_never_requested_or_by_another_job_is_dropped(self, urls):
        await self.asked(urls, found("/theirs"), job="other")
        add(urls, msgspec.structs.replace(found("/waits"), job="web"))

        urls.hint({found(path).id: 150.0 for path in ("/theirs", "/waits", "/unknown")}, "web")

        assert urls.get(found("/theirs").id).hinted_at == 0.0
        assert urls.get(found("/waits").id).hinted_at == 0.0
        assert urls.get(found("/unknown").id) is None

    async def test_before_a_moment_dates_what_waits_for_its_first_request(self, backend):
        urls = backend.home.urls
        facts: dict[str, dict[str, Any]] = {
            "/waits": {},
            "/just-now": {},
            "/dated": {"hinted_at": 50.0},
            "/excluded": {"reason": "too-deep"},
            "/theirs": {"job": "other"},
        }
        items = [
            msgspec.structs.replace(found(path), **{"job": "web", **more})
            for path, more in facts.items()
        ]
        add(urls, *items)

        dates = [70.0, 99.0, 70.0, 70.0, 70.0]
        urls.hint({item.id: date for item, date in zip(items, dates, strict=True)}, "web", 90.0)

        reopened = backend.reopen().urls
        assert [reopened.get(i.id).hinted_at for i in items] == [70.0, 0.0, 50.0, 0.0, 0.0]

    async def test_changes_nothing_else(self, urls):
        await self.asked(urls, found())
        before = urls.get(found().id)

        urls.hint({found().id: 150.0}, "web")

        assert urls.get(found().id) == msgspec.structs.replace(before, hinted_at=150.0)

    async def test_may_be_one_of_many(self, urls):
        await self.asked(urls, found("/x"))

        urls.hint({found(f"/{i}").id: 150.0 for i in range(1200)} | {found("/x").id: 150.0}, "web")

        assert urls.get(found("/x").id).hinted_at == 150.0

    async def test_is_seen_by_those_who_look_at_all(self, urls):
        await self.asked(urls, found())
        urls.hint({found().id: 150.0}, "web")

        assert [record.hinted_at for record in urls.visited("web")] == [150.0]


async def test_what_is_no_document_of_its_own_is_closed(urls):
    ends = {
        "/gone": (Event.MISSED, "http-404"),
        "/moved": (Event.REDIRECTED, "redirect"),
        "/copy": (Event.REPEATED, "same-content"),
        "/failed": (Event.FAILED, "dns"),
        "/same": (Event.UNCHANGED, "unchanged"),
    }
    add(urls, found("/page"), found("/closed"), found("/waits"), found("/out", reason="robots"))
    add(urls, found("/over"))
    await parse(urls, found("/page"))
    await take(urls, found("/closed"))
    urls.move(found("/closed").id, Event.STORED)
    urls.move(found("/closed").id, Event.WITHHELD, UrlChange(reason="noindex"))
    await take(urls, found("/over"))
    urls.move(found("/over").id, Event.STORED)
    urls.move(found("/over").id, Event.WITHHELD, UrlChange(reason="unavailable-after"))
    for path, (event, reason) in ends.items():
        add(urls, found(path))
        await take(urls, found(path))
        assert urls.move(found(path).id, event, UrlChange(reason=reason))

    closed = list(urls.closed())

    paths = ("/closed", "/copy", "/gone", "/moved", "/over")
    assert sorted(record.url for record in closed) == [f"http://a.test{path}" for path in paths]
    assert all(record == urls.get(record.id) for record in closed)


async def test_counts_by_state_and_reason_follow_every_move(backend):
    urls = backend.home.urls
    add(
        urls, found("/a"), found("/b"), found("/c", reason="too-deep"), found("/d", reason="robots")
    )
    add(urls, found("/c", depth=0), source=OTHER)
    await parse(urls, found("/a"))

    kept = (+urls.by_state, +urls.by_reason)
    counted = backend.reopen().urls
    counted.recount()

    assert kept == (
        {"parsed": 1, "discovered": 2, "excluded": 1},
        {"document": 1, "robots": 1},
    )
    assert (+counted.by_state, +counted.by_reason) == kept


def test_more_urls_at_once_than_a_statement_takes(urls, too_many):
    many = [found(f"/{i}") for i in range(too_many)]

    admission = add(urls, *many)

    assert len(admission.fresh) == too_many
    assert worth_adding(urls, *many, found("/new")) == {found("/new").id}
    assert sum(1 for _ in urls.all()) == too_many
    assert urls.hosts() == {"a.test": too_many}


def test_what_is_visited_is_told_by_a_record_alone(any_home):
    """Jobs that read records elsewhere than in a store must choose the same."""
    reasons = ["", "document", "host-set-aside", "robots-unreachable", "host-quota", "too-deep"]
    entries = []
    for number, (state, slot) in enumerate((s, t) for s in State for t in (0.0, 5.0)):
        for reason in reasons:
            url = f"http://a.test/{number}/{reason}"
            record = UrlRecord(id=url_id(url), url=url, host="a.test", state=state, reason=reason)
            record.slot = slot
            entries.append(UrlEntry(record, "web"))
    any_home.urls.load(entries)

    visited = {record.url for record in any_home.urls.visited("web")}

    assert visited == {e.record.url for e in entries if is_visited(e.record)}
    assert 0 < len(visited) < len(entries)


@pytest.mark.parametrize("state", ["discovered", "fetching"])
async def test_what_a_clock_ahead_has_claimed_is_claimed_by_the_clock_of_now(urls, state):
    ahead = 3700.0
    add(urls, found("/a"))
    await urls.claim(found("/a").id, ahead, ahead + 90.0, ahead)
    if state == "discovered":
        urls.move(found("/a").id, Event.SLOT_LOST, slot=ahead)

    assert await urls.claim(found("/a").id, 100.0, 190.0, 100.0) is Claim.TAKEN
    assert await urls.claim(found("/a").id, 100.0, 190.0, 100.0) is Claim.BUSY
