"""Are the pages of WARC files of any crawler found and read, and nothing else?"""

from __future__ import annotations

import gzip
from dataclasses import replace

import pytest

from gossamer.adapters.warc import request_members
from gossamer.batch.index_pages import TooLarge
from gossamer.core.errors import ConfigurationError
from gossamer.core.urls import url_id
from gossamer.entrypoints.local.warc_pages import find_pages, read_page
from gossamer.ports.fetcher import HttpResponse
from gossamer.ports.pages import RequestFacts
from tests.warc_bytes import HTML, page, response

SILK = page("Silk", "Silk is stronger than steel.")


def read(path, *records):
    """The documents in a file of these records."""
    path.write_bytes(b"".join(records))
    pages = [read_page(path, found.place) for found in find_pages(path)]
    return [document for page in pages if page for document in page.documents]


@pytest.fixture
def file(tmp_path):
    return tmp_path / "other.warc.gz"


@pytest.mark.parametrize("packed", [True, False])
def test_a_page_is_found_with_its_id_and_time_and_read(file, packed):
    file.write_bytes(response("http://A.test/x#y", SILK, packed=packed))

    [found] = find_pages(file)
    read = read_page(file, found.place)

    assert read is not None
    [document] = read.documents
    assert (document.title, document.url) == ("Silk", "http://a.test/x")
    assert read.id == found.id == url_id("http://a.test/x")
    assert read.fetched_at == found.fetched_at == 1767225600.0


@pytest.mark.parametrize("packed", [True, False])
def test_encodings_are_undone(file, packed):
    body = gzip.compress(SILK.encode())
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(SILK), SILK.encode())
    encoded = response(
        "http://a.test/1", body, headers=[HTML, ("Content-Encoding", "gzip")], packed=packed
    )
    cut = response(
        "http://a.test/2", chunked, headers=[HTML, ("Transfer-Encoding", "chunked")], packed=packed
    )

    assert [document.title for document in read(file, encoded, cut)] == ["Silk", "Silk"]


@pytest.mark.parametrize(
    "how",
    [
        {"status": "404 Not Found"},
        {"headers": [("Content-Type", "application/pdf")]},
        {"headers": []},
        {"kind": "resource"},
        {"headers": [HTML, ("X-Robots-Tag", "noindex")]},
        {"headers": [HTML, ("X-Robots-Tag", "unavailable_after: 25 Jun 2010")]},
    ],
    ids=str,
)
def test_what_is_no_page_or_closed_to_search_is_left_out(file, how):
    assert read(file, response("http://a.test/", SILK, **how)) == []


def test_a_page_that_wants_not_to_be_indexed_is_left_out(file):
    closed = page("Silk", "Silk", '<meta name="robots" content="noindex">')

    assert read(file, response("http://a.test/", closed)) == []


def test_a_page_that_is_to_end_is_read_with_its_end(file):
    headers = [HTML, ("X-Robots-Tag", "unavailable_after: 25 Jun 2099 00:00:00 GMT")]

    [document] = read(file, response("http://a.test/", SILK, headers=headers))

    assert document.unavailable_after == 4086028800


def test_a_canonical_url_is_read_though_links_are_not(file):
    body = page("Silk", 'Silk <a href="/b">b</a>', '<link rel="canonical" href="/c">')

    [document] = read(file, response("http://a.test/", body))

    assert document.canonical == "http://a.test/c"


def test_pages_after_an_unusual_record_are_found(file):
    strange = gzip.compress(
        gzip.decompress(response("http://a.test/2", SILK)).replace(b"WARC-Date: ", b"WARC-Date:  ")
        + b"\r\n\r\n"
    )
    records = [response(f"http://a.test/{number}", SILK) for number in (1, 3)]

    found = read(file, records[0], strange, records[1])

    assert [document.url[-1] for document in found] == ["1", "2", "3"]


PLAIN = [("Content-Type", "text/plain; charset=utf-8")]


@pytest.mark.parametrize(
    ("url", "text", "count"),
    [
        ("http://a.test/notes.txt", "Silk is strong.", 1),
        ("http://a.test/robots.txt", "User-agent: *", 0),
        ("http://a.test/b/robots.txt", "User-agent: *", 1),
        ("http://a.test/map.txt", "http://a.test/1\nhttps://a.test/2\n", 0),
        ("http://a.test/mixed.txt", "See\nhttp://a.test/1", 1),
    ],
)
def test_a_plain_text_is_a_page_unless_it_is_for_crawlers(file, url, text, count):
    assert len(read(file, response(url, text, headers=PLAIN))) == count


