"""Are the pages of WARC files of any crawler found and read, and nothing else?"""

from __future__ import annotations

import gzip

import pytest

from gossamer.core.errors import ConfigurationError
from gossamer.core.urls import url_id
from gossamer.entrypoints.local.warc_pages import find_pages, read_page
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
        {"headers": [("Content-Type", "text/plain")]},
        {"headers": []},
        {"kind": "resource"},
        {"headers": [HTML, ("X-Robots-Tag", "noindex")]},
    ],
    ids=str,
)
def test_what_is_no_page_or_closed_to_search_is_left_out(file, how):
    assert read(file, response("http://a.test/", SILK, **how)) == []


def test_a_page_that_wants_not_to_be_indexed_is_left_out(file):
    closed = page("Silk", "Silk", '<meta name="robots" content="noindex">')

    assert read(file, response("http://a.test/", closed)) == []


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


@pytest.mark.parametrize("packed", [True, False])
def test_a_file_that_is_cut_short_is_named_after_its_whole_pages(file, packed):
    whole, cut = (response(f"http://a.test/{n}", SILK, packed=packed) for n in (1, 2))
    file.write_bytes(whole + cut[:-20])
    found = find_pages(file)

    assert next(found).id == url_id("http://a.test/1")
    with pytest.raises(ConfigurationError, match=r"cannot read .*other\.warc\.gz"):
        list(found)
