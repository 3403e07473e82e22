"""Does a line stand between what matches and what fills up an answer?"""

from __future__ import annotations

from gossamer.core.search.fill_up import FILLED
from gossamer.core.search.result import Hit, SearchResponse
from gossamer.entrypoints.cli.search import _listing


def test_a_line_stands_above_the_first_result_that_fills_up():
    hits = [
        Hit(
            rank=n,
            id="",
            url=f"http://a.test/{n}",
            title=f"T{n}",
            snippet="",
            score=1.0,
            filled=n > 1,
        )
        for n in (1, 2, 3)
    ]
    found = SearchResponse(
        query="a & b", mode="boolean", total=3, total_is_exact=True, page=1, limit=10,
        took_ms=1.0, hits=hits, filled=2,
    )  # fmt: skip

    text = _listing(found, False)

    assert text.count(FILLED) == 1
    assert text.index("T1") < text.index(FILLED) < text.index("T2")
