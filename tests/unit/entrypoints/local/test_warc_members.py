"""Are records in gzip members read as warcio reads them, and the unusual left to it?"""

from __future__ import annotations

import gzip
from io import BytesIO

import pytest
from warcio.archiveiterator import ArchiveIterator

from gossamer.entrypoints.local import warc_members
from gossamer.entrypoints.local.warc_members import Unusual, members, read_response
from tests.warc_bytes import HTML, page, response

ONE = response("http://a.test/1", page("One", "silk"))
TWO = response("http://a.test/2", "x" * 200_000, kind="resource")
THREE = response("http://a.test/3", page("Three", "thread"))


def packed(record: bytes) -> bytes:
    return gzip.compress(record)


@pytest.mark.parametrize("at_once", [7, 100, 65_536])
def test_every_member_is_found_where_warcio_finds_it(monkeypatch, at_once):
    monkeypatch.setattr(warc_members, "READ_BYTES", at_once)
    data = ONE + TWO + THREE

    found = list(members(BytesIO(data)))

    records = ArchiveIterator(BytesIO(data))
    for record, member in zip(records, found, strict=True):
        place = records.get_record_offset(), records.get_record_length()
        assert (member.offset, member.size) == place
        assert member.fields["warc-target-uri"] == record.rec_headers["WARC-Target-URI"]
        assert member.fields["warc-type"] == record.rec_type


def test_a_response_is_what_warcio_reads():
    headers = [HTML, ("X-Robots-Tag", "noindex, nofollow"), ("Set-Cookie", "a=b; c"), ("Empty", "")]
    data = response("http://a.test/", "Größe \r\n\r\n more", headers=headers)

    found = read_response(data)

    record = next(ArchiveIterator(BytesIO(data)))
    assert found.headers == list(record.http_headers.headers)
    assert found.status == record.http_headers.get_statuscode() == "200"
    assert found.body == record.content_stream().read()


CUT = gzip.decompress(ONE)


@pytest.mark.parametrize(
    "data",
    [
        gzip.decompress(ONE),
        ONE[: len(ONE) // 2],
        packed(CUT[:-5]),
        packed(CUT + CUT),
        packed(CUT.replace(b"WARC/1.0", b"WARC/0.9")),
        packed(CUT.replace(b"http://a.test/1", b"<http://a.test/1>")),
        packed(CUT.replace(b"WARC-Date: ", b"WARC-Date\r\n : ")),
        packed(CUT.replace(b"Content-Length: ", b"Content-Length: x", 1)),
        packed(CUT.replace(b"http://a.test/1", "http://a.test/ü".encode())),
        packed(b"no record at all"),
    ],
    ids=range(10),  # the bytes have the time in them
)
def test_what_is_unusual_is_left_to_warcio(data):
    with pytest.raises(Unusual):
        list(members(BytesIO(data)))


@pytest.mark.parametrize(
    "name", ["Content-Encoding", "content-encoding", "Transfer-Encoding", "TRANSFER-ENCODING"]
)
def test_a_response_that_is_encoded_is_left_to_warcio(name):
    with pytest.raises(Unusual):
        read_response(response("http://a.test/", "x", headers=[HTML, (name, "gzip")]))


def test_a_header_that_is_no_ascii_is_left_to_warcio():
    with pytest.raises(Unusual):
        read_response(response("http://a.test/", "x", headers=[HTML, ("X", "Größe")]))


def test_what_comes_before_the_unusual_is_given_out():
    found = members(BytesIO(ONE + gzip.decompress(THREE)))

    assert next(found).fields["warc-target-uri"] == "http://a.test/1"
    with pytest.raises(Unusual):
        next(found)
