from __future__ import annotations

from typing import Any

import msgspec
import pytest

from gossamer.bolts.fetch.emissions import emissions_of
from gossamer.core.crawl.job import JobConfig
from gossamer.core.crawl.url_record import PageRef, UrlRecord
from gossamer.core.crawl.url_state import State
from gossamer.core.revisit.change_rate import History, packed
from gossamer.core.urls import url_id
from gossamer.messages import Candidate, CrawlRequest, FetchRequest, PageFetched

URL, OTHER = "http://a.test/folder/x", "http://a.test/folder/y"
CONFIG = JobConfig(seeds=[URL], retry_wait=2.0)
REQUEST = FetchRequest(
    job="web", host="a.test", candidate=Candidate(URL, 1, tries=1), slot=100.0, delay=1.0, grace=0.5
)
TWICE = packed(History().visited(1.0, changed=False).visited(9e4, changed=True))


def record(state, reason="", **facts) -> UrlRecord:
    page = PageRef("f.warc.gz", 0, 9)
    given: dict[str, Any] = {
        "depth": 1,
        "slot": 100.0,
        "tries": 2,
        "fetched_at": 100.1,
        "page": page,
    } | facts
    return UrlRecord(id=url_id(URL), url=URL, host="a.test", state=state, reason=reason, **given)


def streams(record, owner=None):
    return [emission.stream for emission in emissions_of(record, REQUEST, CONFIG, owner)]


@pytest.mark.parametrize(
    ("state", "reason", "expected"),
    [
        (State.FETCHED, "", ["parse"]),
        (State.REDIRECTED, "redirect", ["links"]),
        (State.EXCLUDED, "feed", ["links"]),
        (State.EXCLUDED, "content-type", []),
        (State.DUPLICATE, "same-content", ["parse"]),
        (State.DUPLICATE, "not-modified", []),
        (State.UNCHANGED, "same-bytes", []),
        (State.FAILED, "http-500", []),
        (State.GONE, "http-404", []),
        (State.PARSED, "document", []),
    ],
)
def test_what_a_url_sends_on_is_told_by_its_record(state, reason, expected):
    url = record(state, reason, target=OTHER)

    assert streams(url) == expected
    assert emissions_of(url, REQUEST, CONFIG) == emissions_of(url, REQUEST, CONFIG)


def test_a_copy_that_was_a_document_leaves_the_index_too():
    copy = record(State.DUPLICATE, "same-content", target=OTHER, history=TWICE)

    assert streams(copy) == ["parse", "index"]


def test_links_of_a_copy_beside_its_owner_are_read_only_if_it_is_nearer():
    copy = record(State.DUPLICATE, "same-content", target=OTHER)

    assert streams(copy, owner=record(State.PARSED, depth=1)) == []
    assert streams(copy, owner=record(State.PARSED, depth=2)) == ["parse"]


def test_the_depth_that_is_told_is_the_one_known_by_now():
    (emission,) = emissions_of(record(State.FETCHED, depth=0), REQUEST, CONFIG)

    assert isinstance(emission.message, PageFetched)
    assert emission.message.depth == 0


@pytest.mark.parametrize(
    ("code", "tries", "wait"),
    [
        (500, 2, 8.0),  # trouble of its own: longer with every try
        (0, 2, 8.0),  # no answer at all
        (429, 2, 0.0),  # its host says itself how long
        (500, 1, 0.0),  # its slot was lost: no request was made since
    ],
)
def test_a_url_that_waits_again_asks_for_another_slot_in_due_time(code, tries, wait):
    waiting = record(State.DISCOVERED, code=code, tries=tries)

    (emission,) = emissions_of(waiting, REQUEST, CONFIG)

    again = msgspec.structs.replace(REQUEST.candidate, tries=tries)
    assert isinstance(emission.message, CrawlRequest)
    assert (emission.message.urls, emission.delay) == ([again], wait)
