"""Every format that was ever written can still be read.

`python -m tests.unit.core.index.segments.test_golden` writes the files of the present format. A
format number, a region or the form of a region that is new needs new files: the old ones stay.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from gossamer.core.ids import UrlId, document_id
from gossamer.core.index.segments.formats import DEFAULT_FORMAT, WRITTEN_FORMATS
from gossamer.core.index.segments.manifest import Manifest, Retired, SegmentInfo, SideFile
from gossamer.core.index.segments.stored import Stored
from gossamer.core.index.segments.tombstones import pack_bits, unpack_bits
from gossamer.core.index.segments.vocabulary import VOCABULARY
from gossamer.core.index.suggestions.entries import TITLE
from gossamer.core.index.suggestions.region import PER_BLOCK, SUGGESTIONS
from tests.unit.core.index.segments.making import (
    ANALYZER,
    Doc,
    Files,
    as_kept,
    listed,
    packed,
    read_all,
    read_back,
    suggestions_of,
)

if TYPE_CHECKING:
    from gossamer.core.index.segments.reader import Segment

GOLDEN = Path(__file__).resolve().parents[4] / "golden" / "index"
FORMATS = (2,)
OLDER = "segment-v2"  # of a program that wrote neither suggestions nor a vocabulary
SEGMENT = "segment-v2-suggestions"  # as it is written now
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
WORDS = ("=Silk", "=spiders", "=é")  # as written; the last is too short to be looked for
WITH_WORDS = [
    doc
    if doc.gone
    else replace(doc, terms=(*((word, 1, (n,)) for word in WORDS if n % len(word)), *doc.terms))
    for n, doc in enumerate(DOCS)
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
    (GOLDEN / SEGMENT).write_bytes(packed(WITH_WORDS))
    (GOLDEN / f"manifest-v{DEFAULT_FORMAT}.json").write_bytes(msgspec.json.encode(MANIFEST))
    (GOLDEN / f"dead-v{DEFAULT_FORMAT}").write_bytes(pack_bits(DEAD))  # type: ignore[arg-type]


def golden(name: str) -> Segment:
    return Files({name: (GOLDEN / name).read_bytes()}).open(name)


@pytest.mark.parametrize(("name", "docs"), [(OLDER, DOCS), (SEGMENT, WITH_WORDS)])
def test_a_segment_of_every_format_says_what_it_did(name, docs):
    opened = golden(name)

    assert read_back(opened) == [as_kept(doc) for doc in docs]
    assert opened.footer.analyzer == ANALYZER
    assert list(opened.verify()) == []


def test_a_segment_says_what_is_suggested_and_which_words_it_has():
    said = read_all(golden(SEGMENT))

    numbers = [n for n in range(300) if n != 17]
    spiders, silk = (sum(bool(n % len(word)) for n in numbers) for word in ("=spiders", "=Silk"))
    assert said.suggested == listed(suggestions_of(WITH_WORDS))
    assert ("title 9", "Title 9", "http://a.test/9", TITLE, (9,)) in said.suggested
    assert len(said.suggested) > PER_BLOCK
    assert said.words == [("Silk", silk), ("spiders", spiders)]


def test_an_older_segment_suggests_nothing_and_knows_no_similar_words():
    opened = golden(OLDER)

    assert not opened.has(SUGGESTIONS)
    assert not opened.has_vocabulary
    assert read_all(opened).suggested == []


@pytest.mark.parametrize("version", FORMATS)
def test_a_manifest_and_tombstones_of_every_format_are_understood(version):
    text = (GOLDEN / f"manifest-v{version}.json").read_bytes()
    dead = (GOLDEN / f"dead-v{version}").read_bytes()

    assert msgspec.json.decode(text, type=Manifest) == MANIFEST
    assert unpack_bits(dead, len(DEAD), "golden").tolist() == DEAD


def test_the_present_format_has_its_golden_files():
    kept = (GOLDEN / SEGMENT).read_bytes()
    written = packed(WITH_WORDS)

    assert set(WRITTEN_FORMATS) <= set(FORMATS)
    assert written[-1] == kept[-1] == DEFAULT_FORMAT
    one, other = (Files(it=data).open("it").footer for data in (kept, written))
    assert {SUGGESTIONS, VOCABULARY} < set(one.regions)
    assert list(one.regions) == list(other.regions)
    assert one.columns == other.columns


if __name__ == "__main__":
    write()
