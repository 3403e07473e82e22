"""Do segments without contents grow as COMPACT's policy lets them?"""

from __future__ import annotations

import pytest

from gossamer.batch.compact import MAX_SEGMENTS
from gossamer.entrypoints.lambdas.compact import LARGEST
from scripts.scale.findings import Findings
from scripts.scale.index_growth import IndexGrowth, entry_bytes


def grown(batches: int, documents: int, *, workers: float = 4) -> tuple[IndexGrowth, Findings]:
    index, findings = IndexGrowth(300.0), Findings()
    for n in range(batches):
        index.add(documents, 100, n * 300.0)
        index.compact(n * 300.0, workers, findings)
    for n in range(batches, batches + 50):
        index.compact(n * 300.0, workers, findings)
    return index, findings


def test_no_document_is_lost_in_merges():
    index, _ = grown(200, 5_000)

    assert sum(info.live for info in index.manifest.segments) == pytest.approx(1_000_000)
    assert len(index.manifest.segments) <= MAX_SEGMENTS


def test_large_segments_are_left_alone_and_no_merge_takes_too_long():
    index, findings = grown(1_000, 50_000, workers=40)

    assert "join" not in findings.by_kind
    assert max(info.live for info in index.manifest.segments) <= 2 * LARGEST


def test_a_manifest_that_has_outgrown_an_item_is_found():
    index, findings = IndexGrowth(300.0), Findings()
    live, _ = entry_bytes()
    index.add(100 * 0.99 * 400 * 1024 / live, 100, 0.0)
    assert not index.is_full(0.0, findings)

    index.add(100 * 0.02 * 400 * 1024 / live, 100, 0.0)

    assert index.is_full(0.0, findings)
    assert "400" in findings.by_kind["manifest"].what
