"""Are the requests of a WARC file read back as they were made?"""

from __future__ import annotations

import gzip
from typing import Any

import pytest

from gossamer.adapters.warc import file_member, request_members
from gossamer.core.crawl.url_record import PageRef
from gossamer.entrypoints.local.warc_requests import stored_requests
from gossamer.ports.fetcher import HttpResponse
from gossamer.ports.pages import RequestFacts

PACKED = gzip.compress(b"silk", mtime=0)
HEADERS = (("Content-Type", "text/html"), ("ETag", '"é"'))
FACTS = RequestFacts(
    job="crawl", host="a.test", purpose="page", slot=99.5, delay=1.0, grace=0.04, depth=2, tries=1,
    agent="Gossamer/0.1", max_delay=60.0, robots_for="b.test", after=12.25,
)  # fmt: skip


def response(path: str, **facts: Any) -> HttpResponse:
    given: dict[str, Any] = {
        "code": 200,
        "headers": HEADERS,
        "raw": b"thread",
        "body": b"thread",
        **facts,
    }
    return HttpResponse(url=f"http://a.test/{path}", started_at=100.25, seconds=0.5, **given)


RESPONSES = (
    response("plain"),
    response("packed", headers=(("Content-Encoding", "gzip"),), raw=PACKED, body=b"silk"),
    response("half", headers=(("Content-Encoding", "gzip"),), raw=PACKED[:9], body=b"",
             fault="truncated-body"),
    response("silent", code=0, headers=(), raw=b"", body=b"", fault="timeout"),
    response("moved", code=301, headers=(("Location", "/x"),), raw=b"", body=b""),
)  # fmt: skip


@pytest.fixture
def members() -> list[bytes]:
    """The records of a file: what it is, then two for each request."""
    pairs = [member for each in RESPONSES for member in request_members(each, FACTS)]
    return [file_member("web.warc.gz"), *pairs]


def read(tmp_path, members: list[bytes]):
    path, damaged = tmp_path / "web.warc.gz", []
    path.write_bytes(b"".join(members))
    return list(stored_requests(path, lambda: damaged.append(1))), len(damaged)


def test_every_request_comes_back_with_its_place(tmp_path, members):
    found, damaged = read(tmp_path, members)

    assert [each.response for each in found] == list(RESPONSES)
    assert [each.facts for each in found] == [FACTS] * len(RESPONSES)
    assert found[0].page == PageRef("web.warc.gz", len(members[0]), len(members[1]))
    assert found[3].page.length == 0
    assert found[-1].end == sum(map(len, members))
    assert damaged == 0


@pytest.mark.parametrize("record", [1, 2, 5])
def test_a_damaged_record_costs_its_request(tmp_path, members, record):
    members[record] = members[record][:-12] + bytes(12)

    found, damaged = read(tmp_path, members)

    assert damaged == 1
    assert len(found) == len(RESPONSES) - 1
    assert RESPONSES[(record - 1) // 2] not in [each.response for each in found]


def test_a_response_and_facts_of_different_requests_are_no_request(tmp_path, members):
    del members[2:4]  # the facts of the first, the response of the second

    found, damaged = read(tmp_path, members)

    assert [each.response for each in found] == list(RESPONSES[2:])
    assert damaged == 0


def test_a_file_of_something_else_is_one_damage(tmp_path):
    assert read(tmp_path, [b"something else" * 1000]) == ([], 1)
