"""Is a small collection in the table of the inverted index, and do queries ask it?"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from gossamer import homes
from gossamer.adapters.aws.dynamodb.models import IndexItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.batch.compact import compact
from gossamer.batch.index import index_pending
from gossamer.bolts.manifest import GRACE, sweep
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.entrypoints.lambdas.compact import POLICY, merge_small
from gossamer.ports.documents import PageVersion
from tests.aws_backend import MotoBackend, leave
from tests.indexing import writer_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.adapters.aws.home import AwsHome
    from gossamer.search.searcher import Searcher

PAGES = 200
WORDS = ("silk", "web", "thread", "moth", "spider", "orb", "claw", "venom", "egg", "nest", "leaf")


def add_pages(home: AwsHome, first: int, last: int) -> None:
    random = Random(first)
    for n in range(first, last):
        words = [word for word in WORDS for _ in range(random.randrange(12))]
        url = f"http://a.test/{n}"
        document = Document(url=url, title=f"Page {n}", text=" ".join([*words, f"only{n}"]))
        home.documents.load([PageVersion(url_id(url), 1.0, {0: document})])


@pytest.fixture
def home() -> Iterator[AwsHome]:
    backend = MotoBackend({})
    opened: Any = backend.open()
    for first in range(0, PAGES, 50):
        add_pages(opened, first, first + 50)
        index_pending(opened, writer_of(opened.index))
    writer = writer_of(opened.index)
    assert not compact(writer, policy=POLICY)
    assert merge_small(writer, POLICY)  # as COMPACT does when nothing new comes
    yield opened
    leave(opened.meter, opened.clients.client("dynamodb").meta.events)
    backend.close()


def rows_of(home: AwsHome) -> list[Any]:
    return list(Table(home.clients, home.stack, IndexItem).scan())


def fresh(home: AwsHome) -> Searcher:
    """What a function would open."""
    found = homes.searcher(home)
    found.snapshot()
    home.meter.reset()
    return found


def test_a_ranked_query_reads_rows_of_the_index_and_fewer_than_there_are(home, monkeypatch):
    rows = rows_of(home)
    assert {row.key for row in rows} >= {f"web#{word}" for word in WORDS}
    read: list[Any] = []
    call = Table.call

    def counted(table: Any, operation: str, **how: Any) -> Any:
        answer = call(table, operation, **how)
        if how.get("IndexName") == "by_tfidf":
            read.extend(answer["Items"])
        return answer

    monkeypatch.setattr(Table, "call", counted)
    asked = fresh(home)

    found = asked.search("spider", similar="all")

    [info] = home.index.manifest().segments
    own = (info.name, info.name + "+")
    of_spider = [row for row in rows if row.key == "web#spider" and row.segment in own]
    assert [row["k"]["S"] for row in read] == ["web#spider"]
    assert (len(read), len(of_spider)) == (1, 2)
    assert len(found.hits) == 10
    assert found.total > 100
    assert {call for call in home.meter.calls if call[0].startswith("s3")} == set()


def test_an_answer_is_that_of_the_lists_themselves(home):
    queries = ("spider", "silk moth", "spider web claw only7", '"silk silk"', "nowhere leaf")
    first = [fresh(home).search(query, similar="all") for query in queries]
    warm = fresh(home)
    warm.search("only3 only4", similar="all")  # brings the lists

    again = [warm.search(query, similar="all") for query in queries]

    assert [(a.total, [(h.id, h.score) for h in a.hits]) for a in first] == [
        (a.total, [(h.id, h.score) for h in a.hits]) for a in again
    ]


def test_rows_leave_with_their_segment(home):
    [info] = home.index.manifest().segments
    add_pages(home, PAGES, PAGES + 60)
    index_pending(home, writer_of(home.index))
    merge_small(writer_of(home.index), POLICY)
    [merged] = home.index.manifest().segments
    assert {row.segment.removesuffix("+") for row in rows_of(home)} == {info.name, merged.name}

    sweep(writer_of(home.index, lambda: GRACE + 1.0))

    assert {row.segment.removesuffix("+") for row in rows_of(home)} == {merged.name}
    assert info.names.name not in home.index.names()
    assert home.index.manifest().names() <= set(home.index.names())
