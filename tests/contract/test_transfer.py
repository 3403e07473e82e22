"""Is a collection that was copied into another home, and back, the same collection?"""

from __future__ import annotations

import asyncio
import shutil
import time
from io import StringIO
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from gossamer import homes
from gossamer.adapters.local.home import LocalHome
from gossamer.adapters.local.processes.parser_pool import InlineParser
from gossamer.batch.compact import compact
from gossamer.batch.index import index_pending, unindexed
from gossamer.batch.rank import rank
from gossamer.batch.recrawl import recrawl
from gossamer.batch.transfer.collection import Transfer, is_empty, refuse_running, refuse_unread
from gossamer.batch.transfer.journal import Progress
from gossamer.batch.transfer.segments import copy_index
from gossamer.bolts.manifest import sweep
from gossamer.bolts.packs import packs
from gossamer.core.crawl.job import JobConfig, RecrawlConfig
from gossamer.core.crawl.url_state import State
from gossamer.core.errors import ConfigurationError
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.entrypoints.cli.explain_url import biography
from gossamer.entrypoints.cli.export import COLUMNS, export
from gossamer.homes import decode_body
from gossamer.messages import Emission, PageFetched
from gossamer.ports import Ports
from gossamer.ports.documents import PageVersion
from tests.pump import JOB, ScriptedFetcher, VirtualClock, World, answer, make_world, redirect

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gossamer.bolts.manifest import IndexWriter
    from gossamer.ports.home import Home
    from tests.conftest import Backend

WORDS = ["orb", "weavers", "spin", "viscid", "silk", "between", "two", "twigs", "at", "the", "hub"]
KEYS = ("araneus", "argiope")  # of items on a page
SEEDS = ["http://a.test/", "http://b.test/"]
QUERIES = ("silk", "orb weavers", '"viscid silk"', "sil*", "site:b.test silk", "silk -hub", "web")


def html(title: str, text: str, *links: str) -> Any:
    anchors = "".join(f'<a href="{link}">about {link}</a> ' for link in links)
    body = f"<html><head><title>{title}</title></head><body><p>{text}</p>{anchors}</body></html>"
    return answer(200, body, headers=[("Content-Type", "text/html")])


def site() -> dict[str, Any]:
    """Pages of two hosts: copies, a redirect, nearly equal ones, and one that is not there."""
    pages = {
        f"http://a.test/{number}": html(
            f"Spider {number}",
            " ".join(WORDS[number % 7 :] * (2 + number % 3)) + f" number{number}",
            f"/{(number * 3) % 12}",
            f"/{(number + 1) % 12}",
            "http://b.test/",
        )
        for number in range(12)
    }
    home = html("Orb weavers", "all about silk and webs", *(f"/{n}" for n in range(12)), "/moved")
    return pages | {
        "http://a.test/": home,
        "http://a.test/moved": redirect("/3"),
        "http://b.test/": html("Silk", "silk " * 40 + "and a web", "/copy", "/gone"),
        "http://b.test/copy": html("Silk", "silk " * 40 + "and a web", "/copy", "/gone"),
    }


class Memory:
    """A journal in memory that may end the process when it has saved so often."""

    def __init__(self, most: int = 1 << 30) -> None:
        self.saved: bytes | None = None
        self.left = most

    def load(self) -> Progress | None:
        return msgspec.json.decode(self.saved, type=Progress) if self.saved else None

    def save(self, progress: Progress) -> None:
        self.saved = msgspec.json.encode(progress)
        self.left -= 1
        if self.left < 0:
            raise KilledError


class KilledError(Exception):
    """The process died here."""


class Failing:
    """A store of files that dies at one of its writes."""

    def __init__(self, store: Any, dies_at: int) -> None:
        self._store, self.left = store, dies_at

    def __getattr__(self, name: str) -> Any:
        if name in ("put", "publish", "put_heads"):
            self.left -= 1
            if self.left < 0:
                raise KilledError
        return getattr(self._store, name)


