"""Can every version of the format that was ever written still be read?"""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from gossamer.core.collection import Weights
from gossamer.core.index.anchors import NAMED
from gossamer.core.index.codec import VERSION, pack_positions, pack_postings, unpack
from gossamer.core.index.manifest import Generation, Manifest
from gossamer.core.index.segment import select
from gossamer.core.page.document import Document
from tests.unit.core.index.test_codec import same
from tests.unit.core.index.words import Splitter, invert

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "index"
DOCUMENTS = [
    Document(url="http://a.test/1", title="The cats", text="a cat and dogs and fish " * 3),
    Document(url="http://a.test/2", headings=[(1, "dog"), (2, "fish")], images=["é x"]),
]
EVERYTHING = invert(DOCUMENTS, 70_000, Splitter(), Weights())
# When version 1 was written first, there were no whole names: their room in the format is the same.
TABLE = select(
    EVERYTHING,
    np.array([n for n, term in enumerate(EVERYTHING.terms) if not term.startswith(NAMED)]),
)


@pytest.mark.parametrize("version", range(1, VERSION + 1))
def test_a_table_of_an_old_version_reads_as_it_did(version):
    postings = (GOLDEN / f"v{version}.postings").read_bytes()
    positions = (GOLDEN / f"v{version}.positions").read_bytes()

    table = unpack(postings, positions)

    assert table.terms == TABLE.terms
    assert table.ordinals.tolist() == TABLE.ordinals.tolist()
    assert table.positions.tolist() == TABLE.positions.tolist()


def test_the_present_version_has_its_golden_file():
    written = unpack(pack_postings(TABLE), pack_positions(TABLE))

    assert same(written, TABLE)
    assert pack_postings(TABLE)[0] == VERSION
    assert (GOLDEN / f"v{VERSION}.postings").exists()


def test_an_old_manifest_is_understood():
    text = (GOLDEN / "manifest-v1.json").read_bytes()

    manifest = msgspec.json.decode(text, type=Manifest)

    assert manifest.deltas == [4, 5]
    assert manifest.generations == [Generation(3, 128, 1000)]
