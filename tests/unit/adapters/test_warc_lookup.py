"""Are all responses to a URL found in a WARC file, and nothing else?"""

from __future__ import annotations

import pytest

from gossamer.adapters import warc_lookup
from gossamer.adapters.warc import file_member, request_members
from gossamer.adapters.warc_lookup import responses_to
from gossamer.adapters.warc_reading import read_member
from gossamer.homes import decode_body
from gossamer.ports.fetcher import HttpResponse
from gossamer.ports.pages import RequestFacts

URL = "http://a.test/silk?x=1"
FACTS = RequestFacts(
    job="web", host="a.test", purpose="page", slot=1.0, delay=1.0, grace=1.0, depth=0, tries=0,
    agent="gossamer",
)  # fmt: skip


def never():
    return False


def request(url, at, body, code=200):
    response = HttpResponse(
        url=url, started_at=at, seconds=0.5, ip="192.0.2.7", code=code, phrase="OK",
        headers=(("Content-Type", "text/html"),), body=body, raw=body,
    )  # fmt: skip
    return b"".join(request_members(response, FACTS))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "web.warc.gz"
    noise = bytes(range(256)) * 60
    path.write_bytes(
        file_member(path.name)
        + request(f"{URL}0", 1.0, b"another")
        + request(URL, 2.0, b"first" + noise)
        + request(URL, 3.0, b"missing", code=404)
        + request("http://b.test/", 4.0, f"<a href={URL}>WARC-Type: response".encode() + noise)
        + request(URL, 5.5, b"second")
    )
    return path


@pytest.mark.parametrize("piece", [100, 8192, 8192 + 7, 8 << 20])
def test_the_pages_of_a_url_are_found_and_can_be_read(file, monkeypatch, piece):
    monkeypatch.setattr(warc_lookup, "PIECE", piece)

    found = list(responses_to(URL, file, never))

    data = file.read_bytes()
    assert [kept.fetched_at for kept in found] == [2.0, 5.5]
    assert found[0].digest.startswith("sha1:") != found[1].digest.startswith("md5:")
    for kept, body in zip(found, (b"first", b"second"), strict=True):
        member = data[kept.ref.offset : kept.ref.offset + kept.ref.length]
        page = read_member(member, decode_body, "here")
        assert (page.url, page.body[: len(body)]) == (URL, body)


def test_a_half_written_end_and_a_damaged_record_cost_only_themselves(file):
    data = bytearray(file.read_bytes())
    at = data.index(b"\x1f\x8b", 20)  # the first request
    data[at + 12 : at + 20] = b"\xff" * 8
    file.write_bytes(bytes(data) + request(URL, 9.0, b"third")[:30])

    assert [kept.fetched_at for kept in responses_to(URL, file, never)] == [2.0, 5.5]


def test_it_ends_when_it_is_late(file):
    looks = iter([False] * 4 + [True] * 99)

    assert [kept.fetched_at for kept in responses_to(URL, file, lambda: next(looks))] == [2.0]


def test_an_empty_file_has_none(tmp_path):
    path = tmp_path / "empty.warc.gz"
    path.touch()

    assert list(responses_to(URL, path, never)) == []
