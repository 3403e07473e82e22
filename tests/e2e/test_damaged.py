"""Is a damaged database one sentence and the way out, whatever is asked of it?"""

from __future__ import annotations

import shutil

import pytest

from tests.commands import complains, run_here, said
from tests.e2e.crawls import crawl, warc_files
from tests.sites.generated import generate

PAGE = 4096  # bytes of one of SQLite's pages
COMMANDS = (
    "stats",
    "search silk",
    "explain-url http://a.test/",
    "export --what urls",
    "export --what documents",
    "settings",
    "inspect",
    "serve --port 0 --processes 1",
    "rank",
    "index",
    "reindex",
    "compact",
    "recrawl --workers 1 --quiet",
    "crawl --workers 1 --quiet",
    "stop",
)


@pytest.fixture(scope="module")
def crawled(loopback, tmp_path_factory):
    """A crawl that was indexed."""
    site = loopback.publish(generate(31, loopback.port, 30, second=0))
    data = tmp_path_factory.mktemp("damaged") / "data"
    crawl(site.seed, data)
    said("index", "--data", data)
    return data


def empty(whole: bytes) -> bytes:
    return whole[:0]


def no_database(whole: bytes) -> bytes:
    return b"not a database" * 1000


def cut(whole: bytes) -> bytes:
    return whole[: 2 * PAGE]


def overwritten(whole: bytes) -> bytes:
    """All pages but the first, which names the tables."""
    return whole[:PAGE] + bytes([0x5A]) * (len(whole) - PAGE)


@pytest.fixture(params=[no_database, cut, overwritten, empty])
def damaged(request, crawled, tmp_path):
    data = tmp_path / "data"
    shutil.copytree(crawled, data)
    database = data / "web.db"
    database.write_bytes(request.param(database.read_bytes()))
    return data


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_says_it_in_one_sentence_with_the_way_out(damaged, command):
    data = damaged

    done = run_here(*command.split(), "--data", data)

    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith(f"gossamer: {data}/web.db is damaged (")
    assert f"`gossamer rebuild --data {data}`" in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        "stats",
        "search silk",
        "index",
        "rank",
        "crawl http://a.test/ --workers 1 --quiet",
        "crawl --workers 1 --quiet",
        "run http://a.test/ --no-serve --workers 1 --quiet",
        "index WARC",
    ],
)
def test_a_database_that_is_gone_is_no_new_collection(crawled, tmp_path, command):
    data = tmp_path / "data"
    shutil.copytree(crawled, data)
    (data / "web.db").unlink()
    before = set(data.rglob("*"))
    line = command.replace("WARC", str(warc_files(data)[0]))

    complaint = complains(*line.split(), "--data", data)

    assert f"web.db is gone; its pages are in {data}/warc/web: `gossamer rebuild" in complaint
    assert f"`gossamer rebuild --data {data}` makes a new database of them" in complaint
    assert set(data.rglob("*")) == before


def test_a_crawl_begins_anew_when_the_pages_were_moved_away(crawled, tmp_path, server):
    data, site = tmp_path / "data", server.publish(generate(32, server.port, 5, second=0))
    shutil.copytree(crawled, data)
    (data / "web.db").unlink()
    (data / "warc" / "web").rename(tmp_path / "old pages")

    crawl(site.seed, data)

    assert said("stats", "--data", data)["pages"]
