"""Does the wheel work in an empty venv, with what its description asks for? `make test-dist`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import urllib.request
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from gossamer import __version__
from scripts.dist import build_wheel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    "GOSSAMER_DIST" not in os.environ, reason="installs from a package index: make test-dist"
)
SECONDS = 300.0  # for an answer that takes milliseconds, however busy the machine is
LINKS_PER_PAGE = 5000
MIN_DEFINITIONS_BYTES = 2_000_000
SMALL = "xxhash"  # a package that the wheel needs anyway


def environment() -> dict[str, str]:
    """The person's own, without what leads to this repository."""
    ours = ("GOSSAMER_", "PYTHON", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def run(*command: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    line = [str(part) for part in command]
    return subprocess.run(line, capture_output=True, text=True, cwd=cwd, env=environment())


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, as `pip install` leaves it in an empty venv."""
    folder = tmp_path_factory.mktemp("installed")
    wheel, python = build_wheel(folder), folder / "venv" / "bin" / "python"
    assert run(sys.executable, "-m", "venv", folder / "venv", cwd=folder).returncode == 0
    done = run(python, "-m", "pip", "install", "--quiet", wheel, cwd=folder)
    if done.returncode:
        probe = run(python, "-m", "pip", "download", "--no-deps", "-d", folder, SMALL, cwd=folder)
        if probe.returncode:
            pytest.skip("no package index can be reached, so nothing was installed or checked")
    assert done.returncode == 0, done.stderr
    return python.with_name("gossamer")


@pytest.fixture(scope="module")
def demo(installed: Path) -> Path:
    """The data of `gossamer demo`."""
    folder = installed.parents[2]
    done = run(installed, "demo", "--no-serve", "--site-port", 0, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "data" / "demo"


def test_it_says_its_version(installed, tmp_path):
    assert run(installed, "--version", cwd=tmp_path).stdout == f"gossamer {__version__}\n"


def test_the_demo_was_crawled_and_is_found(installed, demo, tmp_path):
    found = run(installed, "search", "silk", "--data", demo, "--json", cwd=tmp_path)

    assert json.loads(found.stdout)["hits"]


def test_the_page_is_served_with_its_files(installed, demo):
    command = [installed, "serve", "--port", "0", "--data", demo]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment()) as server:
        try:
            assert server.stderr
            address = server.stderr.readline().split()[2]
            for path in ("", "static/app.js", "search?q=silk"):
                with urllib.request.urlopen(f"{address}{path}", timeout=SECONDS) as answer:
                    assert answer.status == 200
        finally:
            server.terminate()


def test_a_stack_says_what_to_install(installed, tmp_path):
    done = run(installed, "--stack", "any", "stats", cwd=tmp_path)

    assert done.returncode == 2
    assert "pip install 'gossamer[aws]'" in done.stderr


def index_of_terms(targets: list[str]) -> str:
    """Return a page with the shape of a book's index: links in definition lists."""
    entries = (
        f"<dt>term {number}, <a href='{targets[number % len(targets)]}#{number}'>section</a></dt>"
        for number in range(LINKS_PER_PAGE)
    )
    return f"<div class='index'><dl>{''.join(entries)}</dl></div>"


def definition_lists() -> str:
    """Return two megabytes of nested definition lists."""
    entry = "<dt>term {0}</dt><dd><p>What term {0} means.</p><dl><dt>{0}</dt><dd>a</dd></dl></dd>"
    count = MIN_DEFINITIONS_BYTES // len(entry)
    return f"<dl>{''.join(entry.format(number) for number in range(count))}</dl>"


@pytest.fixture
def reference_site(tmp_path: Path) -> Iterator[tuple[str, list[str]]]:
    """A site of large generated pages, each with a word that no other page has."""
    folder = tmp_path / "site"
    folder.mkdir()
    names = ["index.html", "terms.html", "definitions.html", "last.html"]
    bodies = [index_of_terms(names), index_of_terms(names), definition_lists(), "<p>The end.</p>"]
    words = ["zephyrine", "quaxolotl", "brindlewick", "ostrafane"]
    for name, word, body in zip(names, words, bodies, strict=True):
        html = f"<!doctype html><html lang=en><title>{word}</title><body><h1>{word}</h1>{body}"
        (folder / name).write_text(html)
    handler = partial(SilentHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/", words
        server.shutdown()


class SilentHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        """Log nothing."""


def test_no_large_page_is_lost_with_the_newest_dependencies(installed, reference_site, tmp_path):
    seed, words = reference_site
    polite = ("--delay", "0", "--allow-private", "--data", tmp_path / "data", "--json", "--quiet")
    crawl = run(installed, "crawl", seed, *polite, cwd=tmp_path)
    assert crawl.returncode == 0, crawl.stderr

    lost_words = []
    for word in words:
        answer = run(installed, "search", word, "--data", tmp_path / "data", "--json", cwd=tmp_path)
        if not json.loads(answer.stdout)["hits"]:
            lost_words.append(word)

    assert lost_words == [], crawl.stdout
