"""Can a query make a search fail, hang or answer nonsense?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.core.errors import QueryError
from gossamer.core.search.lexemes import MAX_LENGTH, MAX_TERMS
from gossamer.core.search.plain_text import read_query
from gossamer.core.search.query import MAX_DEPTH
from gossamer.entrypoints.api.services import HomeSearch, local_search
from tests.effort import often
from tests.fuzz.bounds import attempt
from tests.fuzz.collection import NASTY, make_collection
from tests.query_text import to_text

if TYPE_CHECKING:
    from gossamer.core.search.result import SearchResponse

PIECES = [
    "silk", "w*", "a*", "*", '"', "“", "(", ")", "&", "|", "!", "-", "NOT ", " AND ", " OR ",
    "site:", "title:", "url:", "lang:", "x:", ":", "=", "==", " ", "\t", "\u3000", "\u202e",
    "\u0301", "日本", "'", "\\", "/", "http://h1.test/?a&b", "h1.test", "\0", "\ud800", "%", "_",
    "ﷺ",
]  # fmt: skip
QUERIES = st.lists(st.sampled_from(PIECES), max_size=30).map("".join) | st.text(max_size=60)
WORST = {
    "parentheses": "(" * MAX_LENGTH,
    "balanced": "(" * 499 + "a" + ")" * 499,
    "as deep as may be": "(" * MAX_DEPTH + "a" + ")" * MAX_DEPTH,
    "negations": "!" * MAX_LENGTH,
    "negated negations": "!" * (MAX_DEPTH - 1) + "silk",
    "dashes": "-" * MAX_LENGTH,
    "quotes": '"' * MAX_LENGTH,
    "operators": "&|" * 500,
    "stars": "*" * MAX_LENGTH,
    "prefixes of everything": " ".join(["w*"] * MAX_TERMS),
    "negated prefixes": " & ".join(["!w*"] * MAX_TERMS),
    "all and all": " & ".join(["*"] * 300),
    "phrases of one word": " ".join(['"silk silk silk silk"'] * (MAX_TERMS // 4)),
    "a long phrase": '"' + "silk " * MAX_TERMS + '"',
    "a phrase of single letters": '"' + "a." * MAX_TERMS + '"',
    "fields": "title:" * 160,
    "colons": ":" * MAX_LENGTH,
    "one word": "a" * MAX_LENGTH,
    "addresses": "http://" * 140,
    "marks": "a" + "\u0301" * (MAX_LENGTH - 1),
    "expanding": "ﷺ" * MAX_LENGTH,
    "ors": " | ".join(["silk"] * MAX_TERMS),
    "too long": "silk " * 20_000,
    "far too long": "(" * 100_000,
    "sites": " | ".join(f"site:h{n}.test" for n in range(20)),
    "singles": "日" * MAX_LENGTH,
}


@pytest.fixture(scope="module")
def searcher(tmp_path_factory) -> HomeSearch:
    return local_search(make_collection(tmp_path_factory.mktemp("collection")))


def ask(searcher: HomeSearch, query: str, **how) -> SearchResponse | None:
    found, error = attempt(QueryError, lambda: searcher.search(query, explain=True, **how))
    assert error is None or 0 <= error.position <= len(query)
    return found


@often(250)
@given(QUERIES, st.integers(1, 3), st.integers(1, 5))
@example("!silk", 1, 5)
@example('"\0"', 1, 1)
def test_any_text_is_answered_or_refused_with_a_place(searcher, query, page, limit):
    found = ask(searcher, query, page=page, limit=limit)

    if found is None:
        return
    assert len(found.hits) <= limit
    assert len(found.hits) == max(0, min(limit, found.total - (page - 1) * limit))
    assert found.total <= len(NASTY)
    for hit in found.hits:
        assert "".join(piece.text for piece in hit.highlights) == hit.snippet
        assert hit.explain is not None
        assert hit.explain.score == pytest.approx(hit.score)


@often(100)
@given(QUERIES)
def test_a_query_written_out_again_finds_the_same(searcher, query):
    found = ask(searcher, query, limit=len(NASTY))
    if found is None or found.mode == "ranked":
        return

    again = ask(searcher, to_text(read_query(query).node), limit=len(NASTY))

    assert again is not None
    assert {hit.id for hit in again.hits} == {hit.id for hit in found.hits}


@pytest.mark.parametrize("query", WORST.values(), ids=WORST)
def test_the_worst_queries_are_answered_in_time(searcher, query):
    ask(searcher, query)
    ask(searcher, query, page=100, limit=100)
