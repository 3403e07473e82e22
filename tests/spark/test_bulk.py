"""Do the jobs of scripts/spark find what INDEX, RANK and RECRAWL find in one process?"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow.parquet as pq
import pytest

from gossamer import homes
from gossamer.batch.index import index_pending
from gossamer.batch.indexed_pages import indexed_pages
from gossamer.batch.rank import rank
from gossamer.batch.recrawl import Waiting, recrawl
from gossamer.core.crawl.job import RecrawlConfig
from gossamer.core.index import schema
from gossamer.core.index.anchors import kept
from gossamer.core.index.segments.columns import NumberColumn
from gossamer.core.index.segments.identities import document_id_of
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.entrypoints.lambdas.parquet import given_ranks, page_row, write_parquet
from gossamer.entrypoints.local.index_workers import index_warc
from gossamer.settings import Settings
from tests.local_home import open_local
from tests.pump import JOB, VirtualClock, answer, make_world, redirect
from tests.spark.jobs import SPARK_SECONDS, spark_jobs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gossamer.adapters.local.home import LocalHome

pytestmark = pytest.mark.timeout(3 * SPARK_SECONDS)
SEEDS = ["http://a.test/", "http://b.test/", "http://c.test/"]
QUERIES = ("silk", "orb weaver", '"viscid silk"', "spider 7", "sil*", "site:b.test silk", "edited")
NOW = 2e6
decode_waiting = msgspec.json.Decoder(Waiting).decode
SAME_LEVEL = 1  # ranks of two engines differ by less than the tolerance, so levels by rounding


def html(title: str, text: str, *links: tuple[str, str]) -> Any:
    anchors = "".join(f'<a href="{url}">{words}</a> ' for url, words in links)
    body = f"<html><head><title>{title}</title></head><body><p>{text}</p>{anchors}</body></html>"
    return answer(200, body, headers=[("Content-Type", "text/html")])


def text_of(number: int) -> str:
    """Every fifth page is nearly the same as another one."""
    first = number - number % 5 if number % 5 < 2 else number
    words = [f"word{first}x{place}" for place in range(400)]
    words[number % 5] = "edited" if first != number else words[number % 5]
    return " ".join(["orb weaver spins viscid silk", *words])


def site() -> dict[str, Any]:
    pages: dict[str, Any] = {}
    for number in range(30):
        host = "abc"[number % 3]
        links = [
            (f"http://{'abc'[(number * 7) % 3]}.test/{(number * 7) % 30}", f"Spider {number % 4}"),
            (f"http://{'abc'[(number // 2) % 3]}.test/{number // 2}", "a web"),
            (f"http://{host}.test/", "Home"),
            (f"http://{host}.test/moved", f"moved by {number}"),
        ]
        pages[f"http://{host}.test/{number}"] = html(f"Spider {number}", text_of(number), *links)
    for host in "abc":
        hub = [(f"/{number}", f"all about {number}") for number in range("abc".index(host), 30, 3)]
        pages[f"http://{host}.test/"] = html(f"Hub {host}", f"silk of {host}", *hub)
        pages[f"http://{host}.test/moved"] = redirect(f"/{'abc'.index(host) + 3}")
    return pages


@dataclass(frozen=True)
class Bulk:
    """A collection as one process indexed and ranked it, and folders that Spark filled."""

    home: LocalHome  # by one process
    bulk: LocalHome  # by Spark
    folder: Path

    def rows(self, name: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = pq.read_table(self.folder / name).to_pylist()
        return rows


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bulk]:
    run = spark_jobs()
    folder = tmp_path_factory.mktemp("bulk")
    asyncio.run(crawl(folder))
    home = open_local(Settings(data=str(folder / "data")))
    writer = homes.index_writer(home)
    index_pending(home, writer)
    for what in ("documents", "edges", "urls"):
        write_parquet(home, what, str(folder / f"{what}.parquet"))
    bulk = run_jobs(partial(run), folder)
    # As many times as it takes: names lead to new segments, and these get their levels.
    for _ in range(2):
        engine = given_ranks(str(folder / "ranks"))
        rank(home, writer, home.edges.packed(), home.urls.all(), engine=engine)
        index_pending(home, writer)
    yield Bulk(home, bulk, folder)
    bulk.close()
    home.close()


async def crawl(folder: Path) -> None:
    settings = Settings(data=str(folder / "data"))
    clock = VirtualClock()
    warc = settings.warc_folder
    world = make_world(warc, clock, site(), settings.database, seeds=SEEDS, delay=0.1)
    await world.crawl()
    world.home.jobs.set_state(JOB, "finished")
    add_items(world.home)
    world.home.close()


def add_items(home: LocalHome) -> None:
    """Let a page hold items, of which two are nearly the same."""
    [page] = home.documents.pages([url_id("http://a.test/3")])
    items = [
        Document(url="http://a.test/3", key=f"item {n}", text=text_of(n)) for n in (50, 51, 57)
    ]
    home.documents.put(page.id, [*page.documents.values(), *items], page.fetched_at)


def run_jobs(run: Any, folder: Path) -> LocalHome:
    documents, edges = folder / "documents.parquet", folder / "edges.parquet"
    run("rank", "--input", edges, "--nodes", documents, "--output", folder / "ranks")
    ranked = ["--ranks", folder / "ranks", "--documents", documents]
    run("names", "--edges", edges, *ranked, "--output", folder / "names")
    run("worths", "--edges", edges, *ranked, "--output", folder / "worths")
    run("near_duplicates", "--input", documents, "--output", folder / "similar")
    settings = Settings(data=str(folder / "bulk"))
    open_local(settings).close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOSSAMER_DATA", settings.data)
        found = ["--names", folder / "names", "--founders", folder / "similar" / "founders"]
        run("load", "--documents", documents, *found, "--worths", folder / "worths")
        known = ["--clusters", folder / "similar" / "clusters", "--names", folder / "names"]
        done = run("segments", "--documents", documents, *known, "--segments", 3)
    assert done == {"segments": 3, "documents": 36}
    return open_local(settings)


def clusters(home: LocalHome) -> dict[bytes, int]:
    writer, found = homes.index_writer(home), dict[bytes, int]()
    for info in home.index.manifest().segments:
        segment, live = writer.opened.segment(info), writer.opened.live(info)
        column = segment.column(schema.CLUSTER)
        assert isinstance(column, NumberColumn)
        for place, id in enumerate(segment.identities.ids):
            if live[place]:
                found[document_id_of(id)] = int(column.values[place])
    return found


def levels(home: LocalHome) -> dict[bytes, int]:
    writer = homes.index_writer(home)
    indexed = indexed_pages(writer)
    ranks = [level for info in indexed.infos for level in writer.opened.levels(info).tolist()]
    ids = map(document_id_of, indexed.ids)
    return {id: ranks[number] for number, id in zip(indexed.live.tolist(), ids, strict=True)}


def answers(home: LocalHome, **how: Any) -> list[Any]:
    searcher = homes.searcher(home)
    found = [
        searcher.search(query, exact_total=True, explain=True, facets=("site",), limit=40, **how)
        for query in QUERIES
    ]
    return [msgspec.structs.replace(each, took_ms=0.0) for each in found]


def test_segments_of_spark_answer_as_those_of_one_process(both: Bulk):
    ours = answers(both.home)

    assert all(answer.hits for answer in ours)
    assert len({hit.score for answer in ours for hit in answer.hits}) > 20
    assert answers(both.bulk) == ours
    assert answers(both.bulk, similar="all") == answers(both.home, similar="all")
    assert answers(both.bulk, sort="-fetched") == answers(both.home, sort="-fetched")


def test_documents_are_in_the_same_clusters(both: Bulk):
    ours = clusters(both.home)

    assert len(set(ours.values())) < len(ours)  # some are similar
    assert clusters(both.bulk) == ours


def test_index_can_go_on_with_the_same_founders(both: Bulk):
    def founders(home: LocalHome) -> dict[bytes, set[Any]]:
        found = (entry for _, entry in home.contents.entries() if entry.founders)
        return {entry.key: set(entry.founders) for entry in found}

    assert founders(both.bulk) == founders(both.home)


def test_pages_have_the_same_names_and_inlinks(both: Bulk):
    ours = [page for _, page in both.home.documents.entries()]
    ids = [page.id for page in ours]
    rows = {row["id"]: row for row in both.rows("names")}

    assert {page.id: page.anchors for page in ours} == {
        id: kept(row["names"] or ()) for id, row in rows.items()
    }
    assert {page.anchors for page in ours} - {()} != set()
    assert both.bulk.edges.inlinks(ids) == both.home.edges.inlinks(ids)
    assert len(both.home.edges.inlinks(ids)[ids[0]].links) > 1
    assert both.bulk.documents.pages(ids) == ours


def test_hosts_are_worth_the_same(both: Bulk):
    hosts = ["a.test", "b.test", "c.test"]
    ours = {host: standing.worth for host, standing in both.home.reputation.get(hosts).items()}

    assert set(ours.values()) != {0}
    assert {row["host"]: row["worth"] for row in both.rows("worths")} == ours
    assert {host: s.worth for host, s in both.bulk.reputation.get(hosts).items()} == ours


def test_nothing_is_left_to_index_after_a_bulk_run(both: Bulk):
    assert index_pending(both.bulk, homes.index_writer(both.bulk)) == 0


def test_levels_are_those_of_one_process_but_for_rounding(both: Bulk, tmp_path: Path):
    assert levels(both.bulk) == levels(both.home)

    writer = homes.index_writer(both.home)
    rank(both.home, writer, both.home.edges.packed(), both.home.urls.all())  # without Spark
    ours, theirs = levels(both.home), levels(both.bulk)

    assert max(ours.values()) == 255
    assert len(set(ours.values())) > 10
    assert {id for id in ours if abs(ours[id] - theirs[id]) > SAME_LEVEL} == set()


def test_documents_from_warc_files_are_those_that_index_reads(both: Bulk, tmp_path: Path):
    warc = Settings(data=str(both.folder / "data")).warc_folder
    done = spark_jobs()("documents", "--input", warc, "--output", tmp_path / "documents")
    settings = Settings(data=str(tmp_path / "other"))
    other = open_local(settings)
    for path in sorted(warc.glob("*.warc.gz")):
        index_warc(path, other, settings)

    rows = pq.read_table(tmp_path / "documents").to_pylist()
    wanted = {page.id: page_row(page) for _, page in other.documents.entries() if page.documents}
    assert done == {"pages": len(wanted), "damaged": 0}
    assert len(wanted) == 33
    assert {row["id"]: row for row in rows} == wanted
    other.close()


def test_a_damaged_warc_file_is_counted_and_the_others_are_read(both: Bulk, tmp_path: Path):
    [good] = Settings(data=str(both.folder / "data")).warc_folder.glob("*.warc.gz")
    (tmp_path / "warc").mkdir()
    (tmp_path / "warc" / "good.warc.gz").write_bytes(good.read_bytes())
    (tmp_path / "warc" / "bad.warc.gz").write_bytes(good.read_bytes()[:-40])

    done = spark_jobs()("documents", "--input", tmp_path / "warc", "--output", tmp_path / "out")

    assert done == {"pages": 33, "damaged": 1}


@pytest.mark.parametrize("budget", [None, 5.0])
def test_the_plan_of_revisits_is_the_same(both: Bulk, tmp_path: Path, budget: float | None):
    config = RecrawlConfig(budget=budget)
    wanted = recrawl(both.home, JOB, NOW, config)
    limited = [] if budget is None else ["--budget", budget]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOSSAMER_DATA", str(both.folder / "data"))
        where = ["--input", both.folder / "urls.parquet", "--output", tmp_path / "plan.jsonl"]
        where += ["--plan", tmp_path / "plan"]
        done = spark_jobs()("recrawl", *where, "--name", JOB, "--now", NOW, *limited)

    lines = (tmp_path / "plan.jsonl").read_bytes().splitlines()
    facts = ("url", "host", "purpose", "depth", "hops", "slot", "rate", "tries")
    assert [msgspec.json.decode(line) for line in lines] == [
        {name: getattr(url, name) for name in facts} for url in wanted.chosen
    ]
    files = sorted((tmp_path / "plan").glob("part-*"))
    parts = [line for file in files for line in file.read_bytes().splitlines()]
    assert [each.url for each in map(decode_waiting, parts)] == [url.url for url in wanted.chosen]
    assert done == {"urls": wanted.urls, "due": wanted.due, "chosen": len(wanted.chosen)}
    assert len(wanted.chosen) == (wanted.due if budget is None else 5)


def test_a_plan_that_goes_nowhere_is_refused(capsys: pytest.CaptureFixture[str]):
    run = spark_jobs()

    with pytest.raises(SystemExit):
        run("recrawl", "--input", "urls.parquet")

    assert "--output FILE, --plan FOLDER" in capsys.readouterr().err
