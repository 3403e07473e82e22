"""By the rules of which languages documents were indexed: queries are read by these.

They are counted where each document is analysed by its own language, and nowhere else.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.schema import LANGUAGE
from gossamer.core.index.segments.columns import KeywordColumn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gossamer.core.index.segments.manifest import SegmentInfo
    from gossamer.core.index.segments.opened import OpenSegments
    from gossamer.core.index.segments.reader import Segment
    from gossamer.ports.documents import Version


def languages_of(versions: Iterable[Version], analyzer: Analyzer) -> dict[str, int]:
    """How many of some documents are analysed by the rules of each language."""
    if not analyzer.is_auto:
        return {}
    return _by_rules(Counter(version.document.language for version in versions), analyzer)


def languages_in(
    opened: OpenSegments, segments: Sequence[SegmentInfo], described: Mapping[str, str | int | bool]
) -> dict[str, int]:
    """The same of the documents of some segments."""
    analyzer = Analyzer.from_description(described) if described else Analyzer()
    if not analyzer.is_auto:
        return {}
    counts: Counter[str] = Counter()
    for info in segments:
        counts += _in_segment(opened.segment(info))
    return _by_rules(counts, analyzer)


def _in_segment(segment: Segment) -> Counter[str]:
    column, there = segment.column(LANGUAGE), np.flatnonzero(~segment.identities.gone)
    if not isinstance(column, KeywordColumn):
        return Counter({"": len(there)})
    return Counter(dict(zip(["", *column.keywords], column.counts(there).tolist(), strict=True)))


def _by_rules(counts: Counter[str], analyzer: Analyzer) -> dict[str, int]:
    found: Counter[str] = Counter()
    for language, count in counts.items():
        found[analyzer.of_language(language).language] += count
    return {language: count for language, count in sorted(found.items()) if count}


def together(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    """What two counts are together."""
    return dict(sorted((Counter(one) + Counter(other)).items()))
