"""Does every search answer exactly as if every word of every page had been looked at?

At any moment: before, between and after updates, deletions, duplicates, compactions, crashes and
damage.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.adapters.local.database import Store
from gossamer.adapters.local.documents import SqliteDocumentStore
from gossamer.adapters.local.segments import LocalSegmentStore
from gossamer.batch.compact import Policy, compact
from gossamer.bolts.manifest import ABANDONED, sweep
from gossamer.core.collection import CollectionSettings, TypoSettings
from gossamer.core.errors import CorruptRecord, QueryError
from gossamer.core.ids import DocumentId, UrlId, document_id, page_of
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.anchors import kept
from gossamer.core.index.segments.reader import Segment
from gossamer.core.page.document import Document
from gossamer.core.search.lexemes import MAX_TERMS
from gossamer.core.search.plain_text import read_query
from gossamer.core.search.query import (
    All,
    And,
    Field,
    Node,
    Not,
    Or,
    Phrase,
    Prefix,
    Word,
)
from gossamer.ports.documents import Version
from gossamer.search.scores import top
from gossamer.search.searcher import Searcher
from tests.brute import Brute
from tests.effort import often
from tests.groups import groups_of
from tests.indexing import index_all, writer_of
from tests.query_text import to_text
from tests.unit.core.index.segments.making import use_small_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gossamer.core.search.result import SearchResponse

    Batch = list[Version]

pytestmark = pytest.mark.timeout(1200)
ANALYZER, SETTINGS = (
    Analyzer(),
    CollectionSettings(typos=TypoSettings(on=False), strict_queries=True),
)
WEIGHTS = SETTINGS.weights
EVERYTHING = 1000


@pytest.fixture(autouse=True, scope="module")
def _small_parts() -> Iterator[None]:
    """So few and so small parts that a handful of pages has every kind of them."""
    with pytest.MonkeyPatch.context() as patch:
        use_small_parts(patch)
        patch.setattr(top, "WORTHWHILE", 0)
        patch.setattr(top, "WORTHWHILE_TOGETHER", 0)
        yield


# What is searched. Few words, so that they meet: stems, accents, stop words, common beginnings.

WORDS = (
    *("cat", "cats", "Cat", "catalogue", "category", "dog", "dogs", "run", "running", "runs"),
    *("the", "of", "a", "THE", "café", "cafe", "Cafés", "naïve", "naive", "well-known", "known"),
    *(
        "well,",
        "don't",
        "x2",
        "x",
        "日本",
        "日本語の本",
        "語。本語",
        "is.",
        "C++",
        "c",
        "(c++)",
        "x-2",
        "to-do.",
        "C#",
        "cat.dog",
    ),
)
URLS = (
    "http://a.test/",
    "http://a.test/cat/1",
    "http://www.a.test/2",
    "http://b.test:8080/dog?a=1",
    "http://b.test/",
    "http://c.test/Cat",
)
texts = st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join)


def id_of(number: int, part: int = 0) -> DocumentId:
    """Ids that are in the order of the URLs; some end in zeros."""
    return document_id(UrlId((b"%d" % number).ljust(16, b"\0")), part)


@st.composite
def documents(draw: st.DrawFn, url: str) -> tuple[Document, tuple[str, ...]]:
    """A document and what others call it."""
    document = Document(
        url=url,
        title=draw(texts),
        text=draw(texts),
        headings=[(1, heading) for heading in draw(st.lists(texts, max_size=2))],
        images=draw(st.lists(texts, max_size=2)),
        language=draw(st.sampled_from(("en", "fr", ""))),
    )
    return document, kept(draw(st.lists(texts, max_size=3)))


@st.composite
def versions(draw: st.DrawFn) -> Batch:
    """Some version of some page: newer, older or the same as another; rarely with two documents."""
    number = draw(st.integers(0, len(URLS) - 1))
    at = float(draw(st.integers(1, 4)))
    found = []
    for part in draw(st.sampled_from(((0,), (0,), (0,), (0, 1), (1, 256)))):
        url = f"{URLS[number]}#{part}" if part else URLS[number]
        found.append(Version(id_of(number, part), at, *draw(documents(url))))
    return found


def each_page_once(several: list[Batch]) -> Batch:
    by_page = {page_of(batch[0].id): batch for batch in several}
    return [version for batch in by_page.values() for version in batch]


batches = st.lists(versions(), min_size=1, max_size=5).map(each_page_once)


# What is asked.

words = st.builds(
    Word, st.sampled_from((*(word.strip("(),.") for word in WORDS), "zebra", "known's"))
)
prefixes = st.builds(
    Prefix, st.sampled_from(("c", "cat", "Café", "th", "run", "well-k", "日", "z"))
)
phrases = st.builds(Phrase, st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join))
leaves = st.one_of(words, words, prefixes, phrases)


def combined(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    rows = st.lists(parts, min_size=2, max_size=3).map(tuple)
    return st.one_of(st.builds(Not, parts), st.builds(And, rows), st.builds(Or, rows))


def about(*values: str) -> st.SearchStrategy[Node]:
    texts = st.sampled_from(values)
    value: st.SearchStrategy[Node] = st.one_of(
        st.builds(Word, texts), st.builds(Phrase, texts), st.builds(Prefix, texts), st.builds(All)
    )
    return st.one_of(value, combined(value))


fields = st.one_of(
    st.builds(Field, st.just("title"), st.recursive(leaves, combined, max_leaves=3)),
    st.builds(Field, st.just("site"), about("a.test", "test", "www.a.test", "b.test:8080", "w")),
    st.builds(Field, st.just("url"), about("cat", "http", "/2", "dog?a=1", "zebra")),
    st.builds(Field, st.just("lang"), about("en", "fr", "e", "xx")),
)
trees = st.recursive(st.one_of(leaves, leaves, fields, st.builds(All)), combined, max_leaves=6)
plain = st.lists(words, min_size=1, max_size=4).map(lambda row: " ".join(w.text for w in row))
SIGNS = (
    *("cat", "dogs", "the", "&", "|", "!", "(", ")", "-run", "AND", "OR", "NOT", '"a cat"', "ca*"),
    *("title:cat", "title:(cat | dog)", "*", "site:a.test", '"', "lang:", "well-known", "C++"),
    *("title:C++", "to-do", "x-2", "cat.dog"),
)
typed = st.lists(st.sampled_from(SIGNS), min_size=1, max_size=7).map(" ".join)
queries = st.one_of(trees.map(to_text), trees.map(to_text), plain, typed)


# What is done in between.


@dataclass(frozen=True)
class Index:
    batch: Batch
    times: int = 1


@dataclass(frozen=True)
class Remove:
    gone: dict[DocumentId, float]  # by page, since which version


@dataclass(frozen=True)
class Compact:
    whole: bool
    swept: bool = False  # whether what it replaced is deleted at once


Deed = Index | Remove | Compact
removals = st.dictionaries(
    st.sampled_from([id_of(n) for n in range(len(URLS))]),
    st.integers(1, 4).map(float),
    min_size=1,
    max_size=3,
)
deeds = st.one_of(
    st.builds(Index, batches, st.sampled_from((1, 1, 2))),
    st.builds(Index, batches),
    st.builds(Remove, removals),
    st.builds(Compact, st.booleans(), st.booleans()),
)


@dataclass
class Kept:
    """The newest versions of all documents, for explanations."""

    versions: dict[DocumentId, Version] = field(default_factory=dict)
    reads: float = 0.0

    def keep(self, batch: Batch) -> None:
        for version in batch:
            known = self.versions.get(version.id)
            if known is None or version.fetched_at >= known.fetched_at:
                self.versions[version.id] = version

    def read(self, ids: list[DocumentId], **_: bool) -> list[Version]:
        return [self.versions[id] for id in ids if id in self.versions]


@dataclass
class Engine:
    """The real search and the oracle, which are told the same."""

    store: Store = field(default_factory=lambda: Store(None))
    brute: Brute = field(default_factory=lambda: Brute(ANALYZER, WEIGHTS))
    folder: Any = None
    now: float = 0.0

    def __post_init__(self) -> None:
        self.index = LocalSegmentStore(self.store, self.folder)
        self.documents: Any = Kept()
        self.searcher = self.fresh_searcher()

    def fresh_searcher(self, index: Any = None) -> Searcher:
        return Searcher(index or self.index, self.documents, ANALYZER, SETTINGS, lambda: 0.0)

    def searcher_of_groups(self, most: int) -> Searcher:
        """Whose segments are asked in groups of at most so many documents."""
        asked = self.index, self.documents, ANALYZER, SETTINGS
        return Searcher(*asked, lambda: 0.0, groups=groups_of(*asked, most))

    def do(self, deed: Deed, through: Any = None) -> None:
        """Carry a deed out; `through` another store over the same files."""
        writer = writer_of(through or self.index, lambda: self.now)
        match deed:
            case Index(batch, times):
                self.documents.keep(batch)
                for _ in range(times):
                    index_all(writer, batch, analyzer=ANALYZER, weights=WEIGHTS)
                    self.brute.index(batch)
            case Remove(gone):
                index_all(writer, gone={page_of(id): at for id, at in gone.items()})
                self.brute.remove(gone)
            case Compact(whole, swept):
                compact(writer, whole=whole, policy=Policy(fanout=2))
                if swept:
                    sweep(writer, grace=0.0)

    def close(self) -> None:
        self.store.close()


@pytest.fixture
def engine() -> Iterator[Engine]:
    made = Engine()
    yield made
    made.close()


def agree(found: SearchResponse, brute: Brute, query: str, profile: str = "") -> None:
    """The same pages in the same order with the same scores, and the right count."""
    expected = brute.search(query, profile)
    assert {hit.url for hit in found.hits} == set(expected.urls), query
    assert [hit.url for hit in found.hits] == expected.urls, query
    assert [hit.score for hit in found.hits] == pytest.approx([*expected.scores.values()], abs=1e-6)
    assert [hit.rank for hit in found.hits] == [*range(1, len(found.hits) + 1)]
    assert (found.total, found.total_is_exact) == (len(expected.urls), True)


def check(engine: Engine, query: str, searcher: Searcher | None = None, profile: str = "") -> None:
    searcher = searcher or engine.searcher
    try:
        read_query(query, is_strict=True)
    except QueryError:
        with pytest.raises(QueryError):
            searcher.search(query)
        return
    found = searcher.search(query, limit=EVERYTHING, profile=profile)
    agree(found, engine.brute, query, profile)


@often(600)
@given(st.lists(st.one_of(deeds, queries), min_size=1, max_size=8), queries)
def test_whatever_happened_before_the_answer_is_that_of_brute_force(history, last):
    engine = Engine()

    for event in history:
        if isinstance(event, str):
            check(engine, event)
        else:
            engine.do(event)

    check(engine, last)
    check(engine, last, engine.fresh_searcher())
    check(engine, last, engine.searcher_of_groups(most=1))
    check(engine, last, engine.searcher_of_groups(most=4))
    engine.close()


@often(300)
@given(batches, st.lists(queries, min_size=1, max_size=3), st.sampled_from(("bm25", "tfidf")))
def test_many_segments_and_one_answer_alike_under_every_profile(batch, asked, profile):
    engine = Engine()
    for page in {page_of(version.id): None for version in batch}:
        engine.do(Index([version for version in batch if page_of(version.id) == page]))

    for whole in (None, False, True):
        if whole is not None:
            engine.do(Compact(whole))
        for query in asked:
            check(engine, query, profile=profile)
    engine.close()


@often(150)
@given(st.lists(batches, min_size=1, max_size=2), queries, st.integers(1, 4), st.booleans())
def test_pages_of_results_follow_one_another_without_gap_or_overlap(several, query, limit, merge):
    engine = Engine()
    for batch in several:
        engine.do(Index(batch))
    engine.do(Compact(merge))
    try:
        whole = engine.searcher.search(query, limit=EVERYTHING)
    except QueryError:
        engine.close()
        return

    count = -(-whole.total // limit)
    pages = [engine.searcher.search(query, page=n, limit=limit) for n in range(1, count + 2)]

    assert [hit for page in pages for hit in page.hits] == whole.hits
    for page in pages:
        found = min(page.page * limit, whole.total)
        assert page.total == whole.total if page.total_is_exact else page.total >= found
    assert all(page.total <= whole.total for page in pages)
    assert engine.searcher.search(query, limit=1, exact_total=True).total == whole.total
    assert pages[-1].hits == []
    engine.close()


@often(150)
@given(batches, queries, st.sampled_from(("bm25", "tfidf")))
def test_the_parts_of_an_explanation_sum_to_the_score(batch, query, profile):
    engine = Engine()
    engine.do(Index(batch))
    try:
        found = engine.searcher.search(query, limit=EVERYTHING, explain=True, profile=profile)
    except QueryError:
        engine.close()
        return

    for hit in found.hits:
        assert hit.explain is not None
        parts = [part.score for part in hit.explain.terms]
        assert sum(parts) + hit.explain.rank_score == pytest.approx(hit.score, abs=1e-6)
        assert hit.explain.score == pytest.approx(hit.score, abs=1e-6)
        for part in hit.explain.terms:
            assert sum(f.frequency for f in part.fields) > 0
            assert part.idf > 0
            assert 0 < part.weight <= 1
    engine.close()


@pytest.mark.parametrize("gap", [1, 8, MAX_TERMS - 2])
def test_no_phrase_reaches_from_one_heading_into_the_next(engine, gap):
    headings = [(1, "cat"), (2, "dog"), (2, "cat of dog")]
    engine.do(Index([page(0, "", headings=headings)]))

    for between in range(gap + 1):
        check(engine, f'"cat {"the " * between}dog"')


@pytest.mark.parametrize("gap", [1, 8, MAX_TERMS - 2])
def test_no_phrase_reaches_from_one_anchor_into_the_next_or_into_the_page(engine, gap):
    engine.do(Index([page(0, "dog x", anchors=("cat", "dog", "x"), title="x", images=["cat"])]))

    for between in range(gap + 1):
        assert engine.searcher.search(f'"cat {"the " * between}dog"').total == 0
        assert engine.searcher.search(f'"x {"the " * between}cat"').total == 0
    assert engine.searcher.search('"dog x"').total == 1


def test_a_page_is_found_by_what_only_others_call_it_and_the_explanation_says_so(engine):
    engine.do(Index([page(0, "dogs run. " * 50, anchors=("Zebra crossing", "zebras"))]))
    engine.do(Index([page(1, "cats run")]))

    for query in ("zebra", '"zebra crossing"', "zebr*", "crossing & run"):
        hit = engine.searcher.search(query, explain=True).hits[0]
        assert hit.url == URLS[0]
        assert hit.snippet.startswith("dogs run.")
        assert hit.explain.terms[0].fields[0].field == "anchors"
        check(engine, query)
    assert engine.searcher.search("title:zebra").total == 0


def test_a_page_that_is_called_just_so_comes_before_one_that_says_more_about_it(engine):
    engine.do(Index([page(0, "dogs", anchors=("The dog run",)), page(1, "cats run")]))
    engine.do(Index([page(2, "dog run dog run dog run", title="Dog run, cat run")]))

    (first, *others) = engine.searcher.search("dog run", explain=True).hits

    assert first.url == URLS[0]
    called = first.explain.terms[-1]
    assert (called.term, called.df) == ('"dog run"', 1)
    assert [(part.field, part.frequency) for part in called.fields] == [("anchors", 1)]
    assert not any(part.term.startswith('"') for hit in others for part in hit.explain.terms)
    for query in ("dog run", "dogs running", "run dog", '"dog run"', "dog & run"):
        check(engine, query)


def test_other_anchors_for_the_same_version_take_the_place_of_the_old_ones(engine):
    for anchors in (("zebra",), ("horse",), ()):
        engine.do(Index([page(0, "dogs", anchors=anchors)]))

        for name in ("zebra", "horse"):
            assert engine.searcher.search(name).total == (name in anchors)
        assert engine.searcher.search("dog").total == 1


# Crashes.


class Crash(Exception):
    """The process died here."""


class Dying:
    """An index store that dies after some effects; every file is one."""

    def __init__(self, store: LocalSegmentStore, effects: int) -> None:
        self._store = store
        self.left = effects

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def _then_die(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise Crash

    def put(self, name: str, pieces: Any) -> int:
        size = self._store.put(name, pieces)
        self._then_die()
        return size

    def publish(self, manifest: Any) -> bool:
        done = self._store.publish(manifest)
        self._then_die()
        return done

    def delete(self, names: Any) -> None:
        for name in names:
            self._store.delete([name])
            self._then_die()


def page(
    number: int, text: str, at: float = 1.0, anchors: tuple[str, ...] = (), **facts: Any
) -> Version:
    number %= len(URLS)
    return Version(id_of(number), at, Document(url=URLS[number], text=text, **facts), anchors)


BEFORE = (
    Index([page(n, f"cat dog {WORDS[n]}", title="the cat runs") for n in range(6)]),
    Compact(whole=True),
    Index([page(0, "naive cat of the café", anchors=("cat dog", "new")), page(1, "dogs", 2.0)]),
    Index([page(2, "cat cat known", 2.0, title="catalogue"), page(3, "well-known x2", 2.0)]),
    Remove({id_of(5): 1.0}),
)
QUESTIONS = (
    *("cat", "dog runs", "!cat", "ca*", "title:ca*", '"the cat"', '"cat dog"', "*", "-dog"),
    *("zebra", "site:a.test", "naive | known", "well-known & !dog", "new", "title:(!cat)"),
)
DEEDS: dict[str, Deed] = {
    "index": Index([page(0, "new cat", 3.0), page(4, "new dog", 3.0), page(5, "a page", 3.0)]),
    "remove": Remove({id_of(0): 1.0, id_of(3): 2.0}),
    "compact": Compact(whole=False),
    "compact everything": Compact(whole=True),
    "compact and delete": Compact(whole=True, swept=True),
}


def prepared() -> Engine:
    engine = Engine()
    for deed in BEFORE:
        engine.do(deed)
    return engine


def answers(searcher: Searcher) -> list[list[tuple[str, float]]]:
    found = (searcher.search(query, limit=EVERYTHING) for query in QUESTIONS)
    return [[(hit.url, hit.score) for hit in answer.hits] for answer in found]


def true_answers(brute: Brute) -> list[list[tuple[str, Any]]]:
    found = (brute.search(query) for query in QUESTIONS)
    return [[(u, pytest.approx(s, abs=1e-6)) for u, s in a.scores.items()] for a in found]


@pytest.mark.parametrize("kind", DEEDS)
def test_after_a_crash_anywhere_the_index_is_old_or_new_and_the_work_can_be_repeated(kind):
    effects, crashed = 0, True
    while crashed:
        effects += 1
        engine = prepared()
        old, new = true_answers(engine.brute), true_answers(after(engine.brute, DEEDS[kind]))
        waiting = engine.fresh_searcher()
        assert answers(waiting) == old

        try:
            engine.do(DEEDS[kind], through=Dying(engine.index, effects))
            crashed = False
        except Crash:
            left_behind = answers(engine.fresh_searcher())
            assert left_behind in (old, new), f"after {effects} effects"
            assert answers(waiting) == left_behind, f"after {effects} effects"
            engine.do(DEEDS[kind])

        assert answers(engine.fresh_searcher()) == answers(waiting) == new
        sweep_all(engine)
        assert answers(engine.fresh_searcher()) == answers(waiting) == new
        engine.close()
    assert effects > 2


def sweep_all(engine: Engine) -> None:
    """So much later that whatever is not in use is deleted."""
    engine.now += 2 * ABANDONED
    sweep(writer_of(engine.index, lambda: engine.now), orphans=True)
    manifest = engine.index.manifest()
    assert manifest.retired == []
    assert set(engine.index.names()) == manifest.names()


def after(brute: Brute, deed: Deed) -> Brute:
    brute = brute.copy()
    if isinstance(deed, Index):
        brute.index(deed.batch)
    if isinstance(deed, Remove):
        brute.remove(deed.gone)
    return brute


def test_a_compaction_that_crashed_leaves_nothing_that_a_later_one_believes():
    """What it wrote has more pages than are live when it is repeated."""
    engine = Engine()
    engine.do(Index([page(n, "cat " * (n + 1)) for n in range(6)]))
    for effects in range(1, 12):
        with contextlib.suppress(Crash):
            dying = Dying(engine.index, effects % 4 + 1)
            engine.do(Compact(whole=True, swept=True), through=dying)
        engine.do(Remove({id_of(effects % 6): 2.0 + effects}))
        engine.do(Compact(whole=True))

        for query in ("cat", "ca*", "!cat", "cat & !dog"):
            check(engine, query, engine.fresh_searcher())
        engine.do(Index([page(n, "cat " * (n + 1), 2.0 + effects) for n in range(6)]))
    engine.close()


# Others that work beside.


class Busy:
    """An index store that lets something else happen before its n-th reading."""

    def __init__(self, store: LocalSegmentStore, reads: int, meanwhile: Callable[[], None]) -> None:
        self._store = store
        self.left = reads
        self._meanwhile = meanwhile

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        if name not in ("manifest", "read"):
            return method

        def read(*arguments: Any, **options: Any) -> Any:
            self.left -= 1
            if self.left == 0:
                self._meanwhile()
            return method(*arguments, **options)

        return read


@pytest.mark.parametrize("kind", DEEDS)
@pytest.mark.parametrize(
    "query", ["cat dog", "!cat", "title:ca*", '"cat dog" | naive', "site:a.test"]
)
def test_a_query_that_is_overtaken_by_a_change_answers_as_before_or_after_it(kind, query):
    reads, overtaken = 0, True
    while overtaken:
        reads += 1 + reads // 4
        engine = prepared()
        before = engine.brute.search(query)
        busy = Busy(engine.index, reads, lambda engine=engine: engine.do(DEEDS[kind]))  # type: ignore[misc]

        found = engine.fresh_searcher(busy).search(query, limit=EVERYTHING)

        after = engine.brute.search(query)
        urls = [hit.url for hit in found.hits]
        assert urls in (before.urls, after.urls), f"before reading {reads}"
        assert found.total == len(urls)
        check(engine, query)
        overtaken = busy.left <= 0
        engine.close()
    assert reads > 3


class Overtaken:
    """An index store where another writer publishes first, once."""

    def __init__(self, store: LocalSegmentStore, meanwhile: Callable[[], None]) -> None:
        self._store = store
        self._meanwhile: Callable[[], None] | None = meanwhile

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def publish(self, manifest: Any) -> bool:
        meanwhile, self._meanwhile = self._meanwhile, None
        if meanwhile:
            meanwhile()
        return self._store.publish(manifest)


@pytest.mark.parametrize("second", DEEDS)
@pytest.mark.parametrize("first", ["index", "remove", "compact", "compact everything"])
def test_two_writers_at_once_lose_nothing_of_either(first, second):
    engine = prepared()
    other = Index([page(1, "another new cat", 9.0), page(3, "zebra", 9.0)])
    deed = other if second == "index" else DEEDS[second]

    engine.do(DEEDS[first], through=Overtaken(engine.index, lambda: engine.do(deed)))

    for _ in range(2):
        for query in QUESTIONS:
            check(engine, query, engine.fresh_searcher())
        engine.do(Compact(whole=True))
    engine.close()


def test_a_reader_in_another_process_sees_every_change(tmp_path):
    engine = Engine(Store(tmp_path / "web.db"), folder=tmp_path / "index")
    engine.store.commit()
    reading = Store(tmp_path / "web.db", read_only=True)
    files = LocalSegmentStore(reading, tmp_path / "index")
    reader = Searcher(files, SqliteDocumentStore(reading), ANALYZER, SETTINGS, lambda: 0.0)

    for deed in (*BEFORE, *DEEDS.values()):
        engine.do(deed)
        engine.store.commit()
        assert answers(reader) == true_answers(engine.brute)
    reading.close()
    engine.close()


def test_a_reader_sees_a_collection_that_was_purged_and_begun_anew():
    """Its manifest has the version that the reader knows, and names other segments."""
    engine = Engine()
    engine.do(Index([page(1, "cat"), page(2, "cat dog")]))
    reader = engine.fresh_searcher()
    assert reader.search("cat").total == 2
    version = engine.index.manifest().version
    engine.store.write("DELETE FROM manifest")

    engine.do(Index([page(3, "cat")]))

    assert engine.index.manifest().version == version
    assert [hit.url for hit in reader.search("cat").hits] == [URLS[3]]
    engine.close()


# Damage.


FIRST_READ = {"sparse", "gone"}  # by every query; gone only where something is


def damage(data: bytes, at: int) -> bytes:
    return data[:at] + bytes((data[at] ^ 0x55,)) + data[at + 1 :]


def damages(engine: Engine, each: int) -> Iterator[tuple[str, str]]:
    """Damage every region of every segment in some places, one at a time: segment, region."""
    files = engine.index._open
    for info in engine.index.manifest().segments:
        whole = bytes(files[info.name])
        for region, place in Segment(
            info.name, info.size, engine.index.read
        ).footer.regions.items():
            for at in range(0, place.size, max(1, place.size // each)):
                files[info.name] = damage(whole, place.offset + at)
                yield info.name, region
                files[info.name] = whole


class Without:
    """An index of which one segment is not there."""

    def __init__(self, store: LocalSegmentStore, name: str) -> None:
        self._store, self._name = store, name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def manifest(self) -> Any:
        whole = self._store.manifest()
        others = [info for info in whole.segments if info.name != self._name]
        return msgspec.structs.replace(whole, segments=others)


def test_a_damaged_segment_is_left_out_by_name_and_the_others_answer():
    engine = prepared()
    expected = answers(engine.fresh_searcher())
    without = {
        info.name: answers(engine.fresh_searcher(Without(engine.index, info.name)))
        for info in engine.index.manifest().segments
    }
    complained: set[str] = set()
    for name, region in damages(engine, 2):
        searcher, was_partial = engine.fresh_searcher(), False
        for query, whole, rest in zip(QUESTIONS, expected, without[name], strict=True):
            found = searcher.search(query, limit=EVERYTHING)
            assert found.partial >= was_partial  # once it is known, it is left out
            was_partial = found.partial
            named = [note for note in found.notes if name in note and "gossamer reindex" in note]
            assert len(named) == found.partial
            assert not (found.partial and found.total_is_exact)
            answer = [(hit.url, hit.score) for hit in found.hits]
            assert answer == (rest if found.partial else whole), (region, query)
        if was_partial:
            complained.add(region)
    wanted = {"sparse", "terms", "positions", "stored", "column.host", "column.cluster"}
    assert complained >= wanted
    engine.close()


def test_a_healed_segment_is_searched_again():
    engine = prepared()
    expected = answers(engine.fresh_searcher())
    files, searcher = engine.index._open, engine.fresh_searcher()
    first = engine.index.manifest().segments[0]
    whole = bytes(files[first.name])
    files[first.name] = whole[:-1]
    assert searcher.search("cat").partial
    files[first.name] = whole

    engine.do(Compact(whole=True))

    assert answers(searcher) == expected
    assert not searcher.search("cat").partial
    engine.close()


def test_a_damaged_region_of_the_only_segment_is_named_by_the_queries_that_need_it():
    engine = prepared()
    engine.do(Compact(whole=True))
    expected = true_answers(engine.brute)
    complained: set[str] = set()
    for name, region in damages(engine, 2):
        failed = 0
        searcher = engine.fresh_searcher()
        for query, answer in zip(QUESTIONS, expected, strict=True):
            try:
                found = searcher.search(query, limit=EVERYTHING).hits
            except CorruptRecord as error:
                named = name in str(error)
                failed += 1
                complained.add(region)
            else:
                named = True
                assert [(hit.url, hit.score) for hit in found] == answer, (region, query)
            assert named, (name, region)
        if region not in FIRST_READ:
            assert failed < len(QUESTIONS), region
    wanted = {"terms", "positions", "stored", "stored.places", "column.host", "column.cluster"}
    assert complained >= wanted | {"sparse", "postings"}
    engine.close()


@pytest.mark.parametrize("whole", [False, True])
def test_a_compaction_names_the_damaged_region_and_changes_nothing(whole):
    engine = prepared()
    if whole:
        engine.do(Compact(whole=True))
        engine.do(Remove({id_of(0): 9.0}))
    old, manifest = answers(engine.fresh_searcher()), engine.index.manifest()
    unneeded = set()
    for name, region in damages(engine, 2):
        try:
            engine.do(Compact(whole=True))
        except CorruptRecord as error:
            named = name in str(error)
            assert engine.index.manifest() == manifest
        else:  # what is stored of dead documents is not read; words are counted anew
            named = True
            assert answers(engine.fresh_searcher()) == old
            unneeded.add(region)
            engine.store.write("UPDATE manifest SET body = ?", (msgspec.json.encode(manifest),))
        assert named, region
    assert unneeded <= {"stored", "vocabulary"}
    assert answers(engine.fresh_searcher()) == old
    engine.close()


def test_a_segment_with_damaged_tombstones_is_left_out():
    engine = prepared()
    files = engine.index._open
    dead = [info for info in engine.index.manifest().segments if info.dead]
    for info in dead:
        assert info.dead is not None
        whole = bytes(files[info.dead.name])
        files[info.dead.name] = damage(whole, len(whole) - 1)
        found = engine.fresh_searcher().search("cat")
        assert found.partial
        assert [note for note in found.notes if info.name in note]
        files[info.dead.name] = whole
    assert dead
    engine.close()
