"""Every format that was ever written can still be read.

`python -m tests.unit.core.index.segments.test_golden` writes the files of the present format. Only
a new format number needs new files: those of the old ones stay.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from gossamer.core.ids import UrlId, document_id
from gossamer.core.index.segments.layout import FORMAT
from gossamer.core.index.segments.manifest import Manifest, Retired, SegmentInfo, SideFile
from gossamer.core.index.segments.stored import Stored
from gossamer.core.index.segments.tombstones import pack_bits, unpack_bits
from tests.unit.core.index.segments.making import (
    ANALYZER,
    Doc,
    Files,
    as_kept,
    packed,
    read_back,
)

GOLDEN = Path(__file__).resolve().parents[4] / "golden" / "index"
FORMATS = (2,)
DOCS = [
    Doc(
        document_id(UrlId(b"%04d".ljust(16, b"\0") % n), 0 if n % 7 else n),
        1000.0 + n / 4,
        b"0123456789abcdef" if n % 2 else b"",
        n == 17,
        n % 256,
        Stored(
            f"http://a.test/{n}",
            f"Title {n}",
            "spiders weave silk " * (n % 3),
            "a description",
            "en",
            "2026-01-02",
            "http://a.test/",
            ("one", "é"),
        ),
        (n, 2, 300 * n),
        (n - 5 if n % 3 else None, n / 8, 20_000 + n, "a.test", ("red", f"t{n % 5}"), f"/{n}"),
        ()
        if n == 17
        else (
            ("@the web", 200, ()),
            (f"rare{n // 9}", 7, (3, 1 << 22)),
            ("silk", n * 7 % 255 + 1, (n, n + 9)),
            ("é", 1, (1,)),
        ),
    )
    for n in range(300)
]
MANIFEST = Manifest(
    version=7,
    segments=[
        SegmentInfo(name="0000000001000-aa", size=4096, documents=9, live=8, at=1.5),
        SegmentInfo(
            name="0000000002000-bb",
            size=99,
            documents=3,
            live=1,
            at=2.5,
            dead=SideFile("0000000003000-cc", 17),
            levels=SideFile("0000000003000-dd", 3),
        ),
    ],
    retired=[Retired("0000000000500-ee", 2.0)],
    analyzer={"language": "en", "smallest_word": 1},
)
DEAD = [n % 3 == 0 for n in range(21)]


def write() -> None:
    """The golden files of the present format."""
    GOLDEN.mkdir(exist_ok=True)
    (GOLDEN / f"segment-v{FORMAT}").write_bytes(packed(DOCS))
    (GOLDEN / f"manifest-v{FORMAT}.json").write_bytes(msgspec.json.encode(MANIFEST))
    (GOLDEN / f"dead-v{FORMAT}").write_bytes(pack_bits(DEAD))  # type: ignore[arg-type]


@pytest.mark.parametrize("version", FORMATS)
def test_a_segment_of_every_format_says_what_it_did(version):
    files = Files(golden=(GOLDEN / f"segment-v{version}").read_bytes())
    opened = files.open("golden")

    assert read_back(opened) == [as_kept(doc) for doc in DOCS]
    assert opened.footer.analyzer == ANALYZER
    assert list(opened.verify()) == []


@pytest.mark.parametrize("version", FORMATS)
def test_a_manifest_and_tombstones_of_every_format_are_understood(version):
    text = (GOLDEN / f"manifest-v{version}.json").read_bytes()
    dead = (GOLDEN / f"dead-v{version}").read_bytes()

    assert msgspec.json.decode(text, type=Manifest) == MANIFEST
    assert unpack_bits(dead, len(DEAD), "golden").tolist() == DEAD


def test_the_present_format_has_its_golden_files():
    golden = (GOLDEN / f"segment-v{FORMAT}").read_bytes()
    written = packed(DOCS)

    assert FORMAT in FORMATS
    assert written[-1] == golden[-1] == FORMAT
    one, other = (Files(it=data).open("it").footer for data in (golden, written))
    assert list(one.regions) == list(other.regions)
    assert one.columns == other.columns


if __name__ == "__main__":
    write()
