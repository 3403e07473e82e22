"""Does every search answer exactly as if every word of every page had been looked at?

At any moment: before, between and after updates, deletions, duplicates, compactions, crashes and
damage.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.adapters.local.database import Store
from gossamer.adapters.local.documents import SqliteDocumentStore
from gossamer.adapters.local.index import SqliteIndexStore
from gossamer.batch import compact as compact_bolt
from gossamer.batch.compact import compact
from gossamer.bolts.index import index
from gossamer.core.collection import CollectionSettings
from gossamer.core.errors import CorruptRecord, QueryError
from gossamer.core.ids import DocumentId
from gossamer.core.index import segment
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.anchors import kept
from gossamer.core.page.document import Document
from gossamer.core.search.query import (
    MAX_TERMS,
    All,
    And,
    Field,
    Node,
    Not,
    Or,
    Phrase,
    Prefix,
    Word,
    parse_query,
)
from gossamer.ports.documents import Version
from gossamer.search.searcher import Searcher
from tests.brute import Brute
from tests.effort import often
from tests.query_text import to_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gossamer.core.search.result import SearchResponse

    Batch = list[Version]

pytestmark = pytest.mark.timeout(1200)
ANALYZER, SETTINGS = Analyzer(), CollectionSettings()
WEIGHTS = SETTINGS.weights
EVERYTHING = 1000


@pytest.fixture(autouse=True, scope="module")
def _small_parts() -> Iterator[None]:
    """So few and so small parts that a handful of pages has every kind of item."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segment, "PARTITIONS", 2)
        patch.setattr(compact_bolt, "PARTITIONS", 2)
        patch.setattr(compact_bolt, "GROWTH", 2)
        patch.setattr(segment, "OWN_BLOCK_DF", 3)
        patch.setattr(segment, "LAYERS", (1, 2))
        patch.setattr(segment, "TAIL_BYTES", 100)
        patch.setattr(segment, "DICTIONARY_TERMS", 3)
        yield


# What is searched. Few words, so that they meet: stems, accents, stop words, common beginnings.

