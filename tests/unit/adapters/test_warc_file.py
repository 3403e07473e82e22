"""Does a file have each payload once, and is what refers to it a revisit of WARC 1.1?"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from io import BytesIO

import pytest
from warcio.archiveiterator import ArchiveIterator

from gossamer import __version__
from gossamer.adapters.local.home import LocalHome
from gossamer.adapters.warc_file import WarcFile
from gossamer.core.errors import CorruptRecord
from gossamer.entrypoints.audit.records import WarcReading
from gossamer.entrypoints.local.warc_pages import find_pages
from gossamer.entrypoints.local.warc_requests import stored_requests
from gossamer.homes import decode_body
from gossamer.ports.fetcher import HttpResponse
from gossamer.ports.pages import Earlier, RequestFacts

FACTS = RequestFacts(
    job="web", host="a.test", purpose="page", slot=1.0, delay=1.0, grace=1.0, depth=0, tries=0,
    agent="Spider/2 (+mailto:me@a.test)",
)  # fmt: skip
BODY = b"<title>Silk</title><p>Silk is strong." + b" It is." * 300
SENT = b"GET /x HTTP/1.1\r\nHost: a.test\r\nUser-Agent: Spider/2\r\n\r\n"
PROFILE = "http://netpreserve.org/warc/1.1/revisit/"


def response(path="x", body=BODY, at=5.25, code=200, **more):
    return HttpResponse(
        url=f"http://a.test/{path}", started_at=at, seconds=0.5, ip="192.0.2.7", code=code,
        phrase="OK", headers=(("Content-Type", "text/html"), ("X-Path", path)), raw=body,
        body=b"" if more.get("fault") else body, request=SENT, **more,
    )  # fmt: skip


@pytest.fixture
def home(tmp_path):
    home = LocalHome(tmp_path / "web.db", tmp_path / "warc", decode_body)
    yield home
    home.close()


def append(home, *responses, earlier=None, facts=FACTS):
    return [asyncio.run(home.pages.append(each, facts, earlier)) for each in responses]


def records(home):
    """(type, fields, block) of every record, file after file."""
    data = b"".join(path.read_bytes() for path in home.pages.files())
    found = ArchiveIterator(BytesIO(data), no_record_parse=True)
    return [
        (each.rec_type, dict(each.rec_headers.headers), each.content_stream().read())
        for each in found
    ]


def of_type(home, kind):
    return [(fields, block) for found, fields, block in records(home) if found == kind]


def test_what_was_sent_is_kept_beside_what_came(home):
    append(home, response())

    kinds = [kind for kind, _, _ in records(home)]
    [(request, sent)], [(answer, _)] = of_type(home, "request"), of_type(home, "response")
    assert kinds == ["warcinfo", "response", "metadata", "request"]
    assert sent == SENT
    assert request["WARC-Concurrent-To"] == answer["WARC-Record-ID"]
    assert request["Content-Type"] == "application/http; msgtype=request"
    assert request["WARC-Date"] == answer["WARC-Date"]


def test_a_request_without_an_answer_is_kept_with_what_is_known_of_it(home):
    append(home, response(body=b"", code=0, fault="timeout"))

    [(request, _)], [(facts, _)] = of_type(home, "request"), of_type(home, "metadata")
    assert request["WARC-Concurrent-To"] == facts["WARC-Record-ID"]
    assert "WARC-Concurrent-To" not in facts


def test_a_file_says_who_wrote_it_and_by_which_rules(home):
    append(home, response())

    [(_, block)] = of_type(home, "warcinfo")
    said = dict(line.split(": ", 1) for line in block.decode().splitlines())
    assert said["software"] == f"Gossamer/{__version__}"
    assert said["http-header-user-agent"] == FACTS.agent
    assert (said["robots"], said["format"]) == ("obey", "WARC File Format 1.1")


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        ("too-large", "length"),
        ("decompression-bomb", "length"),
        ("too-slow", "time"),
        ("timeout", "time"),
        ("truncated-body", "disconnect"),
        ("connection-reset", "disconnect"),
        ("undecodable-body", "unspecified"),
    ],
)
def test_half_a_response_is_kept_with_its_cause_and_is_nobodys_page(home, fault, cause):
    [ref] = append(home, response(body=BODY[:1500], fault=fault))

    [(fields, block)] = of_type(home, "response")
    [stored] = stored_requests(home.pages.files()[0], pytest.fail)
    assert fields["WARC-Truncated"] == cause
    assert block.endswith(BODY[:1500])
    assert (stored.response.raw, stored.response.body) == (BODY[:1500], b"")
    assert list(home.pages.responses_to("http://a.test/x", lambda: False)) == []
    assert ref.length > 0


def test_rules_that_were_cut_say_so_and_count(home):
    append(home, response(is_cut=True))

    [(fields, _)] = of_type(home, "response")
    assert fields["WARC-Truncated"] == "length"


def test_a_304_is_a_revisit_of_the_page_that_it_speaks_of(home):
    [ref] = append(home, response())
    earlier = Earlier(ref, "http://a.test/x", 5.25)
    append(home, response(body=b"", at=9.5, code=304), earlier=earlier)

    [(page, _)], [(again, block)] = of_type(home, "response"), of_type(home, "revisit")
    assert again["WARC-Profile"] == PROFILE + "server-not-modified"
    assert again["WARC-Refers-To"] == page["WARC-Record-ID"]
    assert again["WARC-Refers-To-Target-URI"] == page["WARC-Target-URI"]
    assert again["WARC-Refers-To-Date"] == page["WARC-Date"]
    assert block.startswith(b"HTTP/1.1 304")


def test_a_304_is_one_although_the_page_is_gone(home):
    [ref] = append(home, response())
    gone = Earlier(replace_file(ref, "gone.warc.gz"), "http://a.test/x", 5.25)
    append(home, response(body=b"", at=9.5, code=304), earlier=gone)

    [(page, _)], [(again, _)] = of_type(home, "response"), of_type(home, "revisit")
    assert again["WARC-Refers-To-Date"] == page["WARC-Date"]
    assert "WARC-Refers-To" not in again


def replace_file(ref, name):
    return type(ref)(name, ref.offset, ref.length)


def test_a_304_to_a_first_request_is_a_response(home):
    append(home, response(body=b"", code=304))

    assert of_type(home, "revisit") == []
    assert len(of_type(home, "response")) == 1


def test_a_page_that_is_as_it_was_is_stored_once_and_read_all_the_same(home):
    [ref] = append(home, response())
    home.pages.close()  # the next run has another file
    earlier = Earlier(ref, "http://a.test/x", 5.25)
    [later] = append(home, response(at=9.5), earlier=earlier)

    [(page, _)], [(again, block)] = of_type(home, "response"), of_type(home, "revisit")
    assert later.file != ref.file
    assert again["WARC-Profile"] == PROFILE + "identical-payload-digest"
    assert again["WARC-Payload-Digest"] == page["WARC-Payload-Digest"]
    assert again["WARC-Refers-To"] == page["WARC-Record-ID"]
    assert block.endswith(b"X-Path: x\r\n\r\n")
    assert home.pages.read(later).body == BODY


def test_a_third_visit_refers_to_the_first(home):
    [first] = append(home, response())
    home.pages.close()
    [second] = append(home, response(at=9.5), earlier=Earlier(first, "http://a.test/x", 5.25))
    home.pages.close()
    [third] = append(home, response(at=20.5), earlier=Earlier(second, "http://a.test/x", 9.5))

    dates = [fields["WARC-Refers-To-Date"] for fields, _ in of_type(home, "revisit")]
    assert dates == ["1970-01-01T00:00:05.250000Z"] * 2
    assert home.pages.read(third).body == BODY


def test_a_page_that_was_sent_otherwise_is_stored_anew(home):
    [ref] = append(home, response())
    append(home, response(body=BODY + b" "), earlier=Earlier(ref, "http://a.test/x", 5.25))

    assert len(of_type(home, "response")) == 2


def test_a_copy_under_another_url_refers_to_what_the_file_has(home):
    _, ref = append(home, response("x"), response("y", at=6.0))

    [(again, _)] = of_type(home, "revisit")
    page = home.pages.read(ref)
    assert again["WARC-Refers-To-Target-URI"] == "http://a.test/x"
    assert (page.url, page.body) == ("http://a.test/y", BODY)
    assert ("X-Path", "y") in page.headers


@pytest.mark.parametrize(
    "copy",
    [
        response("y", body=BODY[:999]),
        response("y", code=404),
        response("y", fault="too-slow"),
    ],
)
def test_what_is_short_wrong_or_broken_off_is_no_copy(home, copy):
    append(home, replace(copy, url="http://a.test/x"), copy)

    assert of_type(home, "revisit") == []


def test_what_could_not_be_written_is_not_referred_to():
    file = WarcFile("web.warc.gz", "")
    ref, _ = file.add(response("x"), FACTS)

    file.undo(ref)
    again, records = file.add(response("y"), FACTS)

    kinds = [each.rec_type for each in ArchiveIterator(BytesIO(records))]
    assert (again.offset, kinds) == (ref.offset, ["response", "metadata", "request"])


def test_a_revisit_whose_original_is_gone_is_damaged(home):
    [ref] = append(home, response())
    home.pages.close()
    [later] = append(home, response(at=9.5), earlier=Earlier(ref, "http://a.test/x", 5.25))
    home.pages.close()
    home.pages.files()[0].unlink()

    with pytest.raises(CorruptRecord, match=ref.file):
        home.pages.read(later)


def test_the_audit_and_a_rebuild_read_what_was_not_stored_again(home):
    [ref] = append(home, response("x"))
    append(home, response("y", at=6.0))
    append(home, response("x", b"", 9.5, 304), earlier=Earlier(ref, "http://a.test/x", 5.25))
    [path] = home.pages.files()

    reading = WarcReading(path)
    audited = [(each.url, each.code) for each in reading]
    rebuilt = [each.response for each in stored_requests(path, pytest.fail)]

    assert audited == [(each.url, each.code) for each in rebuilt]
    assert reading.losses == []
    assert [each.body for each in rebuilt] == [BODY, BODY, b""]
    assert len(rebuilt[1].raw) == len(BODY)


def test_a_copy_is_no_page_of_its_own_to_the_index_nor_half_a_page(home):
    append(home, response("x"), response("y"), response("z", BODY[:1200], fault="too-slow"))
    [path] = home.pages.files()

    assert len(list(find_pages(path))) == 2  # that z is none is seen where it is read
