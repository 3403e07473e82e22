"""Is every record of a WACZ file where a reader that knows only its directory looks for it?"""

from __future__ import annotations

import gzip
import io
import struct
from zipfile import ZipFile

import msgspec

from gossamer.entrypoints.archives.cdxj import Captured
from gossamer.entrypoints.archives.wacz import WARC, PageLine, Wacz

URL, DATE = "http://a.test/", "2026-01-01T10:20:30.250000Z"
RECORDS = [gzip.compress(b"WARC/1.1 %d" % number) for number in range(3)]
LOCAL_HEADER = 30  # bytes, before the name
EXTRA_AT = 28  # of it: how long the fields behind the name are


def written() -> bytes:
    out = io.BytesIO()
    wacz = Wacz(out, "web", 1_767_262_830.0)
    captured, at = [], 0
    with wacz.warc() as write:
        for number, record in enumerate(RECORDS):
            write(record)
            place = (at, len(record))
            captured.append(Captured(f"{URL}{number}", DATE, "text/html", 200, "", *place))
            at += len(record)
    wacz.finish(captured, [PageLine(URL, DATE, "A")])
    return out.getvalue()


def begin_of(data: bytes, path: str) -> int:
    """Where a member begins, as ReplayWeb.page finds it.

    It reads a member's own header only if the directory has fields besides the name.
    """
    info = ZipFile(io.BytesIO(data)).getinfo(path)
    begin = info.header_offset + LOCAL_HEADER + len(path)
    if not info.extra:
        return begin
    [extra] = struct.unpack_from("<H", data, info.header_offset + EXTRA_AT)
    return begin + int(extra)


def test_records_are_found_as_replay_looks_for_them():
    data = written()
    index = ZipFile(io.BytesIO(data)).read("indexes/index.cdxj")
    begin = begin_of(data, f"archive/{WARC}")

    found = []
    for line in index.splitlines():
        said = msgspec.json.decode(line.split(b" ", 2)[2])
        at = begin + int(said["offset"])
        found.append(data[at : at + int(said["length"])])

    assert found == RECORDS


def test_every_member_begins_where_its_header_says():
    data = written()
    with ZipFile(io.BytesIO(data)) as zipped:
        for path in zipped.namelist():
            content = zipped.read(path)
            begin = begin_of(data, path)
            assert data[begin : begin + len(content)] == content, path
