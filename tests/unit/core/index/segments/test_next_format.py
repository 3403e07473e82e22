"""A program reads what the next one writes, so a release of a format can be gradual and go back.

The rule is in docs/decisions/0119: format N + 1 adds parts to format N, and a reader of N does
without them. `golden/index/next` has a manifest and a segment of the next format as it may be: with
an addition wherever one is possible. `python -m tests.unit.core.index.segments.test_next_format`
writes them for the format after the newest.

`released_reader.py` beside this file is what released programs read. It is changed only when no
program of that release can be rolled back to any more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
from xxhash import xxh3_64_intdigest

from gossamer.core.index.segments.formats import READ_FORMATS, WRITTEN_FORMATS
from gossamer.core.index.segments.layout import ALIGNMENT, magic_of
from gossamer.core.index.segments.manifest import Manifest, Merge
from gossamer.core.index.segments.merger import Source, merged_documents, order_of
from tests.unit.core.index.segments import released_reader
from tests.unit.core.index.segments.making import Files, as_kept, packed, read_all, read_back
from tests.unit.core.index.segments.test_golden import GOLDEN, MANIFEST, WITH_WORDS

if TYPE_CHECKING:
    from gossamer.core.index.segments.reader import Segment

NEXT = WRITTEN_FORMATS[-1] + 1
FOLDER = GOLDEN / "next"
MERGING = msgspec.structs.replace(
    MANIFEST, merges=[Merge(name="0000000004000-ff", sources=MANIFEST.segments, cuts=["m"])]
)


def next_manifest() -> bytes:
    """A manifest with an unknown part wherever one may be added."""

    def extended(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: extended(inner) for key, inner in value.items()} | added
        return [*map(extended, value), "added"] if is_struct(value) else value

    def is_struct(value: Any) -> bool:
        return isinstance(value, list) and bool(value) and isinstance(value[0], str)

    added = {"added": {"name": "0000000009000-zz", "size": 7}}
    raw = msgspec.to_builtins(MERGING)
    for info in (*raw["segments"], *raw["merges"][0]["sources"]):
        info.update({key: extended(value) for key, value in info.items()} | added)
    raw["retired"] = [extended(each) for each in raw["retired"]]
    raw["merges"][0].update(added)
    return msgspec.json.encode(raw | added)


def next_segment() -> bytes:
    """A segment with an unknown region, column, and facts in its footer."""
    data = packed(WITH_WORDS)
    opened = Files(it=data).open("it")
    footer = msgspec.to_builtins(opened.footer)
    end = max(place.offset + place.size for place in opened.footer.regions.values())
    end += -end % ALIGNMENT
    region = b"what this program does not know."
    place = [end, len(region), xxh3_64_intdigest(region)]
    footer["regions"] = {
        name: [*where, "added"]
        for name, where in {**footer["regions"], "column.place": place, "filter": place}.items()
    }
    footer["columns"] = [[*column, "added"] for column in footer["columns"]]
    footer["columns"].append(["place", "point", "<f4", "added"])
    body = msgspec.msgpack.encode(footer | {"added": {"bits": 10}})
    trailer = len(body).to_bytes(4, "little") + xxh3_64_intdigest(body).to_bytes(8, "little")
    magic = magic_of(NEXT)
    return magic + data[len(magic) : end] + region + body + trailer + magic


def write() -> None:
    """The golden files of the next format."""
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"manifest-v{NEXT}.json").write_bytes(next_manifest())
    (FOLDER / f"segment-v{NEXT}").write_bytes(next_segment())


def golden() -> Segment:
    name = f"segment-v{NEXT}"
    return Files({name: (FOLDER / name).read_bytes()}).open(name)


def test_the_next_format_is_read_and_the_one_after_it_is_not():
    assert NEXT in READ_FORMATS
    assert NEXT + 1 not in READ_FORMATS
    assert set(WRITTEN_FORMATS) < set(READ_FORMATS)


def test_a_manifest_of_the_next_format_says_what_it_said_before():
    body = (FOLDER / f"manifest-v{NEXT}.json").read_bytes()

    assert body.count(b'"added"') > 10
    assert msgspec.json.decode(body, type=Manifest) == MERGING


def test_a_segment_of_the_next_format_says_what_it_said_before():
    opened, before = golden(), Files(it=packed(WITH_WORDS)).open("it")

    assert opened.format == NEXT
    assert read_back(opened) == [as_kept(doc) for doc in WITH_WORDS]
    assert read_all(opened) == read_all(before)
    assert list(opened.verify()) == []


def test_a_segment_of_the_next_format_is_merged_without_what_is_unknown():
    opened, old = golden(), Files(it=packed(WITH_WORDS[:9])).open("it")
    segments = [opened, old]
    alive = [np.ones(segment.footer.documents, np.bool_) for segment in segments]
    sources = [Source(s, live, s.levels) for s, live in zip(segments, alive, strict=True)]

    documents = merged_documents(sources, order_of(sources, 0.0), opened.fetch)

    columns = {info.name for info, _ in documents.all_columns()}
    assert columns == {info.name for info in old.footer.columns}


@pytest.mark.parametrize("format", WRITTEN_FORMATS)
def test_a_released_program_reads_the_manifests_that_are_written(format):
    body = msgspec.json.encode(MERGING)

    read = msgspec.json.decode(body, type=released_reader.Manifest)

    assert format in released_reader.READ_FORMATS
    assert msgspec.json.encode(read) == (
        msgspec.json.encode(msgspec.json.decode(body, type=Manifest))
    )


@pytest.mark.parametrize("format", WRITTEN_FORMATS)
def test_a_released_program_reads_the_segments_that_are_written(format):
    """Every region that it reads is there, byte for byte as in its own format."""
    released = packed(WITH_WORDS, released_reader.READ_FORMATS[0])
    written = packed(WITH_WORDS, format)

    for region in released_reader.REGIONS:
        assert region_of(written, region) == region_of(released, region)
    footers = [released_reader.read_footer(data) for data in (released, written)]
    facts = [replace_regions(footer) for footer in footers]
    assert facts[0] == facts[1]
    assert written[-1] == format
    assert format in released_reader.READ_FORMATS


def region_of(data: bytes, name: str) -> bytes:
    place = released_reader.read_footer(data).regions[name]
    return data[place.offset : place.offset + place.size]


def replace_regions(footer: released_reader.Footer) -> released_reader.Footer:
    columns = [info for info in footer.columns if info.type in released_reader.COLUMN_TYPES]
    return msgspec.structs.replace(footer, regions={}, columns=columns)


if __name__ == "__main__":
    write()
