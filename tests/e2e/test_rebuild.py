"""Is a collection whose database was lost the same again after `gossamer rebuild`?"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from warcio.archiveiterator import ArchiveIterator

from gossamer.adapters.local.processes.lock import Lock
from gossamer.adapters.local.rebuilding.workshop import LocalRebuilding
from gossamer.core.revisit.change_rate import remembered
from tests.commands import complains, run_here, said
from tests.e2e.crawls import (
    GOSSAMER,
    audited,
    crawl,
    crawl_flags,
    crawling,
    environment,
    expected,
    exported,
    found,
    hold_after,
    opened,
    reconciles,
)
from tests.e2e.test_cli import without_privilege
from tests.sites.generated import generate

if TYPE_CHECKING:
    from tests.sites.generated import Site

AT_ONCE = ("--min-interval", 0, "--max-interval", 0)
PAGE = 4096  # bytes of one of SQLite's pages
QUERIES = ("silk", "silk thread loom", '"silk thread"', "thr*", "title:page", "*")


@pytest.fixture(scope="module")
def crawled(loopback, tmp_path_factory) -> tuple[Path, Site]:
    """A crawl that was indexed and ranked."""
    site = loopback.publish(generate(5, loopback.port, 100, second=0))
    data = tmp_path_factory.mktemp("rebuild") / "data"
    crawl(site.seed, data, index=True)
    said("rank", "--data", data)
    return data, site


def gone(_whole: bytes) -> None:
    return None


def without_beginning(whole: bytes) -> bytes:
    """The page that names the tables, and the next, are lost."""
    return bytes([0x5A]) * 2 * PAGE + whole[2 * PAGE :]


def overwritten(whole: bytes) -> bytes:
    """All pages but the first, which names the tables."""
    return whole[:PAGE] + bytes([0x5A]) * (len(whole) - PAGE)


def damage(data: Path, how: Any) -> None:
    database = data / "web.db"
    left = how(database.read_bytes())
    database.unlink() if left is None else database.write_bytes(left)


@pytest.fixture(scope="module", params=[without_beginning, gone, overwritten])
def rebuilt(request, crawled, tmp_path_factory) -> tuple[Path, Any, dict[str, Any]]:
    """A copy of the crawl that was damaged and made anew, how, and what the command said."""
    data = tmp_path_factory.mktemp("copy") / "data"
    shutil.copytree(crawled[0], data)
    damage(data, request.param)
    done = run_here("rebuild", "--json", "--data", data)
    assert done.returncode == 0, done.stderr
    return data, request.param, json.loads(done.stdout)


def answer(data: Path, query: str) -> tuple[int, list[Any]]:
    answered = said("search", "--data", data, "--limit", 200, "--", query)
    hits = [(hit["url"], round(hit["score"], 6), hit.get("similar")) for hit in answered["hits"]]
    return answered["total"], hits


def rows(data: Path, what: str) -> list[dict[str, Any]]:
    """An export, without order."""
    return sorted(exported(data, what), key=lambda row: sorted(map(str, row.values())))


def test_the_documents_are_the_same(crawled, rebuilt):
    before, after = (
        {row["id"]: row for row in rows(d[0], "documents")} for d in (crawled, rebuilt)
    )

    for id, row in after.items():  # a WARC record has six digits of a second
        assert row.pop("fetched_at") == pytest.approx(before[id].pop("fetched_at"), abs=1e-5)
    assert after == before != {}


def test_the_links_are_the_same(crawled, rebuilt):
    assert rows(rebuilt[0], "edges") == rows(crawled[0], "edges") != []


def test_every_url_ended_as_the_crawl_ended_it(crawled, rebuilt):
    data, site = rebuilt[0], crawled[1]

    assert found(data, site) == found(crawled[0], site) == expected(site.walk(), site)


@pytest.mark.parametrize("query", QUERIES)
def test_the_answers_are_the_same(crawled, rebuilt, query):
    assert answer(rebuilt[0], query) == answer(crawled[0], query)


def test_the_counts_are_the_same_and_add_up(crawled, rebuilt):
    before, after = (said("stats", "--data", data) for data in (crawled[0], rebuilt[0]))

    assert reconciles(after)
    for name in ("state", "requests", "pages", "bytes", "by_state", "by_reason", "hosts"):
        assert after[name] == before[name], name


def test_the_old_file_is_kept_and_nothing_else_is_left(crawled, rebuilt):
    data, how, done = rebuilt
    kept = [path for path in data.iterdir() if "damaged" in path.name]

    if how is gone:
        assert (kept, done["kept"]) == ([], "")
    else:
        assert [str(path) for path in kept] == [done["kept"]]
        assert kept[0].read_bytes() == how((crawled[0] / "web.db").read_bytes())
    others = {path.name for path in data.iterdir()} - {path.name for path in kept}
    assert others - {"web.db-wal", "web.db-shm"} == {"web.db", "web.lock", "warc", "index"}
    with opened(data) as home:  # makes the two beside the database
        assert set(home.index.names()) == home.index.manifest().names()


def test_the_configuration_is_read_from_what_is_left(rebuilt):
    assert rebuilt[2]["lost_jobs"] == ([] if rebuilt[1] is without_beginning else ["crawl"])


def test_the_same_crawl_requests_nothing_again(crawled, rebuilt, loopback):
    asked = len(loopback.asked())

    done = run_here(*crawl_flags(crawled[1].seed, rebuilt[0]))

    assert (done.returncode, done.stderr) == (0, "")
    assert len(loopback.asked()) == asked
    assert found(rebuilt[0], crawled[1]) == found(crawled[0], crawled[1])


@pytest.fixture
def copy(crawled, tmp_path) -> Path:
    """A copy of the crawl, to be damaged."""
    return Path(shutil.copytree(crawled[0], tmp_path / "data"))


def test_a_database_that_can_be_read_is_left_alone(copy):
    before = (copy / "web.db").read_bytes()

    assert "there is nothing to rebuild" in complains("rebuild", "--data", copy)
    assert (copy / "web.db").read_bytes() == before


def test_it_is_replaced_on_request(copy):
    done = said("rebuild", "--force", "--data", copy)

    assert ".replaced-" in done["kept"]
    assert answer(copy, "silk")[0] > 0


def test_a_crawl_at_work_is_not_disturbed(copy):
    damage(copy, overwritten)
    lock = Lock(copy / "web.db")
    lock.take("crawl")

    refusal = complains("rebuild", "--force", "--data", copy)

    lock.release()
    assert "another gossamer" in refusal
    assert not list(copy.glob("*damaged*")) + list(copy.glob("*rebuilding*"))


def test_a_kill_before_the_end_changes_nothing(copy, crawled, monkeypatch):
    damage(copy, overwritten)
    before = (copy / "web.db").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(LocalRebuilding, "_put_aside", _killed)
        patch.setattr(LocalRebuilding, "close", lambda made: made._lock.release())
        with pytest.raises(Killed):
            run_here("rebuild", "--data", copy)
    assert (copy / "web.db").read_bytes() == before
    assert (copy / "web.rebuilding").exists()

    run_here("rebuild", "--data", copy)

    assert not (copy / "web.rebuilding").exists()
    assert answer(copy, "silk") == answer(crawled[0], "silk")
    with opened(copy) as home:
        assert set(home.index.names()) == home.index.manifest().names()


TEMPLATE = """
match = "{origin}/*"
[fields.heading]
select = "title"
"""


def declared(data: Path) -> list[Any]:
    """What an owner declared, and what it does to documents."""
    with opened(data) as home:
        settings = home.settings.get()
        texts = [home.settings.read_list(each) for each in (settings.synonyms, settings.templates)]
    documents = [(row["url"], row.get("values")) for row in rows(data, "documents")]
    return [msgspec.structs.replace(settings, version=0), *texts, sorted(documents, key=str)]


@pytest.mark.parametrize("how", [gone, overwritten])
def test_what_the_owner_declared_comes_back_also_after_a_kill(copy, how, crawled, monkeypatch):
    template = TEMPLATE.format(origin=crawled[1].seed.rstrip("/"))
    files = {"settings.toml": "synonym_weight = 0.5\n", "synonyms": "silk, thread\n"}
    for name, text in {**files, "heading.toml": template}.items():
        (copy.parent / name).write_text(text)
    said("settings", "--data", copy, copy.parent / "settings.toml")
    said("synonyms", "--data", copy, copy.parent / "synonyms")
    said("template", "--data", copy, "add", copy.parent / "heading.toml")
    said("template", "--data", copy, "apply")
    before = declared(copy)
    damage(copy, how)
    with monkeypatch.context() as patch:
        patch.setattr(LocalRebuilding, "_put_aside", _killed)
        patch.setattr(LocalRebuilding, "close", lambda made: made._lock.release())
        with pytest.raises(Killed):
            run_here("rebuild", "--data", copy)

    done = run_here("rebuild", "--json", "--data", copy)

    lost = json.loads(done.stdout)
    assert (lost["lost_settings"], lost["lost_lists"]) == (False, [])
    assert declared(copy) == before
    assert "silk" in before[1]
    assert "heading" in before[2]
    assert any("heading" in (values or {}) for _, values in before[3])


def test_what_the_owner_declared_and_cannot_come_back_is_named(copy):
    damage(copy, gone)

    done = run_here("rebuild", "--data", copy)

    assert "neither templates nor synonyms" in done.stderr


class Killed(BaseException):
    """The process ended here."""


def _killed(_made: LocalRebuilding) -> str:
    raise Killed


def test_a_damaged_record_costs_its_page_and_is_counted(copy):
    damage(copy, gone)
    file = next((copy / "warc" / "web").iterdir())
    whole = bytearray(file.read_bytes())
    begin = middle_response(file)
    whole[begin + 40 : begin + 80] = bytes(40)
    file.write_bytes(whole)

    done = run_here("rebuild", "--json", "--data", copy)

    assert "1 damaged place was left out of the WARC files" in done.stderr
    made = json.loads(done.stdout)
    assert (made["damaged"], done.returncode) == (1, 0)
    assert 160 < made["requests"] < 168
    assert file.read_bytes() == bytes(whole)


def middle_response(file: Path) -> int:
    """Where the response in the middle of a WARC file begins."""
    begins: list[int] = []
    with file.open("rb") as stream:
        records = ArchiveIterator(stream)
        for record in records:
            if record.rec_type == "response":
                begins.append(records.get_record_offset())
    return begins[len(begins) // 2]


def test_another_collection_is_named(copy):
    (copy / "warc" / "web").rename(copy / "warc" / "news")
    (copy / "web.db").unlink()

    assert "choose with --collection: news" in complains("rebuild", "--data", copy)
    made = run_here("rebuild", "--json", "--data", copy, "--collection", "news")
    assert json.loads(made.stdout)["requests"] == 168
    assert said("stats", "--data", copy, "--collection", "news")["requests"] == 168


def test_a_crawl_that_ended_at_a_limit_ends_there_again(server, data):
    site, flags = server.publish(generate(5, server.port, 60, second=0)), ("--max-pages", 40)
    before = crawl(site.seed, data, *flags)
    damage(data, without_beginning)

    assert run_here("rebuild", "--data", data).returncode == 0
    asked = len(server.asked())
    same = run_here(*crawl_flags(site.seed, data, *flags), "--no-index")

    after = json.loads(same.stdout)
    assert len(server.asked()) == asked
    for name in ("state", "reason", "pages", "urls", "by_reason"):
        assert after[name] == before[name], name
    more = run_here(*crawl_flags(site.seed, data), "--no-index")
    assert json.loads(more.stdout)["reason"] == ""
    assert found(data, site) == expected(site.walk(), site)


def test_a_crawl_that_was_killed_goes_on_where_it_was(server, data):
    site = server.publish(generate(6, server.port, 60, second=0))
    with crawling(site.seed, data, "--concurrency", 4) as process:
        hold_after(server, 60, process)
        process.kill()
    server.release()
    damage(data, gone)

    assert run_here("rebuild", "--data", data).returncode == 0
    assert said("stats", "--data", data)["state"] == "interrupted"
    done = run_here(*crawl_flags(site.seed, data), "--no-index")

    assert (done.returncode, done.stderr) == (0, "")
    assert found(data, site) == expected(site.walk(), site)
    again = {url: count for url, count in Counter(server.asked()).items() if count > 1}
    assert sum(again.values()) - len(again) <= 4 + 1  # in flight at the kill, and robots.txt
    assert audited(data).violations == 0


@pytest.mark.parametrize(
    ("again", "reason"),
    [(("crawl", "--refresh"), "document"), (("recrawl", *AT_ONCE), "same-bytes")],
)
def test_pages_are_as_the_last_visit_left_them(server, data, again, reason):
    site = server.publish(generate(7, server.port, 30, second=0))
    crawl(site.seed, data)
    assert run_here(*again, "--quiet", "--json", "--data", data).returncode == 0
    before = {row["id"]: row for row in ledger(data)}
    damage(data, without_beginning)

    assert run_here("rebuild", "--data", data).returncode == 0

    after = {row["id"]: row for row in ledger(data)}
    assert {row["reason"] for row in after.values()} >= {reason, "redirect", "http-404"}
    assert list(after) == list(before)
    assert loop_of(after) == loop_of(before)
    for id, row in after.items():
        assert row == before[id] or row["url"].endswith(LOOP)


# Two URLs that redirect to each other: the one whose answer is stored last ends as the loop. In an
# earlier round both are known already, so both may be in flight at the same time.
LOOP = ("/loop/a", "/loop/b")


def loop_of(urls: dict[bytes, dict[str, Any]]) -> list[tuple[str, str]]:
    rows = (row for row in urls.values() if row["url"].endswith(LOOP))
    return sorted((row["state"], row["reason"]) for row in rows)


def ledger(data: Path) -> list[dict[str, Any]]:
    """All URLs, with times as exact as WARC records have them."""
    with opened(data) as home:
        found = [msgspec.structs.asdict(record) for record in home.urls.all()]
    for row in found:
        row["fetched_at"] = pytest.approx(row["fetched_at"], abs=1e-5)
        row["slot"] = pytest.approx(row["slot"], abs=1e-5)
        row["history"] = remembered(row["history"]).visits
        for name in ("lease", "via", "nearer_via"):  # which parser was faster
            del row[name]
    return found


def test_a_folder_that_cannot_be_written_is_named(copy):
    damage(copy, overwritten)
    copy.chmod(0o555)
    try:
        done = subprocess.run(
            [*without_privilege(), GOSSAMER, "rebuild", "--data", str(copy)],
            capture_output=True,
            text=True,
            env=environment(),
        )
    finally:
        copy.chmod(0o755)

    assert done.returncode == 2
    assert done.stderr.startswith(f"gossamer: cannot write {copy}")
    assert "make the folder writable" in done.stderr


def test_a_full_disk_is_noticed_before(copy, monkeypatch):
    damage(copy, overwritten)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))

    assert "MB free: make room, or use --force" in complains("rebuild", "--data", copy)
    assert run_here("rebuild", "--force", "--data", copy).returncode == 0
