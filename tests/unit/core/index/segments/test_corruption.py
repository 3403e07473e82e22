"""A damaged segment is recognised, and what is damaged is named."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from gossamer.core.errors import CorruptRecord
from gossamer.core.index.segments.formats import DEFAULT_FORMAT, READ_FORMATS, read_formats
from gossamer.core.index.segments.layout import Footer, compose, magic_of, read_tail
from gossamer.core.index.segments.reader import BETWEEN
from gossamer.core.index.segments.stored import Stored
from gossamer.core.index.segments.vocabulary import VOCABULARY
from gossamer.core.index.suggestions.region import SUGGESTIONS
from tests.fuzz.bounds import attempt
from tests.unit.core.index.segments.making import (
    Doc,
    Files,
    as_kept,
    packed,
    read_all,
    read_back,
    use_small_parts,
)

NAME = "0001-abc"


@pytest.fixture(autouse=True, scope="module")
def _small_parts():
    with pytest.MonkeyPatch.context() as patch:
        use_small_parts(patch)
        yield


DOCS = [
    Doc(
        b"%016d" % n,
        float(n),
        b"0123456789abcdef" if n % 2 else b"",
        n == 3,
        n * 50,
        Stored(
            f"http://a.test/{n}", f"title {n % 2}", "text " * n, headings=("spider silk", f"h{n}")
        ),
        (n, 2, 300),
        (n, n / 3, 20_000 + n, f"h{n % 2}.test", ("red", f"t{n}"), f"http://a.test/{n}"),
        (
            ("=cats", 1, (9,)),
            ("=dog" + "s" * n, 1, (3,)),
            ("cat", n + 1, (n, 9)),
            ("dog" + "s" * n, 7, (3,)),
            ("owl", 250 - n, ()),
        ),
    )
    for n in range(5)
]


@pytest.fixture(scope="module")
def whole(_small_parts) -> bytes:
    return packed(DOCS)


def flipped(data: bytes, at: int, mask: int = 0x55) -> bytes:
    return data[:at] + bytes((data[at] ^ mask,)) + data[at + 1 :]


def region_at(whole: bytes, at: int) -> str:
    footer = Files({NAME: whole}).open(NAME).footer
    inside = [n for n, r in footer.regions.items() if r.offset <= at < r.offset + r.size]
    return inside[0] if inside else ""


def test_every_flipped_byte_gives_the_same_content_or_an_error_that_names_the_segment(whole):
    expected = read_all(Files({NAME: whole}).open(NAME))
    assert expected.docs == [as_kept(doc) for doc in DOCS]
    assert expected.suggested
    assert expected.words
    unharmed = []
    for at in range(len(whole)):
        files = Files({NAME: flipped(whole, at, 1 << at % 8)})
        found, error = attempt(CorruptRecord, lambda files=files: read_all(files.open(NAME)))  # type: ignore[misc]
        if error is None:
            assert found == expected, (at, region_at(whole, at))
            unharmed.append(at)
        else:
            assert f"the segment {NAME}" in str(error), at
    # What is never looked at: the first magic, padding, and what zstd does not need.
    assert len(unharmed) < len(whole) / 20


def test_verify_names_the_region_of_every_flipped_byte(whole):
    regions = Files({NAME: whole}).open(NAME).footer.regions
    end = max(place.offset + place.size for place in regions.values())
    named = set()
    for at in range(len(whole)):
        places = (n for n, r in regions.items() if r.offset <= at < r.offset + r.size)
        region = next(places, BETWEEN)
        files = Files({NAME: flipped(whole, at)})
        try:
            [(where, problem)] = files.open(NAME).verify()
        except CorruptRecord as error:  # without these, nothing can be opened
            assert region == "sparse" or at >= end
            where, problem = region, str(error)
        assert where == region
        assert f"the segment {NAME}" in problem
        assert region == BETWEEN or f"the region {region} of" in problem
        named.add(region)
    assert named == {name for name, region in regions.items() if region.size} | {BETWEEN}
    assert {SUGGESTIONS, VOCABULARY} < named


@pytest.mark.parametrize("kept", [0, 1, 19, 20, 100, 0.5, 0.9, -40, -21, -20, -8, -1])
def test_a_file_that_was_cut_is_refused_by_name(whole, kept):
    size = int(len(whole) * kept) if isinstance(kept, float) else kept
    files = Files({NAME: whole[:size]})

    with pytest.raises(CorruptRecord, match=f"the segment {NAME}"):
        read_back(files.open(NAME))


def test_a_file_that_lost_its_beginning_is_refused(whole):
    files = Files({NAME: whole[200:]})

    with pytest.raises(CorruptRecord, match=NAME):
        read_back(files.open(NAME))


def test_another_format_is_named_with_what_to_do(whole):
    for format, remedy in ((1, "index it again"), (READ_FORMATS[-1] + 1, "update the program")):
        files = Files({NAME: whole[:-1] + bytes([format])})
        message = f"{NAME} has format {format}, this program reads {read_formats()}: {remedy}"

        with pytest.raises(CorruptRecord, match=message):
            files.open(NAME)


def test_any_other_file_is_no_segment():
    with pytest.raises(CorruptRecord, match="does not end as a segment does"):
        Files({NAME: b"PK\3\4" * 100}).open(NAME)
    with pytest.raises(CorruptRecord, match="too short"):
        Files({NAME: b""}).open(NAME)


def test_a_segment_without_a_region_says_which(whole):
    data = b"".join(compose([("terms", b"")], Footer(documents=0)))

    with pytest.raises(CorruptRecord, match=f"{NAME} has no region sparse"):
        Files({NAME: data}).open(NAME)


def test_a_footer_longer_than_one_read_is_read_again():
    regions = [(f"column.{n:06}", b"x") for n in range(5000)]
    data = b"".join(compose(regions, Footer(documents=7)))

    footer, needed, _ = read_tail(NAME, data[-65_536:])
    assert footer.documents == 0
    assert needed > 65_536
    footer, _, _ = read_tail(NAME, data[-needed:])
    assert (footer.documents, len(footer.regions)) == (7, 5000)
    assert data.startswith(magic_of(DEFAULT_FORMAT))


def test_what_is_not_damaged_goes_on_answering(whole):
    """A column is lost; words, positions and stored documents are not."""
    opened = Files({NAME: whole}).open(NAME)
    place = opened.footer.regions["column.price"]
    damaged = Files({NAME: flipped(whole, place.offset)}).open(NAME)

    with pytest.raises(CorruptRecord, match=r"column\.price"):
        damaged.column("price")
    damaged.footer.columns[:] = [c for c in damaged.footer.columns if c.name != "price"]
    expected = [as_kept(doc) for doc in DOCS]
    expected = [
        dataclasses.replace(doc, columns=(doc.columns[0], None, *doc.columns[2:]))
        for doc in expected
    ]
    assert read_back(damaged) == expected


def test_regions_begin_where_arrays_can_be_used_in_place(whole):
    opened = Files({NAME: whole}).open(NAME)

    assert {region.offset % 8 for region in opened.footer.regions.values()} == {0}
    assert opened.identities.versions.flags.aligned
    assert not opened.identities.versions.flags.owndata
    assert isinstance(opened.identities.ids, np.ndarray)
