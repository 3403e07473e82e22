"""Does the command keep its promises, and say in one line what is wrong?"""

from __future__ import annotations

import contextlib
import csv
import fcntl
import io
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import termios
from typing import TYPE_CHECKING

import pytest

from gossamer import homes
from gossamer.settings import Settings
from tests.commands import run_here
from tests.e2e.crawls import (
    GOSSAMER,
    PATIENCE,
    crawl,
    crawl_flags,
    crawling,
    environment,
    expected,
    found,
    hold_after,
    run,
    warc_files,
)
from tests.sites.generated import generate

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sites.generated import Site

REPORT_KEYS = {
    "state",
    "seconds",
    "requests",
    "pages",
    "duplicates",
    "by_state",
    "by_reason",
    "status_codes",
    "bytes",
    "hosts",
    "queues",
}
AUDIT_KEYS = {"hosts", "requests", "violations", "min_gap_over_delay"}
COMMANDS = ("crawl", "stats", "explain-url", "export", "audit", "pause", "resume", "stop")
COLUMNS = {
    "urls": {"url", "state", "reason", "depth", "code", "fetched_at"},
    "documents": {"url", "title", "text", "language"},
    "edges": {"source", "target", "anchor", "nofollow"},
}


@pytest.fixture(scope="module")
def crawled(loopback, tmp_path_factory):
    """A small finished crawl: its site and its data folder."""
    site = loopback.publish(generate(21, loopback.port, 10, second=0))
    data = tmp_path_factory.mktemp("cli") / "data"
    crawl(site.seed, data)
    return site, data


def contents(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Everything in a folder but SQLite's scratch files, to see that nothing has changed."""
    return {
        str(path): (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("-shm", "-wal"))
    }


def complaint(done: subprocess.CompletedProcess[str]) -> str:
    """The one line that a failed command has to say."""
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("gossamer: ")
    return done.stderr


def test_a_seed_that_is_no_url_is_named_and_nothing_is_made(tmp_path):
    done = run("crawl", "not a url", "--data", tmp_path / "data")

    assert done.returncode == 2
    assert "'not a url'" in complaint(done)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "seed", ["http://", "ftp://example.org/", "/etc/passwd", "http://exa mple.org/", "{}"]
)
def test_what_only_looks_like_a_url_is_no_seed(tmp_path, seed):
    done = run_here("crawl", seed, "--data", tmp_path / "data")

    assert done.returncode == 2
    assert repr(seed) in complaint(done)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("max_page = 5", "max_pages"),
        ("[scope]\nhost = ['a.test']", "scope.host"),
        ("max_pages = 'many'", "max_pages"),
        ("delay = -1", "delay"),
        ("seeds = [", "not TOML"),
        ("exclude = ['(']", "'('"),
    ],
)
def test_a_mistake_in_a_job_file_is_named_with_its_place(tmp_path, text, said):
    job = tmp_path / "job.toml"
    job.write_text(text)

    done = run_here("crawl", "http://a.test/", "--config", job, "--data", tmp_path / "data")

    line = complaint(done)
    assert done.returncode == 2
    assert str(job) in line
    assert said in line
    assert list(tmp_path.iterdir()) == [job]


def test_several_mistakes_in_a_job_file_get_a_line_each(tmp_path):
    job = tmp_path / "job.toml"
    job.write_text("max_page = 5\ndelai = 1\n")

    done = run_here("crawl", "http://a.test/", "--config", job, "--data", tmp_path / "data")

    assert (done.returncode, done.stderr.count("\n")) == (2, 2)


def test_a_job_file_that_cannot_be_read_is_named(tmp_path):
    done = run_here("crawl", "--config", tmp_path / "none.toml", "--data", tmp_path / "data")

    assert done.returncode == 2
    assert "none.toml" in complaint(done)


def test_nothing_to_crawl_is_said(tmp_path):
    done = run_here("crawl", "--data", tmp_path / "data")

    assert done.returncode == 2
    assert "nothing to crawl" in complaint(done)


@pytest.mark.parametrize("command", ["crawl http://a.test/", "stats"])
def test_a_file_in_place_of_the_data_folder_is_left_as_it_is(tmp_path, command):
    (tmp_path / "data").write_text("mine")

    done = run(*command.split(), "--data", tmp_path / "data")

    assert done.returncode == 2
    assert str(tmp_path / "data") in complaint(done)
    assert (tmp_path / "data").read_text() == "mine"


