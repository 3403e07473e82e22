"""Can a collection of an older version still be read, and crawled on?"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from gossamer.adapters.local.database import Store
from gossamer.adapters.local.home import LocalHome
from gossamer.adapters.local.opening import SCHEMA_VERSION
from gossamer.adapters.local.processes.lock import Lock
from gossamer.core.crawl.host_record import HostChange
from gossamer.core.crawl.job import JobConfig
from gossamer.core.crawl.url_record import Discovery, UrlChange
from gossamer.core.crawl.url_state import State
from gossamer.core.errors import ConfigurationError
from gossamer.core.ids import document_id
from gossamer.core.index.segments.manifest import Manifest
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.homes import decode_body
from gossamer.messages import Candidate, CrawlRequest
from tests.documents import documents_of
from tests.indexing import index_home, live_ids
from tests.life import bring
from tests.pump import JOB, Answer, make_world, page

if TYPE_CHECKING:
    from pathlib import Path

ROOT = "http://a.test/"
ENDS = {
    "http://a.test/document": (State.PARSED, "document"),
    "http://a.test/page": (State.FETCHED, ""),
    "http://a.test/again": (State.DUPLICATE, "same-content"),
    "http://a.test/hidden": (State.EXCLUDED, "noindex"),
    "http://a.test/gone": (State.GONE, "http-404"),
    "http://a.test/waits": (State.DISCOVERED, ""),
}


def version_of(path: Path) -> int:
    with contextlib.closing(Store(path, read_only=True)) as store:
        return int(store.rows("PRAGMA user_version")[0][0])


# The index of up to version 6, as it was in version 3.
OLD_INDEX = (
    "CREATE TABLE index_items (key TEXT NOT NULL, sort TEXT NOT NULL, postings BLOB NOT NULL)",
    "CREATE TABLE ordinals (ordinal INTEGER NOT NULL UNIQUE, id BLOB PRIMARY KEY) WITHOUT ROWID",
    "DELETE FROM manifest",
    """INSERT INTO manifest VALUES ('{"version":3,"deltas":[0],"generations":[[3,128,1000]]}')""",
)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A file of version 1: no units, no leases, and budgets that count slots in the queue too."""
    path = tmp_path / "web.db"
    home = LocalHome(path, tmp_path / "warc", decode_body)
    home.jobs.configure(JOB, JobConfig(seeds=[ROOT], max_pages=10, max_documents=10), 100.0)
    for url, (state, reason) in ENDS.items():
        home.urls.add([Discovery(url_id(url), url, "a.test", 0, job=JOB)], b"", 100.0)
        bring(home.urls, url_id(url), state, UrlChange(reason=reason))
    home.hosts.change("a.test", HostChange(requests=7))
    home.frontier.park(CrawlRequest(job=JOB, host="a.test", urls=[Candidate(ROOT)]))
    home.store.commit()
    for statement in (
        *OLD_INDEX,
        "ALTER TABLE urls DROP COLUMN units",
        "ALTER TABLE frontier DROP COLUMN lease",
        "DROP TABLE settings",
        "DROP TABLE founder_runs",
        "DROP TABLE founder_blocks",
        "DROP TABLE inlinks",
        "ALTER TABLE urls DROP COLUMN history",
        "ALTER TABLE urls DROP COLUMN hinted_at",
        "ALTER TABLE urls DROP COLUMN nearer_via",
        "ALTER TABLE urls DROP COLUMN cookies",
        "ALTER TABLE documents DROP COLUMN anchors",
        "DROP INDEX frontier_by_digest",
        "ALTER TABLE frontier DROP COLUMN digest",
        "ALTER TABLE frontier DROP COLUMN times",
        "ALTER TABLE jobs ADD COLUMN wish TEXT NOT NULL DEFAULT ''",
        "UPDATE jobs SET pages = 9, documents = 8",
        "PRAGMA user_version=1",
    ):
        home.store.write(statement)
    home.close()
    return path


def test_it_is_upgraded_when_it_is_opened_for_writing(old, tmp_path):
    home = LocalHome(old, tmp_path / "warc", decode_body)

    record = home.jobs.get(JOB)
    assert record is not None
    assert (record.pages_left, record.documents_left) == (6, 8)
    assert {r.url: (r.state, r.reason) for r in home.urls.all()} == ENDS
    host = home.hosts.get("a.test")
    assert (host.pages, host.requests) == (2, 7)
    pack = home.frontier.take("a.test", 100.0)
    assert pack is not None
    assert pack.request.urls == [Candidate(ROOT)]
    home.close()
    assert version_of(old) == SCHEMA_VERSION


def test_it_is_upgraded_once(old):
    for _ in range(2):
        Store(old).close()

    assert version_of(old) == SCHEMA_VERSION


