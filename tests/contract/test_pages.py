"""Do all page stores keep the promises of `ports.pages`, and is what they write WARC?"""

from __future__ import annotations

import asyncio
import gzip
import time
from argparse import Namespace
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from gossamer.adapters.local.home import LocalHome
from gossamer.core.crawl.url_record import PageRef
from gossamer.core.errors import CorruptRecord
from gossamer.homes import decode_body
from gossamer.ports.fetcher import HttpResponse
from gossamer.ports.pages import Earlier, RequestFacts
from tests.conftest import EMBEDDED
from tests.effort import often

URL = "http://a.test/x?y=%20"
HOUR = 3600.0
HTML = "<p>Grüße, 🕸</p>".encode()


def response(body=HTML, *, url=URL, code=200, headers=None, raw=None, **more):
    given = headers if headers is not None else (("Content-Type", "text/html"), ("ETag", '"1"'))
    return HttpResponse(
        url=url,
        started_at=more.pop("started_at", 100.25),
        seconds=0.5,
        ip="192.0.2.7",
        code=code,
        phrase=more.pop("phrase", "OK"),
        headers=given,
        raw=body if raw is None else raw,
        body=body,
        **more,
    )


def facts(**more):
    given = {
        "job": "web",
        "host": "a.test",
        "purpose": "page",
        "slot": 100.0,
        "delay": 1.0,
        "grace": 0.5,
        "depth": 2,
        "tries": 1,
        "agent": "Gossamer/0.1 (+https://us.test)",
    }
    return RequestFacts(**{**given, **more})


@pytest.fixture
def pages(any_home):
    return any_home.pages


def append(pages, *given):
    return asyncio.run(pages.append(*given))


@contextmanager
def paths(pages):
    """The files of a store; those of the cloud as they are downloaded."""
    with TemporaryDirectory() as folder:
        there = hasattr(pages, "download")
        yield list(pages.download(Path(folder))) if there else pages.files()


def names(pages):
    return [getattr(file, "name", file) for file in pages.files()]


def records(pages):
    """(type, headers, block) of every record."""
    found = []
    with paths(pages) as files:
        data = BytesIO(b"".join(path.read_bytes() for path in files))
    for record in ArchiveIterator(data, no_record_parse=True):
        block = record.content_stream().read()
        found.append((record.rec_type, dict(record.rec_headers.headers), block))
    return found


def test_a_page_is_read_back_as_it_was_appended(pages):
    ref = append(pages, response(), facts())

    page = pages.read(ref)

    assert (page.url, page.code, page.body) == (URL, 200, HTML)
    assert page.headers == (("Content-Type", "text/html"), ("ETag", '"1"'))


def test_an_encoded_page_is_kept_as_sent_and_read_decoded(pages):
    sent = gzip.compress(HTML)
    headers = (("Content-Encoding", "gzip"), ("Content-Type", "text/html"))

    ref = append(pages, response(headers=headers, raw=sent), facts())

    assert pages.read(ref).body == HTML
    assert sent in records(pages)[1][2]


def test_pages_outlive_the_process_and_a_new_run_writes_a_new_file(backend):
    first = append(backend.home.pages, response(b"one"), facts())
    getattr(backend.home.pages, "close", lambda: None)()

    pages = backend.reopen().pages
    second = append(pages, response(b"two"), facts())

    assert first.file != second.file
    assert [pages.read(ref).body for ref in (first, second)] == [b"one", b"two"]
    assert names(pages) == [first.file, second.file]


def test_what_was_appended_does_not_move_when_more_is_appended(pages):
    refs = [append(pages, response(b"%d" % i), facts()) for i in range(20)]

    assert [pages.read(ref).body for ref in refs] == [b"%d" % i for i in range(20)]


def test_warcio_finds_nothing_to_complain_about(pages, capsys):
    append(pages, response(), facts())
    append(pages, response(b"", code=301, headers=(("Location", "/elsewhere"),)), facts())
    append(pages, response(b"", code=0, headers=(), fault="timeout"), facts())
    append(pages, response(b"half", fault="truncated-body"), facts())
    getattr(pages, "sync", lambda: None)()

    with paths(pages) as files:
        checker = Checker(Namespace(inputs=[str(path) for path in files], verbose=True))
        code = checker.process_all()

    said = capsys.readouterr().out
    assert code == 0
    assert said.count("digest pass") == 3