def test_a_page_in_place_of_robots_txt_is_no_page(file):
    assert read(file, response("http://a.test/robots.txt", SILK)) == []


def fetched(url, purpose):
    """The records of a request of ours for a text of rules or addresses."""
    answer = HttpResponse(
        url=url, started_at=1.0, code=200, headers=tuple(PLAIN), raw=b"http://a.test/1\n"
    )
    facts = RequestFacts(
        job="web",
        host="a.test",
        purpose=purpose,
        slot=1.0,
        delay=1.0,
        grace=0.25,
        depth=0,
        tries=1,
        agent="",
    )
    return request_members(answer, facts)


@pytest.mark.parametrize("url", ["http://a.test/robots.txt", "http://a.test/map.txt"])
@pytest.mark.parametrize("as_kept", [bytes, gzip.decompress])
def test_what_is_for_crawlers_is_a_page_where_a_link_led_there(file, url, as_kept):
    rules, pages, sitemaps = (
        [as_kept(record) for record in fetched(url, purpose)]
        for purpose in ("robots", "page", "sitemap")
    )

    assert len(read(file, *rules, *pages)) == 1
    assert read(file, *rules, *sitemaps) == []


@pytest.mark.parametrize("content", [b"no archive\n", bytes(range(1, 256)) * 9])
def test_a_file_that_is_no_warc_is_called_so_without_its_bytes(file, content):
    file.write_bytes(content)

    with pytest.raises(ConfigurationError) as refused:
        list(find_pages(file))

    assert str(refused.value) == f"cannot read {file}: it is no WARC file"


def test_the_record_of_another_response_says_nothing(file):
    answer, _ = fetched("http://a.test/robots.txt", "robots")
    _, about_another = fetched("http://a.test/robots.txt", "page")

    assert read(file, answer, about_another) == []


@pytest.mark.parametrize("packed", [True, False])
def test_pages_around_damage_are_found(file, packed):
    one, two, three = (response(f"http://a.test/{n}", SILK, packed=packed) for n in (1, 2, 3))
    damages = []
    file.write_bytes(one + two[: len(two) // 2] + three + one[:-20])

    found = [each.id for each in find_pages(file, lambda: damages.append(1))]

    assert found[0] == url_id("http://a.test/1")
    assert url_id("http://a.test/3") in found
    assert damages


def test_what_is_no_warc_file_at_all_is_named(file):
    file.write_bytes(b"silk " * 100)

    with pytest.raises(ConfigurationError, match=r"cannot read .*other\.warc\.gz"):
        list(find_pages(file))


def test_half_a_page_of_ours_is_none_as_in_a_crawl(file):
    facts = RequestFacts(
        job="web", host="a.test", purpose="page", slot=1.0, delay=1.0, grace=0.25, depth=0,
        tries=1, agent="",
    )  # fmt: skip
    whole = HttpResponse(
        url="http://a.test/", started_at=1.0, code=200, headers=(HTML,), raw=SILK.encode()
    )

    halves = [*request_members(replace(whole, fault="too-slow"), facts)]

    assert len(read(file, *request_members(whole, facts))) == 1
    assert read(file, *halves) == []


@pytest.mark.parametrize("sent", [bytes, gzip.compress])
def test_a_page_that_is_too_long_is_told_and_the_others_are_read(file, sent):
    long = page("Long", "Silk. " * 50_000).encode()
    packed = [HTML, ("Content-Encoding", "gzip")] if sent is gzip.compress else [HTML]
    records = [response("http://a.test/long", sent(long), headers=packed)]
    file.write_bytes(b"".join([*records, response("http://a.test/", SILK)]))
    unread = []

    found = list(find_pages(file, too_large=lambda: unread.append(1), max_bytes=100_000))
    for each in found[:-1]:  # packed, it is short
        with pytest.raises(TooLarge):
            read_page(file, each.place, 100_000)
        unread.append(1)
    last = read_page(file, found[-1].place, 100_000)

    assert unread == [1]
    assert last is not None
    assert last.url == "http://a.test/"


@pytest.mark.parametrize("at", ["99999-13-45T00:00:00Z", "yesterday", "2026-01-01T25:00:00Z"])
def test_a_record_with_a_date_that_is_none_is_counted_and_the_others_are_read(file, at):
    odd, good = response("http://a.test/1", SILK, at=at), response("http://a.test/2", SILK)
    damages = []
    file.write_bytes(good + odd + good)

    found = list(find_pages(file, lambda: damages.append(1)))

    assert [each.id for each in found] == [url_id("http://a.test/2")] * 2
    assert damages == [1]
