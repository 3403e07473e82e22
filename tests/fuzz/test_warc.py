"""Is a damaged or forged WARC file recognised, and never believed?"""

from __future__ import annotations

import gzip
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from isal import igzip

from gossamer.adapters.local.home import LocalHome
from gossamer.adapters.local.warc_files import read_page_record
from gossamer.adapters.warc import file_member, request_members
from gossamer.adapters.warc_reading import read_member
from gossamer.core.crawl.url_record import PageRef
from gossamer.core.errors import CorruptRecord, GossamerError
from gossamer.entrypoints.audit.records import WarcReading
from gossamer.homes import decode_body
from gossamer.ports.fetcher import HttpResponse
from gossamer.ports.pages import RequestFacts, StoredPage
from tests.effort import often
from tests.fuzz.bounds import attempt, damaged, within

URL = "http://a.test/x?y=%20"
BODY = "<p>Grüße, 🕸</p>".encode()
FACTS = RequestFacts(
    job="web",
    host="a.test",
    purpose="page",
    slot=100.0,
    delay=1.0,
    grace=0.5,
    depth=0,
    tries=1,
    agent="Gossamer",
)


def response(raw: bytes = BODY, **more) -> HttpResponse:
    headers = (("Content-Type", "text/html"), *more.pop("headers", ()))
    return HttpResponse(
        url=URL, started_at=100.25, seconds=0.5, code=200, headers=headers, raw=raw, **more
    )


FIRST = file_member("web.warc.gz")
PAGE, NOTE = request_members(response(), FACTS)
RECORD = gzip.decompress(PAGE)
PACKED = request_members(
    response(gzip.compress(BODY, mtime=0), headers=(("Content-Encoding", "gzip"),)), FACTS
)[0]
WHOLE = FIRST + PAGE + NOTE + PACKED


def read(member: bytes) -> StoredPage | None:
    found, error = attempt(CorruptRecord, lambda: read_member(member, decode_body, "here"))
    assert error is None or str(error).startswith("here: ")
    return found


@often(300)
@given(damaged(PAGE) | damaged(PACKED) | st.binary(max_size=60))
@example(b"")
@example(b"\x1f\x8b\x08\x00" + bytes(50))  # an error of isal's own
def test_a_damaged_member_is_refused_or_is_still_the_page(member):
    found = read(member)

    if found is not None:  # it has a checksum: what is left of it is whole
        assert found.body == BODY


@often(300)
@given(damaged(RECORD))
@example(b"WARC/1.1\r\nContent-Length: 3\r\nWARC-Target-URI: x\r\n\r\nHTT\r\n\r\n")  # no code
@example(b"WARC/1.1\r\nContent-Length: -9\r\nWARC-Target-URI: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx")
@example(RECORD.replace(b"Content-Length: ", b"Content-Length: 99999999999999999999"))
@example(RECORD.replace(b" 200 ", b" " + b"9" * 5000 + b" "))
@example(RECORD.replace(b"text/html", b"text/html\r\nContent-Encoding: br, gzip, br, zstd"))
@example(b"\r\n\r\n" * 25_000)
def test_a_forged_record_is_refused_or_read(record):
    found = read(igzip.compress(record, 1))

    assert found is None or isinstance(found.code, int)


REFS = st.builds(
    PageRef,
    st.sampled_from([
        "web.warc.gz", "../web.warc.gz", "/etc/passwd", "", ".", "..", "x\0y", "x" * 300,
    ]),
    st.integers(-(2**70), 2**70) | st.integers(0, len(WHOLE)),
    st.integers(-(2**70), 2**70) | st.integers(-1, len(WHOLE)),
)  # fmt: skip


@pytest.fixture(scope="module")
def folder():
    with TemporaryDirectory() as name:
        inner = Path(name) / "warc"
        inner.mkdir()
        for place in (inner, inner.parent):
            (place / "web.warc.gz").write_bytes(WHOLE)
        yield inner


@often(200)
@given(REFS)
@example(PageRef("web.warc.gz", 0, 2**50))  # room for a petabyte
@example(PageRef("web.warc.gz", 0, 2**70))
@example(PageRef("web.warc.gz", 2**70, 1))
@example(PageRef("web.warc.gz", 0, -1))
@example(PageRef("x\0y", 0, 1))
@example(PageRef("../web.warc.gz", len(FIRST), len(PAGE)))
def test_a_reference_leads_to_a_page_of_ours_or_nowhere(folder, ref):
    found, _ = attempt(CorruptRecord, lambda: read_page_record(folder / ref.file, ref, decode_body))

    assert found is None or (ref.file, found.url) == ("web.warc.gz", URL)


def test_the_reference_itself_was_right(folder):
    at = len(FIRST)
    inside = PageRef("web.warc.gz", at, len(PAGE))

    assert read_page_record(folder / inside.file, inside, decode_body).body == BODY
    outside = PageRef("../web.warc.gz", at, len(PAGE))
    with pytest.raises(CorruptRecord, match="not the name"):
        read_page_record(folder / outside.file, outside, decode_body)


@often(60)
@given(damaged(WHOLE, most=1) | st.binary(max_size=50).map(lambda more: WHOLE + more))
def test_mending_cuts_only_what_is_not_whole(content):
    with TemporaryDirectory() as name:
        file = Path(name) / "web.warc.gz"
        file.write_bytes(content)
        home = LocalHome(None, Path(name), decode_body)

        with within():
            home.pages.mend()

        home.close()
        left = file.read_bytes()
    assert content.startswith(left)
    gzip.decompress(left)  # whole members, or nothing


def test_very_many_small_members_are_mended_in_time(tmp_path):
    (tmp_path / "web.warc.gz").write_bytes(gzip.compress(b"", mtime=0) * 5_000 + b"\x1f")
    home = LocalHome(None, tmp_path, decode_body)

    with within():
        home.pages.mend()

    home.close()
    assert (tmp_path / "web.warc.gz").stat().st_size == 5_000 * 20


def repacked(record: bytes) -> bytes:
    return FIRST + gzip.compress(record, 1)


NOTED = gzip.decompress(NOTE)
AUDITED = {
    "no gzip": b"x" * 100,
    "no purpose": repacked(NOTED.replace(b"purpose: ", b"porpoise: ")),
    "no number": repacked(NOTED.replace(b"startedAt: 100", b"startedAt: 1o0")),
    "no status": repacked(RECORD.replace(b"HTTP/1.1 200", b"HTTP/1.1 2oo")),
}


@pytest.mark.parametrize("content", AUDITED.values(), ids=AUDITED)
def test_a_damaged_file_fails_an_audit_by_name(tmp_path, content):
    path = tmp_path / "web.warc.gz"
    path.write_bytes(content)

    with within(), pytest.raises(GossamerError, match=r"web\.warc\.gz"):
        list(WarcReading(path))


@often(150)
@given(
    damaged(WHOLE)
    | damaged(NOTED).map(repacked)
    | damaged(RECORD).map(lambda r: repacked(r) + NOTE)
)
def test_an_audit_reads_a_file_or_says_why_not(content):
    with TemporaryDirectory() as name:
        path = Path(name) / "web.warc.gz"
        path.write_bytes(content)

        _, error = attempt(GossamerError, lambda: list(WarcReading(path)))

    assert error is None or "web.warc.gz" in str(error)