def test_every_response_is_followed_by_the_metadata_of_its_request(pages):
    append(pages, response(), facts())

    (_, info, _), (kind, head, block), (about, metadata, lines) = records(pages)

    assert info["WARC-Type"] == "warcinfo"
    assert (kind, about) == ("response", "metadata")
    assert head["WARC-Target-URI"] == metadata["WARC-Target-URI"] == URL
    assert head["WARC-Date"] == metadata["WARC-Date"] == "1970-01-01T00:01:40.250000Z"
    assert head["WARC-IP-Address"] == "192.0.2.7"
    assert metadata["WARC-Concurrent-To"] == head["WARC-Record-ID"]
    assert block == b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: "1"\r\n\r\n' + HTML
    said = dict(line.split(": ", 1) for line in lines.decode().splitlines())
    assert said.items() >= {
        ("host", "a.test"),
        ("job", "web"),
        ("purpose", "page"),
        ("startedAt", "100.250000"),
        ("seconds", "0.500000"),
        ("slot", "100.000000"),
        ("delay", "1.000000"),
        ("grace", "0.500000"),
        ("code", "200"),
        ("depth", "2"),
        ("tries", "1"),
        ("userAgent", "Gossamer/0.1 (+https://us.test)"),
    }


def test_a_fault_without_response_leaves_only_metadata(pages):
    ref = append(pages, response(b"", code=0, headers=(), fault="dns"), facts())

    kinds = [kind for kind, _, _ in records(pages)]

    assert kinds == ["warcinfo", "metadata"]
    assert b"\r\nfault: dns\r\n" in records(pages)[1][2]
    assert ref.length == 0


def test_a_response_that_was_cut_says_so(pages):
    append(pages, response(b"half", fault="too-large"), facts())

    [_, (_, fields, block), _] = records(pages)
    assert fields["WARC-Truncated"] == "length"
    assert block.endswith(b"half")


def test_what_a_visit_repeats_is_kept_once_and_read_from_where_it_is(backend):
    body = HTML * 100
    first = append(backend.home.pages, response(body), facts())
    getattr(backend.home.pages, "close", lambda: None)()

    pages = backend.reopen().pages
    earlier = Earlier(first, URL, 100.25)
    again = append(pages, response(body, started_at=200.5), facts(), earlier)
    unsaid = append(pages, response(b"", code=304, started_at=300.5), facts(), earlier)

    kinds = [(kind, fields.get("WARC-Refers-To-Date")) for kind, fields, _ in records(pages)]
    date = "1970-01-01T00:01:40.250000Z"
    assert [kind for kind in kinds if kind[0] in ("response", "revisit")] == [
        ("response", None), ("revisit", date), ("revisit", date)
    ]  # fmt: skip
    assert pages.read(again).body == body
    assert (pages.read(unsaid).code, pages.read(unsaid).body) == (304, b"")


def test_a_reference_is_the_byte_range_of_one_gzip_member(backend):
    pages = backend.home.pages
    refs = [append(pages, response(b"%d" % i * 100), facts()) for i in range(3)]
    with paths(pages) as files:
        data = {name: path.read_bytes() for name, path in zip(names(pages), files, strict=True)}

    for ref in refs:
        member = data[ref.file][ref.offset : ref.offset + ref.length]
        (record,) = list(ArchiveIterator(BytesIO(member)))
        assert record.rec_type == "response"
        assert gzip.decompress(member).startswith(b"WARC/1.1\r\n")


def test_a_de_chunked_body_does_not_claim_to_be_chunked(pages):
    ref = append(pages, response(headers=(("Transfer-Encoding", "chunked"),)), facts())

    page = pages.read(ref)

    assert page.headers == (("X-Crawler-Transfer-Encoding", "chunked"),)
    assert page.body == HTML


@pytest.mark.parametrize("breaks", ["\r\n", "\n", "\r", "\r\n\r\n"])
def test_no_line_of_a_server_can_forge_a_header_or_a_record(pages, breaks):
    forged = f"x{breaks}Set-Cookie: forged{breaks}WARC/1.1"
    answer = response(headers=(("X-A", forged), (f"X-B{breaks}Y", "1")), phrase=forged)

    ref = append(pages, answer, facts(agent=forged, job=forged))

    page = pages.read(ref)
    assert "set-cookie" not in {name.lower() for name, _ in page.headers}
    assert page.body == HTML
    metadata = records(pages)[2][2].decode()
    assert not any(line.startswith(("Set-Cookie", "WARC")) for line in metadata.splitlines())