WORDS = (
    *("cat", "cats", "Cat", "catalogue", "category", "dog", "dogs", "run", "running", "runs"),
    *("the", "of", "a", "THE", "café", "cafe", "Cafés", "naïve", "naive", "well-known", "known"),
    *("well,", "don't", "x2", "x", "日本", "is."),
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


@st.composite
def versions(draw: st.DrawFn) -> Version:
    """Some version of some page: newer, older or the same as another."""
    number = draw(st.integers(0, len(URLS) - 1))
    document = Document(
        url=URLS[number],
        title=draw(texts),
        text=draw(texts),
        headings=[(1, heading) for heading in draw(st.lists(texts, max_size=2))],
        images=draw(st.lists(texts, max_size=2)),
        language=draw(st.sampled_from(("en", "fr", ""))),
    )
    anchors = kept(draw(st.lists(texts, max_size=3)))
    return Version(DocumentId(b"%d" % number), float(draw(st.integers(1, 4))), document, anchors)


batches = st.lists(versions(), min_size=1, max_size=5)


# What is asked.

words = st.builds(
    Word, st.sampled_from((*(word.strip(",.") for word in WORDS), "zebra", "known's"))
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
    *("title:cat", "title:(cat | dog)", "*", "site:a.test", '"', "lang:", "well-known"),
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
    ids: list[bytes]


@dataclass(frozen=True)
class Compact:
    whole: bool


Deed = Index | Remove | Compact
ids = st.lists(st.sampled_from([b"%d" % n for n in range(len(URLS))]), max_size=3, unique=True)
deeds = st.one_of(
    st.builds(Index, batches, st.sampled_from((1, 1, 2))),
    st.builds(Index, batches),
    st.builds(Remove, ids),
    st.builds(Compact, st.booleans()),
)


@dataclass
class Engine:
    """The real search and the oracle, which are told the same."""

    store: Store = field(default_factory=lambda: Store(None))
    brute: Brute = field(default_factory=lambda: Brute(ANALYZER, WEIGHTS))

    def __post_init__(self) -> None:
        self.index = SqliteIndexStore(self.store)
        self.documents = SqliteDocumentStore(self.store)
        self.searcher = self.fresh_searcher()

    def fresh_searcher(self, index: Any = None) -> Searcher:
        return Searcher(index or self.index, self.documents, ANALYZER, SETTINGS, lambda: 0.0)

    def do(self, deed: Deed, through: Any = None) -> None:
        """Carry a deed out; `through` another store over the same items."""
        store = through or self.index
        match deed:
            case Index(batch, times):
                for version in batch:
                    self._keep(version)
                for _ in range(times):
                    index(batch, store, ANALYZER, WEIGHTS, now=0.0)
                    self.brute.index(batch)
            case Remove(gone):
                store.remove(gone)
                self.brute.remove(gone)
            case Compact(whole):
                compact(store, whole=whole)

    def _keep(self, version: Version) -> None:
        self.documents.put(version.id, version.document, version.fetched_at)
        if self.documents.read([version.id])[0].fetched_at == version.fetched_at:
            self.documents.put_anchors({version.id: version.anchors})

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
        parse_query(query)
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
    engine.close()


@often(300)
@given(batches, st.lists(queries, min_size=1, max_size=3), st.sampled_from(("bm25", "tfidf")))
def test_deltas_and_generations_answer_alike_under_every_profile(batch, asked, profile):
    engine = Engine()
    engine.do(Index(batch))

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
    assert {page.total for page in pages} == {whole.total}
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
    """An index store that dies after some effects; every item put is one."""

    def __init__(self, store: SqliteIndexStore, effects: int) -> None:
        self._store = store
        self.left = effects

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def _then_die(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise Crash

    def lease_ordinals(self, count: int) -> int:
        first = self._store.lease_ordinals(count)
        if count:
            self._then_die()
        return first

    def put(self, items: Any) -> None:
        for item in items:
            self._store.put([item])
            self._then_die()

    def publish(self, manifest: Any) -> bool:
        done = self._store.publish(manifest)
        self._then_die()
        return done

    def set_live(self, ordinals: Any) -> None:
        self._store.set_live(ordinals)
        self._then_die()

    def drop(self, key: str, sort: str | None = None) -> None:
        self._store.drop(key, sort)
        self._then_die()


def page(
    number: int, text: str, at: float = 1.0, anchors: tuple[str, ...] = (), **facts: Any
) -> Version:
    number %= len(URLS)
    return Version(
        DocumentId(b"%d" % number), at, Document(url=URLS[number], text=text, **facts), anchors
    )


BEFORE = (
    Index([page(n, f"cat dog {WORDS[n]}", title="the cat runs") for n in range(6)]),
    Compact(whole=True),
    Index([page(0, "naive cat of the café", anchors=("cat dog", "new")), page(1, "dogs", 2.0)]),
    Index([page(2, "cat cat known", 2.0, title="catalogue"), page(3, "well-known x2", 2.0)]),
    Remove([b"5"]),
)
QUESTIONS = (
    *("cat", "dog runs", "!cat", "ca*", "title:ca*", '"the cat"', '"cat dog"', "*", "-dog"),
    *("zebra", "site:a.test", "naive | known", "well-known & !dog", "new", "title:(!cat)"),
)
DEEDS: dict[str, Deed] = {
    "index": Index([page(0, "new cat", 3.0), page(4, "new dog", 3.0), page(5, "a new page")]),
    "remove": Remove([b"0", b"3"]),
    "compact": Compact(whole=False),
    "compact everything": Compact(whole=True),
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


@pytest.mark.parametrize("kind", ["index", "compact", "compact everything"])
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
        engine.close()
    assert effects > 5


def after(brute: Brute, deed: Deed) -> Brute:
    brute = brute.copy()
    if isinstance(deed, Index):
        brute.index(deed.batch)
    return brute


def test_a_compaction_that_crashed_leaves_nothing_that_a_later_one_believes():
    """What it wrote was cut into layers for more pages than are live when it is repeated."""
    engine = Engine()
    engine.do(Index([page(n, "cat " * (n + 1)) for n in range(6)]))
    for effects in range(1, 30):
        with contextlib.suppress(Crash):
            engine.do(Compact(whole=True), through=Dying(engine.index, effects))
        engine.index.remove([b"%d" % (effects % 6)])
        engine.brute.remove([b"%d" % (effects % 6)])
        engine.do(Compact(whole=True))

        for query in ("cat", "ca*", "!cat", "cat & !dog"):
            check(engine, query, engine.fresh_searcher())
        engine.do(Index([page(n, "cat " * (n + 1), 2.0 + effects) for n in range(6)]))
    engine.close()


# Others that work beside.


class Busy:
    """An index store that lets something else happen before its n-th reading."""

    def __init__(self, store: SqliteIndexStore, reads: int, meanwhile: Callable[[], None]) -> None:
        self._store = store
        self.left = reads
        self._meanwhile = meanwhile

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        if name not in ("manifest", "get", "dictionary", "live", "look_up", "lease_ordinals"):
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
        reads += 1
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

    def __init__(self, store: SqliteIndexStore, meanwhile: Callable[[], None]) -> None:
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
@pytest.mark.parametrize("first", ["index", "compact", "compact everything"])
def test_two_writers_at_once_lose_nothing_of_either(first, second):
    engine = prepared()
    other = Index([page(1, "another new cat", 9.0), page(3, "zebra", 9.0)])
    deed = other if second == "index" else DEEDS[second]

    engine.do(DEEDS[first], through=Overtaken(engine.index, lambda: engine.do(deed)))

    for _ in range(2):
        for query in QUESTIONS:  # of two that are equal, whose number is lower is chance
            found = engine.fresh_searcher().search(query, limit=EVERYTHING).hits
            scores = engine.brute.search(query).scores
            assert {hit.url: hit.score for hit in found} == pytest.approx(scores, abs=1e-6)
        engine.do(Compact(whole=True))
    engine.close()


def test_a_reader_in_another_process_sees_every_change(tmp_path):
    engine = Engine(Store(tmp_path / "web.db"))
    engine.store.commit()
    reading = Store(tmp_path / "web.db", read_only=True)
    reader = Searcher(
        SqliteIndexStore(reading), SqliteDocumentStore(reading), ANALYZER, SETTINGS, lambda: 0.0
    )

    for deed in (*BEFORE, *DEEDS.values()):
        engine.do(deed)
        engine.store.commit()
        assert answers(reader) == true_answers(engine.brute)
    reading.close()
    engine.close()


# Damage.


def damage(data: bytes, at: int) -> bytes:
    return data[:at] + bytes((data[at] ^ 0x55,)) + data[at + 1 :]


def rows_of(engine: Engine) -> Sequence[tuple[str, str, bytes, bytes]]:
    return engine.store.rows("SELECT key, sort, postings, positions FROM index_items")


@pytest.mark.parametrize("packed", [False, True])
def test_a_damaged_item_is_named_by_the_queries_that_need_it_and_the_others_answer(packed):
    engine = prepared()
    if packed:
        engine.do(Compact(whole=True))
    expected = true_answers(engine.brute)
    assert answers(engine.fresh_searcher()) == expected
    complained: dict[str, int] = {}
    for key, sort, postings, positions in rows_of(engine):
        for column, data in (("postings", postings), ("positions", positions)):
            for at in range(0, len(data), max(1, len(data) // 5)):
                where = f"UPDATE index_items SET {column} = ? WHERE key = ? AND sort = ?"  # noqa: S608
                engine.store.write(where, (damage(data, at), key, sort))

                failed = 0
                searcher = engine.fresh_searcher()
                for query, answer in zip(QUESTIONS, expected, strict=True):
                    try:
                        found = searcher.search(query, limit=EVERYTHING).hits
                    except CorruptRecord as error:
                        named = f" {key} {sort} " in str(error)
                        failed += 1
                    else:
                        named = True
                        assert [(hit.url, hit.score) for hit in found] == answer, (key, at, query)
                    assert named, (key, sort)
                assert failed < len(QUESTIONS)
                complained[key[0]] = complained.get(key[0], 0) + failed

                engine.store.write(where, (data, key, sort))
    assert {kind for kind, count in complained.items() if count} >= (
        {"b", "t", "d"} if packed else {"0", "b", "t", "d"}
    )
    engine.close()


def test_a_compaction_names_the_damaged_item_and_changes_nothing():
    engine = prepared()
    old, manifest = answers(engine.fresh_searcher()), engine.index.manifest()
    for key, sort, postings, _ in rows_of(engine):
        if key.startswith("d"):  # made anew
            continue
        where = "UPDATE index_items SET postings = ? WHERE key = ? AND sort = ?"
        engine.store.write(where, (damage(postings, len(postings) - 3), key, sort))

        with pytest.raises(CorruptRecord, match=f"{key}.*{sort}"):
            engine.do(Compact(whole=True))

        engine.store.write(where, (postings, key, sort))
        assert engine.index.manifest() == manifest
        assert answers(engine.fresh_searcher()) == old
    engine.close()
