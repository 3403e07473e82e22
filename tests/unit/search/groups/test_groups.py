"""Do groups of segments answer together as one index does, in three turns?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from gossamer.adapters.local.database import Store
from gossamer.adapters.local.segments import LocalSegmentStore
from gossamer.batch.compact import compact
from gossamer.bolts.manifest import sweep
from gossamer.core.collection import CollectionSettings
from gossamer.core.errors import TransientError
from gossamer.core.ids import UrlId, document_id
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.segments.manifest import Manifest, SegmentInfo
from gossamer.core.page.document import Document
from gossamer.ports.documents import Version
from gossamer.search.groups.group import Group
from gossamer.search.groups.groups import Groups
from gossamer.search.groups.questions import Answer, Counted
from gossamer.search.searcher import Searcher
from tests.groups import Function
from tests.indexing import index_all, writer_of

if TYPE_CHECKING:
    from collections.abc import Iterator

SEGMENTS, DOCUMENTS = 5, 30


class Kept(dict[Any, Version]):
    """Documents by id, for explanations."""

    reads = 0.0

    def read(self, ids: list[Any], **_: bool) -> list[Version]:
        return [self[id] for id in ids]


class Collection:
    """An index of some segments, its searcher, and another that asks each segment by itself."""

    def __init__(self) -> None:
        self.store = Store(None)
        self.index = LocalSegmentStore(self.store, None)
        self.documents = Kept()
        documents: Any = self.documents
        asked = self.index, documents, Analyzer(), CollectionSettings()
        self.function = Function(Group(*asked))
        self.one = Searcher(*asked, lambda: 0.0)
        self.groups = Searcher(*asked, lambda: 0.0, groups=Groups(self.function, most=DOCUMENTS))

    def add(self, first: int) -> None:
        batch = [version(n) for n in range(first, first + DOCUMENTS)]
        self.documents.update({each.id: each for each in batch})
        clusters = {each.id: 7 for each in batch if each.document.text.endswith("copy")}
        index_all(writer_of(self.index), batch, clusters=clusters)


def version(n: int) -> Version:
    text = f"silk moth{n % 3} rare{n}" + (" thread" * (n % 5)) + (" copy" if n % 4 == 0 else "")
    canonical = "http://a.test/8" if n % 4 == 0 else ""
    place = "fr/" if n % 8 == 4 else ""  # as if it were translated
    document = Document(
        url=f"http://a.test/{place}{n}",
        title="silk",
        text=text,
        canonical=canonical,
        language="en",
    )
    return Version(document_id(UrlId(b"%016d" % (n * 7919 % 1009))), 1.0, document)


@pytest.fixture
def collection() -> Iterator[Collection]:
    made = Collection()
    for number in range(SEGMENTS):
        made.add(number * DOCUMENTS)
    yield made
    made.store.close()


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"page": 2, "limit": 7},
        {"page": 40},
        {"similar": "all", "limit": 100},
        {"explain": True},
        {"profile": "tfidf"},
        {"facets": ("site", "lang"), "sort": "-date", "exact_total": True},
    ],
)
@pytest.mark.parametrize(
    "query", ["silk", "thread moth1", '"silk moth2" -rare5', "rare7*", "zebra"]
)
def test_the_answer_is_that_of_one_process(collection, query, how):
    assert collection.groups.search(query, **how) == collection.one.search(query, **how)


def test_what_a_result_stands_for_is_shown_on_request(collection):
    hit = next(hit for hit in collection.one.search("silk").hits if hit.similar)
    every = {each.id for each in collection.one.search("silk", similar="all", limit=100).hits}

    alike = collection.one.search("silk", like=hit.id)

    ids = [each.id for each in alike.hits]
    assert len(set(ids)) == len(ids) == alike.total == hit.similar
    assert hit.id not in ids
    assert set(ids) <= every
    assert collection.groups.search("silk", like=hit.id) == alike


def test_a_result_that_stands_for_no_other_has_none_to_show(collection):
    for searcher in (collection.one, collection.groups):
        assert searcher.search("rare7", like="00" * 16).hits == []


def test_a_query_takes_three_turns_and_only_who_has_a_result_shows_it(collection):
    collection.groups.search("rare7")

    count, rank, show = collection.function.asked
    assert (len(count), len(rank), len(show)) == (SEGMENTS, SEGMENTS, 1)


def test_a_document_is_found_in_whichever_group_it_is(collection):
    for id in list(collection.documents)[::37]:
        assert collection.groups.document(id) == collection.one.document(id) is not None
    assert collection.groups.document(document_id(UrlId(b"z" * 16))) is None


def test_one_process_is_enough_for_a_small_index(collection):
    groups = Groups(collection.function, most=SEGMENTS * DOCUMENTS)

    assert not groups.are_needed(collection.index.manifest())


def test_files_that_are_deleted_meanwhile_are_asked_for_by_the_next_manifest(collection):
    def merging(questions):
        if not collection.function.asked:  # the manifest was read, and no group asked yet
            compact(writer_of(collection.index), whole=True)
            sweep(writer_of(collection.index), grace=0.0)
        return collection.function(questions)

    collection.groups._groups = Groups(merging, most=DOCUMENTS)

    assert collection.groups.search("silk") == collection.one.search("silk")


def test_an_answer_to_another_question_is_no_answer(collection):
    counted = msgspec.json.encode(Counted([1]))
    collection.groups._groups = Groups(lambda asked: [counted for _ in asked], most=1)

    with pytest.raises(TransientError, match="Counted"):
        collection.groups.search("silk")


def test_answers_tell_what_they_are_when_they_are_read():
    assert msgspec.json.decode(msgspec.json.encode(Counted([3])), type=Answer) == Counted([3])


@pytest.mark.parametrize(
    ("sizes", "groups"),
    [
        ([], []),
        ([100], [[100]]),
        ([300, 1], [[300], [1]]),
        ([40, 60, 70, 30, 10], [[70, 30], [60, 40], [10]]),
        ([1] * 5, [[1] * 5]),
    ],
)
def test_segments_share_a_group_as_long_as_there_is_room(sizes, groups):
    infos = [
        SegmentInfo(name=f"{n:03}", size=1, documents=size, live=size)
        for n, size in enumerate(sizes)
    ]

    divided = Groups(lambda _: [], most=100).groups(Manifest(version=3, segments=infos))

    assert [[info.documents for info in group.segments] for group in divided] == groups
    assert all(group.version == 3 for group in divided)