def test_it_is_not_upgraded_while_an_older_program_is_at_work(old):
    lock = Lock(old)
    lock.take("crawl")

    with pytest.raises(ConfigurationError, match="another gossamer"):
        Store(old)

    lock.release()
    Store(old).close()
    assert version_of(old) == SCHEMA_VERSION


def test_a_table_that_is_new_is_made_in_a_file_of_this_version(tmp_path):
    path, new = tmp_path / "web.db", "CREATE TABLE IF NOT EXISTS notes (note TEXT);"
    LocalHome(path, tmp_path / "warc", decode_body).close()

    with contextlib.closing(Store(path, new)) as store:
        assert store.rows("SELECT * FROM notes") == []

    assert version_of(path) == SCHEMA_VERSION


def test_to_open_it_waits_for_no_writer(tmp_path):
    path = tmp_path / "web.db"
    writing = LocalHome(path, tmp_path / "warc", decode_body)
    writing.store.write("INSERT INTO contents VALUES (x'00', 'http://a.test/')")

    LocalHome(path, tmp_path / "warc", decode_body).close()

    writing.close()


def test_what_was_indexed_in_the_database_is_indexed_once_more_into_files(old, tmp_path):
    home = LocalHome(old, tmp_path / "warc", decode_body)
    id = document_id(url_id(ROOT))
    home.documents.put(url_id(ROOT), [Document(url=ROOT, title="Silk", text="spiders")], 1.0)

    assert home.index.manifest() == Manifest()
    assert [index_home(home) for _ in range(2)] == [1, 0]
    assert live_ids(home.index) == [id]
    home.close()


def test_it_is_readable_without_being_changed(old, tmp_path):
    home = LocalHome(old, tmp_path / "warc", decode_body, read_only=True)

    assert {r.url: (r.state, r.reason) for r in home.urls.all()} == ENDS
    assert home.urls.by_state["discovered"] == 1
    assert home.frontier.count() == 1
    assert home.jobs.names() == [JOB]
    assert home.documents.read([document_id(url_id(ROOT))]) == []
    home.close()
    assert version_of(old) == 1


def test_documents_from_before_there_were_parts_are_read_and_counted_though_not_upgraded(tmp_path):
    path, page = tmp_path / "web.db", url_id(ROOT)
    plain, item = Document(url=ROOT, title="Silk"), Document(url=ROOT, key="orb")
    home = LocalHome(path, tmp_path / "warc", decode_body)
    home.documents.put(page, [plain], 1.0)
    without_cookies = "ALTER TABLE urls DROP COLUMN cookies"
    for statement in ("DROP TABLE parts", without_cookies, "PRAGMA user_version=7"):
        home.store.write(statement)
    home.close()

    reading = LocalHome(path, tmp_path / "warc", decode_body, read_only=True)
    assert list(reading.documents.all()) == reading.documents.pages([page])
    assert documents_of(reading, ROOT) == [plain]
    assert (reading.documents.count(), list(reading.documents.empty())) == ((1, 1), [])
    assert [stamp.parts for stamp in reading.documents.stamps()] == [(0,)]

    writing = LocalHome(path, tmp_path / "warc", decode_body)
    writing.documents.put(page, [plain, item], 2.0)
    writing.close()

    assert documents_of(reading, ROOT) == [plain, item]  # it was opened before
    assert reading.documents.count() == (1, 2)
    reading.close()
    assert version_of(path) == SCHEMA_VERSION


async def test_it_is_crawled_on_to_its_limit(old, tmp_path, clock):
    more = [f"http://a.test/{i}" for i in range(20)]
    site: dict[str, Answer] = {url: page(title=url) for url in more}
    site[ROOT] = page(*more, title="root")
    w = make_world(tmp_path / "warc", clock, site, old, max_pages=10)

    await w.crawl(ROOT)

    assert sum(1 for r in w.home.urls.all() if r.md5) == 6  # four pages it had before
    assert w.budget() == (0, None)
    w.home.close()


def test_a_file_of_the_future_is_refused(old):
    with contextlib.closing(Store(old)) as store:
        store.write(f"PRAGMA user_version={SCHEMA_VERSION + 1}")

    with pytest.raises(ConfigurationError, match=f"format {SCHEMA_VERSION + 1}"):
        Store(old)


@pytest.mark.parametrize("limit", [3, 10])
async def test_a_job_that_gets_limits_later_counts_what_it_has(tmp_path, clock, limit):
    more = [f"http://a.test/{i}" for i in range(20)]
    site: dict[str, Answer] = {url: page(title=url) for url in more}
    site[ROOT] = page(*more[:5], title="root")
    w = make_world(tmp_path / "warc", clock, site)
    await w.crawl()

    w.configure(JobConfig(seeds=[ROOT], max_pages=limit, max_documents=30))
    await w.crawl(*more)

    assert sum(1 for r in w.home.urls.all() if r.md5) == max(limit, 6)
    assert w.budget() == (max(0, limit - max(limit, 6)), 30 - max(limit, 6))
    w.home.close()
