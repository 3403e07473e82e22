"""Can every store be read entry by entry, from any mark on, and filled with what was read?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from gossamer.core.crawl.host_record import HostRecord
from gossamer.core.crawl.job import JobConfig, Rules
from gossamer.core.crawl.url_record import PageRef, UrlEntry, UrlRecord
from gossamer.core.crawl.url_state import State
from gossamer.core.ids import document_id
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.messages import Link
from gossamer.ports.content_owners import ContentEntry, Founder
from gossamer.ports.documents import PageVersion
from gossamer.ports.edges import EdgeEntry, InLink, InLinks, PackedLinks
from gossamer.ports.jobs import JobRecord
from gossamer.ports.quotas import QuotaEntry

if TYPE_CHECKING:
    from pathlib import Path

    from gossamer.ports.home import Home

A, B, C = "http://a.test/a", "http://a.test/b", "http://b.test/ç?q=1"
NONE = "http://b.test/empty"
MANY = [Link(f"http://a.test/{number}", f"number {number}", number % 3 == 0) for number in range(9)]

URLS = [
    UrlEntry(
        UrlRecord(
            id=url_id(A),
            url=A,
            host="a.test",
            state=State.PARSED,
            reason="document",
            depth=2,
            hops=1,
            via=url_id(B),
            nearer_via=b"",
            cookies='[["s","1","a.test",false,"/",false]]',
            tries=3,
            slot=7.5,
            fetched_at=8.25,
            code=200,
            size=900,
            md5=b"m" * 16,
            etag='"x"',
            modified="Thu, 01 Jan 1970 00:00:09 GMT",
            page=PageRef("web-1.warc.gz", 17, 900),
            history=b"\x01\x02",
            hinted_at=6.5,
        ),
        "web",
        3,
    ),
    UrlEntry(UrlRecord(id=url_id(B), url=B, host="a.test", state=State.DISCOVERED), "web"),
    UrlEntry(
        UrlRecord(
            id=url_id(C),
            url=C,
            host="b.test",
            state=State.REDIRECTED,
            reason="redirect",
            target=A,
            depth=1,
            lease=3.0,
        )
    ),
]
HOSTS = [
    HostRecord(host="a.test"),
    HostRecord(
        host="b.test",
        next_slot=9.5,
        last_slot=8.5,
        not_before=7.0,
        penalty=2.0,
        robots_code=200,
        robots_text="User-agent: *\nDisallow: /private\n",
        robots_unavailable=True,
        robots_until=99.0,
        robots_tries=2,
        service_slot=6.0,
        requests=12,
        bad=3,
        bad_in_a_row=1,
        set_aside="host-set-aside",
        set_aside_until=50.5,
        set_aside_for=10.25,
        pages=5,
        worth=4,
        named=True,
    ),
]
ENTRIES: dict[str, list[Any]] = {
    "urls": URLS,
    "hosts": HOSTS,
    "contents": [
        ContentEntry(b"m" * 16, A),
        ContentEntry(b"n" * 16, B),
        ContentEntry(b"k" * 8, "", (Founder(document_id(url_id(A)), 2**64 - 1),)),
        ContentEntry(b"l" * 8, "", (Founder(document_id(url_id(B)), 5),)),
    ],
    "documents": [
        PageVersion(url_id(A), 8.25, {0: Document(url=A, title="Silk", text="silk " * 50)}),
        PageVersion(url_id(B), 9.5, {0: Document(url=B, text="webs")}, ("a web", "webs")),
        PageVersion(
            url_id(C),
            1.0,
            {0: Document(url=C, text="a list"), 2: Document(url=C, place=2, text="an item")},
        ),
        PageVersion(url_id(NONE), 2.0, {}),
    ],
    "edges": [
        EdgeEntry(url_id(A), PackedLinks.of(MANY)),
        EdgeEntry(url_id(B), None, InLinks(2, [InLink(A, "to b")], 77)),
        EdgeEntry(url_id(C), PackedLinks.of(MANY[:2]), InLinks(1, [InLink(B)], 3)),
    ],
    "quotas": [QuotaEntry("a.test", 12), QuotaEntry("a.test/ feeds", 2), QuotaEntry("b.test", 1)],
    "jobs": [
        JobRecord(
            job="limited",
            rules=Rules(JobConfig(seeds=[A], max_pages=10, max_documents=8)),
            state="finished",
            reason="max-pages",
            pages_left=0,
            documents_left=3,
            seconds=12.5,
            started_at=100.0,
            used=(10, 5),
        ),
        JobRecord(job="web", rules=Rules(JobConfig(seeds=[B])), started_at=50.0),
    ],
}
PARTS = sorted(ENTRIES)


def facts(entry: Any) -> str:
    """An entry as text. Rules are told by what they were made from."""
    told = msgspec.structs.asdict(entry)
    if isinstance(entry, JobRecord):
        told["rules"] = entry.config
    return repr(told)


def in_order(entries: list[Any]) -> list[str]:
    return sorted(map(facts, entries))


@pytest.mark.parametrize("part", PARTS)
def test_what_was_loaded_is_read_back_as_it_was(any_home: Home, part: str):
    store = getattr(any_home, part)

    store.load(ENTRIES[part])

    assert in_order([entry for _, entry in store.entries()]) == in_order(ENTRIES[part])


@pytest.mark.parametrize("part", PARTS)
def test_loading_twice_changes_nothing(any_home: Home, part: str):
    store = getattr(any_home, part)
    store.load(ENTRIES[part])

    store.load(ENTRIES[part])
    any_home.commit()

    assert in_order([entry for _, entry in store.entries()]) == in_order(ENTRIES[part])


@pytest.mark.parametrize("part", PARTS)
def test_behind_every_mark_the_rest_is_read(any_home: Home, part: str):
    store = getattr(any_home, part)
    store.load(ENTRIES[part])
    marked = list(store.entries())

    for number, (mark, _) in enumerate(marked, 1):
        rest = [facts(entry) for _, entry in store.entries(mark)]
        assert rest == [facts(entry) for _, entry in marked[number:]]


def test_the_bolts_find_what_was_loaded(any_home: Home):
    for part in PARTS:
        getattr(any_home, part).load(ENTRIES[part])
    any_home.recount()

    assert any_home.urls.get(url_id(A)) == URLS[0].record
    assert any_home.hosts.get("b.test") == HOSTS[1]
    assert any_home.contents.own(b"m" * 16, C) == A
    assert any_home.contents.founders([b"l" * 8]) == {
        b"l" * 8: [Founder(document_id(url_id(B)), 5)]
    }
    assert any_home.documents.pages([url_id(B)]) == [ENTRIES["documents"][1]]
    assert list(any_home.documents.empty()) == [url_id(NONE)]
    assert any_home.documents.count() == (3, 4)
    assert any_home.edges.inlinks([url_id(B)])[url_id(B)].level == 77
    assert any_home.quotas.take({"a.test": (5, 14)}) == {"a.test": 2}
    limited = any_home.jobs.get("limited")
    assert limited is not None
    assert (limited.pages_left, limited.documents_left) == (0, 3)
    assert any_home.states()[0]["parsed"] == 1


def test_units_that_were_loaded_can_be_given_back(any_home: Home):
    record = UrlRecord(id=url_id(B), url=B, host="a.test", state=State.DISCOVERED)
    any_home.urls.load([UrlEntry(record, "limited", 3)])
    any_home.jobs.load(ENTRIES["jobs"])

    assert any_home.jobs.release("limited", url_id(B), 200.0)

    after = any_home.jobs.get("limited")
    assert after is not None
    assert (after.pages_left, after.documents_left) == (1, 4)


def test_a_warc_file_of_another_home_is_kept_once(any_home: Home, tmp_path: Path):
    pages = any_home.pages
    here = pages.name_here("20261117/x.warc.gz")

    pages.adopt("20261117/x.warc.gz", 6, [b"abc", b"def"])
    pages.adopt("20261117/x.warc.gz", 6, iter(()))  # it is there: nothing is asked for

    assert list(pages.archived()) == [(here, 6)]
    assert b"".join(pages.file_pieces(here)) == b"abcdef"
    assert pages.name_here(here) == here


def test_a_warc_file_that_came_in_part_is_replaced(any_home: Home):
    any_home.pages.adopt("x.warc.gz", 3, [b"abc"])

    any_home.pages.adopt("x.warc.gz", 6, [b"abc", b"def"])

    assert b"".join(any_home.pages.file_pieces("x.warc.gz")) == b"abcdef"


def test_a_home_that_was_purged_can_be_filled_again(any_home: Home):
    for part in PARTS:
        getattr(any_home, part).load(ENTRIES[part])
    any_home.index.put("0000000000001-a", [b"segment"])
    any_home.pages.adopt("x.warc.gz", 3, [b"abc"])
    any_home.host_languages.add("a.test", {"en": 7})
    any_home.commit()
    any_home.queues  # noqa: B018 in moto they are made when they are asked for

    purged = any_home.purge()

    # A segment, a WARC file, and in the cloud a run of founders.
    assert purged.objects == (3 if hasattr(any_home, "bucket") else 2)
    assert sum(purged.items.values()) >= sum(map(len, ENTRIES.values()))
    assert [part for part in PARTS if list(getattr(any_home, part).entries())] == []
    assert (any_home.index.names(), list(any_home.pages.archived())) == ([], [])
    assert any_home.quotas.take({"a.test": (5, 14)}) == {"a.test": 5}
    assert any_home.host_languages.pages("a.test") == {}
    any_home.urls.load(URLS)
    assert any_home.urls.get(url_id(A)) == URLS[0].record
