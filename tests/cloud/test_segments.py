"""Are answers the same when many segments are merged and queries read heads by their weight?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from gossamer import homes
from gossamer.core.ids import UrlId, document_id, page_of
from gossamer.core.index.segments.dictionary import FREQUENT
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.ports.documents import PageVersion, Version
from gossamer.settings import Settings
from tests.cloud import crawls
from tests.indexing import index_all

if TYPE_CHECKING:
    from tests.cloud.harness import Stack

# Eight segments are merged at once, and have words that are frequent enough for a head.
ROUNDS, SEGMENTS, DOCUMENTS = 3, 8, 40
ATTEMPTS = 10  # to compact beside the schedule
BOUNDS = {"heads_from": FREQUENT, "alone_bytes": 1, "part_bytes": 20_000}
# Words that no other test searches for.
QUERIES = (
    "batten",
    "batten treadle",
    '"batten treadle"',
    "batten -pirn3",
    "pirn1 | pirn2",
    "batt*",
)


@pytest.fixture
def home(stack, monkeypatch) -> Any:
    """The home of the stack, as its functions open it."""
    for name, value in stack.emulator.environment.items():
        monkeypatch.setenv(name, value)
    return homes.find_stack(stack.name, None, Settings())[1]


def version(number: int) -> Version:
    url = f"http://segments.test/{number}"
    text = f"{'batten ' * (1 + number % 5)} treadle pirn{number % 7} {'lease ' * (number % 11)}"
    document = Document(url=url, title=f"Loom {number}", text=text, language="en")
    return Version(document_id(UrlId(url_id(url))), 1.0, document)


def fill(home: Any, number: int) -> None:
    """Some small segments, as INDEX writes them."""
    first, count = number * SEGMENTS * DOCUMENTS, SEGMENTS * DOCUMENTS
    for begin in range(first, first + count, DOCUMENTS):
        versions = [version(number) for number in range(begin, begin + DOCUMENTS)]
        home.documents.load([PageVersion(page_of(v.id), 1.0, {0: v.document}) for v in versions])
        index_all(homes.index_writer(home), versions)


def compact(stack: Stack, home: Any, headed: int) -> None:
    """Let COMPACT and MERGE work until so many segments have heads."""
    for _ in range(ATTEMPTS):
        answer = stack.invoke("compact", BOUNDS)
        assert answer.error is None, answer
        stack.wait_until_drained()
        manifest = home.index.manifest()
        if sum(info.has_heads for info in manifest.segments) >= headed and not manifest.merges:
            return
    pytest.fail(f"{manifest} after {ATTEMPTS} attempts")


def answers(stack: Stack) -> list[tuple[int, list[float]]]:
    found = [crawls.search(stack, quote(query)).json for query in QUERIES]
    return [(a["total"], sorted(round(hit["score"], 5) for hit in a["hits"])) for a in found]


def test_many_segments_are_merged_and_queries_read_their_heads_by_weight(stack, home, tmp_path):
    """Though MERGE is killed when its first task is done, and the queue was not told."""
    stack.set_visibility("merge", 5)
    merges = len(stack.logs("merge"))
    with stack.dying_once("merge", tmp_path):
        for number in range(ROUNDS):
            fill(home, number)
            before = answers(stack)
            compact(stack, home, number + 1)

    assert (tmp_path / "merge").exists()
    assert len(stack.logs("merge")) - merges > 2 * ROUNDS  # two tasks at least, and the joining
    assert before[0][0] == ROUNDS * SEGMENTS * DOCUMENTS
    assert answers(stack) == before
    home.meter.reset()
    found = homes.searcher(home).search("batten treadle")
    assert found.total == before[0][0]
    assert home.meter.calls["dynamodb:Query", "inverted_index/by_tfidf"] >= 2  # one for each word