def test_a_database_that_is_none_is_left_as_it_is(tmp_path):
    (tmp_path / "web.db").write_bytes(b"not a database" * 100)
    before = contents(tmp_path)

    done = run("crawl", "http://a.test/", "--data", tmp_path)

    assert done.returncode == 2
    assert "web.db" in complaint(done)
    assert contents(tmp_path).keys() == before.keys()
    assert (tmp_path / "web.db").read_bytes() == b"not a database" * 100


@pytest.mark.parametrize("command", ["crawl http://a.test/", "audit", "stats", "search silk"])
def test_a_folder_we_may_not_enter_is_named(tmp_path, command):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    try:
        done = subprocess.run(
            [*without_privilege(), GOSSAMER, *command.split(), "--data", str(closed / "data")],
            capture_output=True,
            text=True,
            env=environment(),
        )
    finally:
        closed.chmod(0o700)

    assert done.returncode == 2
    assert str(closed) in complaint(done)
    assert list(closed.iterdir()) == []


def without_privilege() -> list[str]:
    """To root every door is open, unless root gives up the key."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root may enter every folder")
    key = "-dac_override,-dac_read_search"
    return ["setpriv", f"--bounding-set={key}", f"--inh-caps={key}"]


@pytest.mark.parametrize(
    "command",
    [
        *("stats", "export", "audit", "explain-url http://a.test/", "stop", "search a", "serve"),
        *("rank", "compact", "index", "reindex", "recrawl", "recrawl --dry-run", "inspect"),
        "index no-such.warc.gz",
    ],
)
def test_without_a_crawl_there_is_nothing_to_show_and_nothing_is_made(tmp_path, command):
    done = run_here(*command.split(), "--data", tmp_path / "data")

    assert done.returncode == 2
    assert str(tmp_path / "data") in complaint(done) or "no-such.warc.gz" in complaint(done)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["stats", "search a", "rank", "compact", "index", "serve"])
def test_a_folder_with_other_collections_says_which(tmp_path, command):
    for name in ("b", "a"):
        homes.open_home(Settings(data=str(tmp_path), collection=name)).close()
    before = set(tmp_path.iterdir())

    done = run_here(*command.split(), "--data", tmp_path)

    assert done.returncode == 2
    assert complaint(done) == (
        f"gossamer: no collection 'web' in {tmp_path}; choose with --collection: a, b\n"
    )
    assert set(tmp_path.iterdir()) == before


def test_a_second_crawl_in_the_same_folder_is_refused_and_disturbs_nothing(server, data):
    site = server.publish(generate(22, server.port, 10, second=0))
    with crawling(site.seed, data, "--concurrency", 2) as first:
        hold_after(server, 10, first)
        done = run("crawl", site.seed, "--data", data)
        assert first.poll() is None
        assert done.returncode == 2
        assert f"pid {first.pid}" in complaint(done)
        server.release()
        assert first.wait(timeout=PATIENCE) == 0

    assert found(data, site) == expected(site.walk(), site)
    assert len(server.asked()) == len(set(server.asked()))


def test_an_unknown_url_is_answered_and_counts_as_not_found(crawled):
    site, data = crawled
    before = contents(data)

    done = run("explain-url", f"{site.origin}/never-linked", "--data", data)

    assert (done.returncode, done.stderr) == (1, "")
    assert "unknown: no page that was read links to it" in done.stdout
    assert contents(data) == before


def test_an_unknown_job_is_named_with_those_there_are(crawled):
    done = run("stats", "--job", "nightly", "--data", crawled[1])

    assert done.returncode == 2
    assert complaint(done) == "gossamer: there is no job 'nightly'; jobs here: crawl\n"


def test_an_unknown_setting_in_the_environment_is_named(tmp_path):
    done = subprocess.run(
        [GOSSAMER, "stats", "--data", str(tmp_path)],
        capture_output=True,
        text=True,
        env=environment() | {"GOSSAMER_COLOUR": "blue"},
    )

    assert done.returncode == 2
    assert "GOSSAMER_COLOUR" in complaint(done)


def test_crawl_and_stats_print_one_object_with_the_promised_keys(crawled):
    site, data = crawled

    again = json.loads(run(*crawl_flags(site.seed, data)).stdout)
    stats = json.loads(run("stats", "--data", data, "--json").stdout)

    assert again.keys() >= REPORT_KEYS
    assert stats.keys() >= REPORT_KEYS
    assert (again["state"], again["pages"]) == ("finished", len(site.walk().pages))
    assert {k: stats[k] for k in REPORT_KEYS} == {k: again[k] for k in REPORT_KEYS}


def test_audit_prints_the_promised_keys(crawled):
    done = run("audit", "--data", crawled[1], "--json")

    certificate = json.loads(done.stdout)
    assert done.returncode == 0
    assert certificate.keys() >= AUDIT_KEYS
    assert (certificate["violations"], certificate["hosts"]) == (0, 1)


def test_audit_exits_with_1_if_two_requests_are_too_close(crawled, tmp_path):
    """The same requests, if they had been made under a delay of 10 s."""
    from warcio.archiveiterator import ArchiveIterator
    from warcio.warcwriter import WARCWriter

    forged = tmp_path / "forged.warc.gz"
    (original, *_) = warc_files(crawled[1])
    with original.open("rb") as source, forged.open("wb") as target:
        writer = WARCWriter(target)
        for record in ArchiveIterator(source):
            if record.rec_type == "metadata":
                block = (
                    record.content_stream().read().replace(b"delay: 0.000000", b"delay: 10.00000")
                )
                record.raw_stream = io.BytesIO(block)
            writer.write_record(record)

    done = run("audit", forged, "--json")

    certificate = json.loads(done.stdout)
    assert done.returncode == 1
    assert certificate["violations"] == certificate["requests"] - 1
    assert certificate["min_gap_over_delay"] < 1


def test_no_line_of_the_progress_wraps_on_a_narrow_terminal(server, data):
    site = server.publish(generate(23, server.port, 10, second=0))
    flags = ("--data", str(data), "--delay", "0", "--allow-private")

    drawn = on_terminal(40, "crawl", site.seed, *flags)

    lines = re.sub(r"\x1b\[\d*[A-Z]", "", drawn).split("\r\n")
    assert any(line.startswith("Crawling: ") for line in lines)
    assert max(map(len, lines)) < 40


def on_terminal(columns: int, *arguments: str) -> str:
    """What a command shows on the standard error of a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    shown = b""
    with subprocess.Popen(
        [GOSSAMER, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env=environment() | {"TERM": "xterm"},
    ):
        os.close(theirs)
        with contextlib.suppress(OSError):  # the command has ended
            while more := os.read(ours, 65536):
                shown += more
    os.close(ours)
    return shown.decode()


def test_progress_in_a_pipe_is_plain_lines(server, data):
    site = server.publish(generate(23, server.port, 10, second=0))

    done = run("crawl", site.seed, "--data", data, "--delay", 0, "--allow-private")

    lines = done.stderr.splitlines()
    assert done.returncode == 0
    assert lines
    assert all(line.startswith("Crawling: ") for line in lines)
    assert not {"\x1b", "\r"} & {*done.stderr, *done.stdout}
    assert done.stdout.startswith("Finished after ")


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_every_command_explains_itself(command):
    done = run_here(*command.split(), "--help")

    assert (done.returncode, done.stderr) == (0, "")
    assert "usage: gossamer" in done.stdout
    assert "--data" in done.stdout or not command


@pytest.mark.parametrize("what", COLUMNS)
def test_csv_and_json_lines_export_the_same_rows(crawled, what):
    data = crawled[1]

    lines = run("export", "--what", what, "--format", "jsonl", "--data", data).stdout.splitlines()
    table = run("export", "--what", what, "--format", "csv", "--data", data).stdout

    objects = [json.loads(line) for line in lines]
    rows = list(csv.DictReader(io.StringIO(table)))
    key = "source" if what == "edges" else "url"
    assert objects
    assert all(found.keys() >= COLUMNS[what] for found in (*objects, *rows))
    assert [row[key] for row in rows] == [found[key] for found in objects]


def test_an_export_goes_to_the_file_that_is_named(crawled, tmp_path):
    out = tmp_path / "urls.csv"

    done = run("export", "--data", crawled[1], "--output", out)

    assert (done.returncode, done.stdout) == (0, "")
    sitemaps = 2
    assert len(out.read_text().splitlines()) == 1 + len(_walk(crawled[0])) + sitemaps


def _walk(site: Site) -> dict[str, object]:
    return dict(site.walk().fates)


def test_an_export_into_a_closed_pipe_is_no_failure(crawled):
    command = f"{GOSSAMER} export --what edges --data {crawled[1]} | head -1"

    done = subprocess.run(
        ["/bin/sh", "-c", command], capture_output=True, text=True, env=environment()
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("source,target")
