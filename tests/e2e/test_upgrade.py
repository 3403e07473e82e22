"""A collection whose index was made before segments: what it says, and how it is indexed anew."""

from __future__ import annotations

from contextlib import closing

import pytest

from gossamer.core.crawl.url_record import Discovery
from gossamer.core.crawl.url_state import State
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.settings import Settings
from tests.commands import found, run_here, said
from tests.life import bring
from tests.local_home import open_local

URL = "http://a.test/silk"
OLD_INDEX = """
    CREATE TABLE index_items (key TEXT NOT NULL, sort TEXT NOT NULL, postings BLOB NOT NULL);
    CREATE TABLE ordinals (ordinal INTEGER PRIMARY KEY, id BLOB NOT NULL);
    INSERT INTO index_items VALUES ('silk', 'd#0', x'00');
    INSERT INTO ordinals VALUES (0, x'00');
    CREATE TABLE founders (
        key BLOB NOT NULL, id BLOB NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (key, id)
    ) WITHOUT ROWID;
    DROP TABLE founder_runs;
    DROP TABLE founder_blocks;
    ALTER TABLE urls DROP COLUMN nearer_via;
    ALTER TABLE urls DROP COLUMN cookies;
    DELETE FROM manifest;
    INSERT INTO manifest VALUES ('{"version":7,"generation":1,"deltas":[0],"documents":1}');
    PRAGMA user_version=6;
"""


@pytest.fixture
def old(tmp_path):
    """A crawled page, and an index in rows of the database."""
    settings = Settings(data=str(tmp_path / "data"))
    with closing(open_local(settings)) as home:
        home.urls.add([Discovery(url_id(URL), URL, "a.test", 0, job="web")], b"", 100.0)
        bring(home.urls, url_id(URL), State.PARSED)
        document = Document(url=URL, title="Silk", text="Silk is stronger than steel.")
        home.documents.put(url_id(URL), [document], 100.0)
        home.commit()
        for statement in OLD_INDEX.split(";\n"):
            home.store.write(statement)
        home.commit()
    return tmp_path / "data"


def test_a_search_in_an_old_index_says_what_to_do(old):
    done = run_here("search", "--data", old, "silk")

    assert done.returncode == 0
    assert done.stdout.startswith("0 results")
    assert "run `gossamer index`" in done.stderr


def test_an_old_collection_is_indexed_anew_by_one_command(old):
    indexed = said("index", "--data", old)

    assert (indexed["indexed"], indexed["documents"]) == (1, 1)
    assert found(old, "silk") == [URL]
    assert said("index", "--data", old)["indexed"] == 0


def test_a_search_in_a_collection_without_pages_says_so(tmp_path):
    settings = Settings(data=str(tmp_path))
    open_local(settings).close()

    done = run_here("search", "--data", tmp_path, "silk")

    assert "nothing is indexed yet" in done.stderr


def test_a_search_that_finds_nothing_among_pages_says_no_more(old):
    said("index", "--data", old)

    done = run_here("search", "--data", old, "moth")

    assert (done.returncode, done.stderr) == (0, "")