def test_a_header_of_any_script_does_not_stop_the_crawl(pages):
    ref = append(pages, response(headers=(("X-Name", "Łódź é"),), phrase="не"), facts())

    assert pages.read(ref).headers == (("X-Name", "?ód? é"),)


@pytest.mark.parametrize(
    "change",
    [
        lambda ref: PageRef(ref.file, ref.offset + 1, ref.length),
        lambda ref: PageRef(ref.file, ref.offset, ref.length - 9),
        lambda ref: PageRef(ref.file, ref.offset, 0),
        lambda ref: PageRef(ref.file, 10_000_000, ref.length),
        lambda ref: PageRef("missing.warc.gz", ref.offset, ref.length),
    ],
    ids=["shifted", "short", "empty", "beyond", "missing"],
)
def test_a_wrong_reference_is_a_corrupt_record(pages, change):
    ref = append(pages, response(), facts())

    with pytest.raises(CorruptRecord):
        pages.read(change(ref))


def test_a_body_that_cannot_be_decoded_is_a_corrupt_record(pages):
    ref = append(pages, response(headers=(("Content-Encoding", "gzip"),), raw=b"no gzip"), facts())

    with pytest.raises(CorruptRecord):
        pages.read(ref)


@pytest.mark.only(*EMBEDDED)
@pytest.mark.parametrize("cut", [1, 30, 150])
def test_a_half_written_tail_is_cut_off_and_whole_records_stay(backend, cut):
    home = backend.home
    kept = append(home.pages, response(b"kept"), facts())
    home.store.commit()
    path = home.pages.files()[-1]
    whole = path.stat().st_size
    torn = gzip.compress(b"WARC/1.1\r\n" + bytes(range(256)) * 4)[:cut]
    with path.open("ab") as file:
        file.write(torn)

    home = backend.reopen()
    home.recover()

    assert path.stat().st_size == whole
    assert home.pages.read(kept).body == b"kept"
    assert len(records(home.pages)) == 3


@pytest.mark.only(*EMBEDDED)
def test_whole_records_that_the_database_does_not_know_of_are_kept(backend):
    """A kill between writing a page and committing: the request was made, so it stays on record."""
    home = backend.home
    append(home.pages, response(b"kept"), facts())
    home.store.commit()
    path = home.pages.files()[-1]
    extra = gzip.compress(b"WARC/1.1\r\nWARC-Type: metadata\r\nContent-Length: 0\r\n\r\n\r\n\r\n")
    with path.open("ab") as file:
        file.write(extra + extra[:5])
    whole = path.stat().st_size - 5

    backend.reopen().recover()

    assert path.stat().st_size == whole


def test_mending_a_collection_without_pages_is_nothing(backend):
    backend.home.recover()

    assert backend.home.pages.files() == []


def test_files_that_are_joined_can_be_read_and_listed_as_before(pages, monkeypatch):
    monkeypatch.setattr("gossamer.adapters.aws.packs.joining.Joiner.enough", 1000)
    bodies = [b"%d" % n * 200 for n in range(5)]
    refs = [append(pages, response(body), facts()) for body in bodies]
    getattr(pages, "sync", lambda: None)()
    listed, before = list(pages.archived()), records(pages)
    contents = [b"".join(pages.file_pieces(name)) for name, _ in listed]

    for later in (HOUR, 2 * HOUR, 48 * HOUR):
        pages.join_small(time.time() + later, lambda: True)

        assert [pages.read(ref).body for ref in refs] == bodies
        assert list(pages.archived()) == listed
        assert [b"".join(pages.file_pieces(name)) for name, _ in listed] == contents
        assert records(pages) == before


LINE = st.text(st.characters(max_codepoint=255, exclude_characters="\r\n"), max_size=20)
NAME = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-", min_size=1, max_size=12)


@often(60)
@given(
    st.binary(max_size=300),
    st.lists(
        st.tuples(
            NAME.filter(lambda n: n.lower() not in ("content-encoding", "transfer-encoding")),
            LINE.map(str.strip),
        ),
        max_size=5,
    ),
    st.integers(100, 599),
)
def test_whatever_is_appended_is_read_back(body, headers, code):
    with TemporaryDirectory() as folder:
        home = LocalHome(None, Path(folder), decode_body)
        ref = append(home.pages, response(body, headers=tuple(headers), code=code), facts())

        page = home.pages.read(ref)
        home.close()

    assert (page.body, page.code, page.headers) == (body, code, tuple(headers))