def copy(
    source: Home, target: Home, what: str = "all", journal: Memory | None = None, dies_at: int = -1
) -> None:
    journal = journal or Memory()
    progress = journal.load() or Progress(source="one", target="other", what=what)
    writer: IndexWriter = homes.index_writer(target)
    if dies_at >= 0:
        object.__setattr__(writer, "store", Failing(target.index, dies_at))
    Transfer(source, target, writer, journal, progress, lambda: 1e9).run()


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a crawled, indexed and ranked collection with tombstones and levels."""
    folder = tmp_path_factory.mktemp("collection")
    asyncio.run(make_collection(folder))
    return folder


async def make_collection(folder: Path) -> None:
    world = make_world(folder / "warc", VirtualClock(), site(), folder / "web.db", seeds=SEEDS)
    home, writer = world.home, homes.index_writer(world.home)
    await world.crawl()
    home.jobs.set_state(JOB, "finished")
    index_pending(home, writer)
    world.fetcher.answers["http://a.test/1"] = html("Spider 1", "edited: silk and glue", "/2")
    home.urls.revisit(JOB)
    await revisit(world)
    for damping in (0.85, 0.5):  # the second time only levels change
        index_pending(home, writer)
        rank(home, writer, home.edges.packed(), home.urls.all(), damping=damping)
    [page] = home.documents.pages([url_id("http://a.test/2")])
    items = [
        Document(url=page.versions()[0].document.url, key=key, text=f"silk of {key}")
        for key in KEYS
    ]
    home.documents.put(page.id, [*page.documents.values(), *items], page.fetched_at + 1.0)
    index_pending(home, writer)
    home.close()


@pytest.fixture
def source(collection: Path, tmp_path: Path):
    """A copy of it that a test may change."""
    shutil.copytree(collection, tmp_path / "source")
    folder = tmp_path / "source"
    home = LocalHome(folder / "web.db", folder / "warc", decode_body)
    yield home
    home.close()


async def revisit(world: World) -> None:
    waiting = [r for r in world.home.urls.all() if r.state is State.DISCOVERED]
    world.send(*packs(JOB, waiting))
    await world.drain()


@pytest.fixture
def other(tmp_path: Path):
    """Another home on this machine, as a person would pull into."""
    home = LocalHome(tmp_path / "other.db", tmp_path / "other", decode_body)
    yield home
    home.close()


def answers(home: Home, *, explain: bool = True) -> list[Any]:
    """All that a person sees of some searches, but for how long they took."""
    searcher = homes.searcher(home)
    found = []
    for query in QUERIES:
        for how in ({"facets": ("site", "lang")}, {"sort": "-fetched"}, {"similar": "all"}):
            response = searcher.search(query, explain=explain, exact_total=True, **how)
            found.append(msgspec.structs.replace(response, took_ms=0.0))
    return found


def exports(home: Home, rename: Callable[[str], str] = str) -> dict[str, list[str]]:
    written = {}
    for what in COLUMNS:
        out = StringIO()
        export(home, what, "jsonl", out)
        written[what] = sorted(map(rename, out.getvalue().splitlines()))
    return written


def test_the_source_is_worth_a_copy(source: LocalHome):
    """What the tests below compare must be there."""
    manifest = source.index.manifest()

    assert manifest.live == 14 + len(KEYS)
    assert any(info.dead and info.live for info in manifest.segments)
    assert any(info.levels for info in manifest.segments)
    assert all(answer.hits for answer in answers(source))
    states = {record.state for record in source.urls.all()}
    assert {State.PARSED, State.REDIRECTED, State.GONE, State.DUPLICATE} <= states
    assert len({hit.score for hit in homes.searcher(source).search("silk").hits}) > 3


def test_answers_are_the_same_there_and_after_the_way_back(
    source: LocalHome, backend: Backend, other: LocalHome
):
    copy(source, backend.home)
    copy(backend.home, other)

    assert answers(backend.home) == answers(source)
    assert answers(other) == answers(source)


def test_exports_are_the_same_there_and_after_the_way_back(
    source: LocalHome, backend: Backend, other: LocalHome
):
    copy(source, backend.home)
    copy(backend.home, other)

    assert exports(backend.home) == exports(source)
    assert exports(other) == exports(source)


def test_every_url_is_explained_alike(source: LocalHome, backend: Backend):
    copy(source, backend.home)

    for record in source.urls.all():
        lives = [biography(h, h.jobs.get(JOB), record.url, 1e6) for h in (source, backend.home)]
        assert lives[0] == lives[1]


def test_pages_can_be_read_there_and_after_the_way_back(
    source: LocalHome, backend: Backend, other: LocalHome
):
    copy(source, backend.home)
    copy(backend.home, other)

    for home in (backend.home, other):
        for record in source.urls.all():
            copied = home.urls.get(record.id)
            assert copied is not None
            if record.page is not None and record.page.length:
                assert copied.page is not None
                assert home.pages.read(copied.page) == source.pages.read(record.page)


def test_nothing_is_left_to_index_and_a_plan_of_revisits_is_the_same(
    source: LocalHome, backend: Backend
):
    copy(source, backend.home)

    plans = [
        recrawl(home, JOB, 1e6, RecrawlConfig(budget=1000.0)) for home in (source, backend.home)
    ]
    assert unindexed(backend.home, homes.index_writer(backend.home)) == []
    assert plans[0].chosen
    assert sorted(w.url for w in plans[0].chosen) == sorted(w.url for w in plans[1].chosen)


def test_a_copy_of_a_copy_has_the_same_files(source: LocalHome, backend: Backend):
    copy(source, backend.home)

    ours, theirs = source.index.manifest(), backend.home.index.manifest()
    assert [info.size for info in ours.segments] == [info.size for info in theirs.segments]
    assert [info.live for info in ours.segments] == [info.live for info in theirs.segments]
    beside_heads = {info.names.name for info in theirs.segments if info.names}
    copied = theirs.names() - beside_heads
    assert {name[14:] for name in copied} <= {name[14:] for name in ours.names()}
    assert theirs.analyzer == ours.analyzer


def test_a_copy_twice_changes_nothing(source: LocalHome, backend: Backend):
    copy(source, backend.home)
    before = backend.home.index.manifest()

    copy(source, backend.home)

    assert backend.home.index.manifest() == before
    assert answers(backend.home) == answers(source)
    assert exports(backend.home) == exports(source)


def test_only_the_index_is_enough_to_search(source: LocalHome, backend: Backend):
    copy(source, backend.home, "index")

    assert answers(backend.home, explain=False) == answers(source, explain=False)
    assert list(backend.home.urls.entries()) == []
    assert list(backend.home.pages.archived()) == []


def test_without_pages_no_url_refers_to_one(source: LocalHome, backend: Backend):
    copy(source, backend.home, "records")

    assert list(backend.home.pages.archived()) == []
    assert [r.url for r in backend.home.urls.all() if r.page is not None] == []
    assert answers(backend.home) == answers(source)


@pytest.mark.only("sqlite-disk", "moto")
def test_a_copy_that_is_killed_after_any_step_goes_on(
    source: LocalHome, backend: Backend, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("gossamer.batch.transfer.collection.AT_ONCE", {"urls": 5, "documents": 4})
    journal, kills = Memory(most=1), 0

    while True:
        try:
            copy(source, backend.home, journal=journal)
            break
        except KilledError:
            kills += 1
            journal.left = 1

    assert kills > 8
    assert answers(backend.home) == answers(source)
    assert exports(backend.home) == exports(source)


@pytest.mark.only("sqlite-disk", "moto")
def test_a_copy_of_the_index_that_is_killed_at_any_write_goes_on(
    source: LocalHome, backend: Backend, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("gossamer.ports.segments.HEADS_FROM", 1)
    kills = 0
    for dies_at in range(100):
        try:
            copy(source, backend.home, dies_at=dies_at)
            break
        except KilledError:
            kills += 1

    assert kills > 3
    assert answers(backend.home) == answers(source)


@pytest.mark.only("moto")
def test_heads_of_large_segments_are_made_there(
    other: LocalHome, backend: Backend, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("gossamer.ports.segments.HEADS_FROM", 300)
    urls = [f"http://a.test/{number}" for number in range(320)]
    texts = ["silk " * (1 + number % 9) + f"number{number}" for number in range(320)]
    other.documents.load(
        [
            PageVersion(url_id(url), 1.0, {0: Document(url=url, text=text)})
            for url, text in zip(urls, texts, strict=True)
        ]
    )
    index_pending(other, homes.index_writer(other))
    compact(homes.index_writer(other), whole=True)

    copy(other, backend.home, "index")

    [info] = backend.home.index.manifest().segments
    kept = backend.home.index.heads(["silk"], [info.name])
    assert {segment for _, segment in kept} == {info.name}
    assert (
        homes.searcher(backend.home).search("silk").hits
        == homes.searcher(other).search("silk").hits
    )


@pytest.mark.only("sqlite-disk", "moto")
def test_files_of_an_old_index_are_not_swept_before_they_are_published(
    source: LocalHome, backend: Backend
):
    late = time.time() + 10 * 86_400.0
    writer = homes.index_writer(backend.home, lambda: late)

    class Sweeping:
        """A store in which another process sweeps whenever a manifest is about to be replaced."""

        def __getattr__(self, name: str) -> Any:
            if name == "publish":
                sweep(homes.index_writer(backend.home, lambda: late), orphans=True)
            return getattr(backend.home.index, name)

    object.__setattr__(writer, "store", Sweeping())

    copy_index(source.index, writer, lambda *_: None)

    assert answers(backend.home, explain=False) == answers(source, explain=False)


def test_segments_that_the_source_no_longer_has_are_dropped(source: LocalHome, backend: Backend):
    copy(source, backend.home)
    compact(homes.index_writer(source), whole=True)

    copy(source, backend.home)

    assert len(backend.home.index.manifest().segments) == 1
    assert answers(backend.home) == answers(source)


def test_a_merge_in_the_target_meanwhile_ends_the_copy(source: LocalHome, backend: Backend):
    if backend.kind == "moto":
        backend.home.jobs.lease("compact", "another", 2e9, 1e9)
        with pytest.raises(ConfigurationError, match="being merged"):
            copy(source, backend.home)


async def test_a_crawl_goes_on_after_the_copy(
    tmp_path: Path, clock: VirtualClock, backend: Backend, other: LocalHome
):
    begun = make_world(tmp_path / "begun", clock, site(), seeds=SEEDS, max_pages=4)
    await begun.crawl()
    assert begun.budget()[0] == 0
    refuse_unread(begun.home)

    copy(begun.home, backend.home)
    copy(backend.home, other)

    record = other.jobs.get(JOB)
    assert record is not None
    assert (record.state, record.pages_left) == ("paused", 0)
    assert backend.home.frontier.count() > 0
    unlimited = JobConfig(seeds=SEEDS)
    other.jobs.configure(JOB, unlimited, clock())
    other.jobs.set_state(JOB, "running")
    fetcher = ScriptedFetcher(clock, site())
    parser = InlineParser(tmp_path / "other", decode_body)
    there = World(other, Ports(other, fetcher, parser), clock, fetcher, tmp_path / "other")
    await there.drain()

    whole = make_world(tmp_path / "whole", clock, site(), seeds=SEEDS)
    await whole.crawl()
    ends = {url: end[0] for url, end in whole.ends().items()}
    assert {url: end[0] for url, end in there.ends().items()} == ends
    assert set(begun.fetcher.urls()) & set(fetcher.urls()) <= {
        "http://a.test/robots.txt",
        "http://b.test/robots.txt",
    }
    begun.home.close()
    whole.home.close()


def test_a_url_whose_fetcher_is_of_the_other_home_waits(source: LocalHome, backend: Backend):
    [(_, entry), *_] = source.urls.entries()
    record = msgspec.structs.replace(entry.record, state=State.FETCHING, lease=1e12)
    source.urls.load([msgspec.structs.replace(entry, record=record)])
    source.jobs.set_state(JOB, "running")

    copy(source, backend.home)

    copied = backend.home.urls.get(record.id)
    assert copied is not None
    assert (copied.state, copied.lease, copied.slot) == (State.DISCOVERED, 0.0, record.slot)
    [(_, pack)] = backend.home.frontier.all()
    assert [candidate.url for candidate in pack.request.urls] == [record.url]


def test_a_job_that_ended_brings_nothing_to_wait_for(source: LocalHome, backend: Backend):
    copy(source, backend.home)

    assert not backend.home.frontier.has_packs()
    record = backend.home.jobs.get(JOB)
    assert record is not None
    assert record.state == "finished"


def test_what_is_being_crawled_is_refused(any_home: Home):
    any_home.jobs.configure(JOB, JobConfig(seeds=["http://a.test/"]), 0.0)

    with pytest.raises(ConfigurationError, match="pause it"):
        refuse_running(any_home)

    any_home.jobs.set_state(JOB, "paused")
    refuse_running(any_home)


def test_pages_that_are_not_read_yet_are_refused(source: LocalHome):
    record = next(r for r in source.urls.all() if r.page is not None)
    assert record.page is not None
    page = PageFetched(job=JOB, url=record.url, page=record.page, depth=0, fetched_at=1.0)
    refuse_unread(source)

    source.queues.send([Emission("parse", page)], 0.0)

    with pytest.raises(ConfigurationError, match="1 messages"):
        refuse_unread(source)


def test_a_home_is_empty_until_something_is_in_it(source: LocalHome, any_home: Home):
    assert is_empty(any_home)
    assert not is_empty(source)

    any_home.urls.load([entry for _, entry in source.urls.entries()][:1])

    assert not is_empty(any_home)
    assert any_home.urls.addresses([url_id("http://no.test/")]) == {}
