"""The first hour of a person with their own site, from an empty folder to a box on their pages."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.crawls import (
    GOSSAMER,
    PATIENCE,
    await_that,
    environment,
    exported,
    hold_after,
    run,
)
from tests.e2e.test_cli import without_privilege
from tests.e2e.test_demo import free_port
from tests.sites.generated import generate

if TYPE_CHECKING:
    from collections.abc import Iterator

CHROMIUM = "/usr/bin/chromium"
EARLY = 30  # requests, after which the site keeps the crawl waiting
QUERIES = ("silk", "silk thread", '"silk thread"', "thr*", "site:localhost silk")


@contextlib.contextmanager
def background(*command: object) -> Iterator[subprocess.Popen[str]]:
    """A command that goes on; it and all that it started are killed at the end."""
    with subprocess.Popen(
        [*map(str, command)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=environment(),
    ) as program:
        try:
            yield program
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGKILL)


def running(seed: str, data: Path, port: int) -> contextlib.AbstractContextManager[Any]:
    """`gossamer run`, as it is typed but for what a test on loopback needs."""
    polite = ("--delay", "0", "--allow-private", "--retry-wait", "0.05", "--quiet")
    return background(GOSSAMER, "run", seed, "--data", data, "--port", port, *polite)


def asked(address: str) -> Any:
    """The answer of a server, which may not be there yet."""
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
            body = answer.read()
            return json.loads(body) if "json" in answer.headers["Content-Type"] else body.decode()
    except OSError:
        return None


def hits(address: str, query: str = "silk") -> list[dict[str, Any]]:
    found = asked(f"{address}search?q={query}")
    return found["hits"] if found else []


def answers(data: Path) -> list[Any]:
    """What is found, and how well it fits; of pages that fit alike any may be first."""
    found = (
        json.loads(run("search", "--data", data, "--json", "--limit", 1000, "--", query).stdout)
        for query in QUERIES
    )
    return [sorted((hit["score"], hit["title"]) for hit in answer["hits"]) for answer in found]


def documents(data: Path) -> list[str]:
    return sorted(row["url"] for row in exported(data, "documents"))


async def first_by_mcp(data: Path) -> str:
    """What a language model finds first, over stdin and stdout."""
    mcp = pytest.importorskip("mcp", reason="the client library mcp is not installed")
    server = mcp.StdioServerParameters(command=GOSSAMER, args=["mcp", "--data", str(data)])
    async with asyncio.timeout(PATIENCE), mcp.Client(server, mode="auto") as client:
        found = await client.call_tool("search", {"query": "silk"})
        return str(found.structured_content["results"][0]["title"])


class OwnPage(BaseHTTPRequestHandler):
    """A page of the person's own, with the search box on it."""

    address = ""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        script = f'<script src="{self.address}static/widget.js" defer></script>'
        self.wfile.write(f"<!doctype html>{script}<gossamer-search></gossamer-search>".encode())

    def log_message(self, *_args: object) -> None:
        """Say nothing."""


def found_by_the_box(data: Path) -> str:
    """What the search box on a page of another origin finds first."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"all but the search box was tried: there is no chromium at {CHROMIUM}")
    port = free_port()
    with (
        ThreadingHTTPServer(("127.0.0.1", 0), OwnPage) as page,
        served(data, port, "--allow-origin", f"http://127.0.0.1:{page.server_port}") as address,
        playwright.sync_playwright() as started,
    ):
        OwnPage.address = address
        Thread(target=page.serve_forever, daemon=True).start()
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        shown = browser.new_page()
        shown.set_default_timeout(1000 * PATIENCE)
        shown.goto(f"http://127.0.0.1:{page.server_port}/")
        shown.wait_for_function("() => customElements.get('gossamer-search') !== undefined")
        shown.keyboard.press("Control+k")
        shown.keyboard.type("silk")
        first = str(shown.get_by_role("option").first.inner_text())
        browser.close()
        page.shutdown()
        return first


@contextlib.contextmanager
def served(data: Path, port: int, *flags: object, by: tuple[str, ...] = ()) -> Iterator[str]:
    """`gossamer serve`, perhaps by a user who may write nothing; the address."""
    address = f"http://127.0.0.1:{port}/"
    with background(*by, GOSSAMER, "serve", "--data", data, "--port", port, *flags):
        await_that(lambda: asked(f"{address}health") is not None, "it is served")
        yield address


@pytest.mark.long
def test_the_first_hour(server, tmp_path):
    site = server.publish(generate(3, server.port, 60, second=0))
    data, port = tmp_path / "data", free_port()
    address = f"http://127.0.0.1:{port}/"

    # An empty folder, one command, and the first hit while pages are still on their way.
    with running(site.seed, data, port) as process:
        hold_after(server, EARLY, process)
        await_that(lambda: bool(hits(address)), "a page is found while the crawl runs")
        assert asked(f"{address}stats")["crawl_state"] == "running"
    early = documents(data)

    # It was killed. The same command goes on, and what was there can be found from the beginning.
    server.release()
    with running(site.seed, data, port) as process:
        await_that(lambda: bool(hits(address)), "what was found before is found at once")
        await_that(
            lambda: (asked(f"{address}stats") or {}).get("crawl_state") == "finished", "it ends"
        )
        await_that(lambda: len(documents(data)) > len(early), "there is more than before")
        best = hits(address)[0]
        assert "silk" in asked(f"{address}documents/{best['id']}/cached")
        assert asked(f"{address}documents/{best['id']}.md").startswith("# ")
    assert run("index", "--data", data).returncode == 0  # the rest, if it was killed just then
    assert run("rank", "--data", data).returncode == 0

    # The database is lost, and made anew from what is on disk.
    kept, told = documents(data), answers(data)
    (data / "web.db").write_bytes(b"no database " * 1000)
    assert "gossamer rebuild" in run("search", "silk", "--data", data).stderr
    assert run("rebuild", "--data", data).returncode == 0
    assert documents(data) == kept
    assert answers(data) == told
    first = json.loads(run("search", "silk", "--data", data, "--json").stdout)["hits"][0]["title"]

    # It is published from a folder that the server may not write, and read by a language model.
    places = [data, *(path for path in data.rglob("*") if path.is_dir())]
    for path in places:
        path.chmod(0o555)
    try:
        with served(data, free_port(), by=tuple(without_privilege())) as public:
            assert hits(public)[0]["title"] == first
    finally:
        for path in places:
            path.chmod(0o755)
    assert asyncio.run(first_by_mcp(data)) == first

    # And it is asked from the person's own pages.
    assert first in found_by_the_box(data)
