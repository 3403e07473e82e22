"""Are pages found whose server sets a cookie with a redirect and gives them only with it?"""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from gossamer.core.crawl.url_state import State
from tests.commands import said
from tests.e2e.crawls import audited, check_warc, crawl, exported, warc_files
from tests.pump import robots
from tests.stack_world import StackWorld
from tests.unit.bolts.fetch.test_redirects import CHECK, ROOT, sent, walls
from tests.unit.entrypoints.moto_stack import aws, deploy, home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOME = b"<title>Spiders</title><p>All our spiders.<a href=/orb>orb</a> <a href=/wolf>wolf</a>"
PAGES = {"/orb": b"<title>Orb</title><p>It weaves.", "/wolf": b"<title>Wolf</title><p>It hunts."}


class Wall(BaseHTTPRequestHandler):
    """A shop: /orb sets its cookie itself, /wolf sends its visitors to /check for it."""

    def do_GET(self) -> None:
        path, _, back = self.path.partition("?back=")
        if path == "/check":
            self.answer(302, Location=back, Set_Cookie="seen=yes; Path=/")
        elif path in ("/", "/robots.txt"):
            self.answer(200 if path == "/" else 404, HOME)
        elif "seen=yes" in self.headers.get("Cookie", ""):
            self.answer(200, PAGES[path])
        elif path == "/orb":
            self.answer(302, Location=path, Set_Cookie="seen=yes; Path=/; Max-Age=60")
        else:
            self.answer(302, Location=f"/check?back={path}")

    def answer(self, code: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(code)
        for name, value in {"Content-Type": "text/html", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Wall)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def cookies_sent(data: Path) -> list[tuple[str, str]]:
    """What was asked for with a cookie, as the request records of the WARC files have it."""
    found = []
    for path in warc_files(data):
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                headers = record.http_headers
                if record.rec_type == "request" and headers and headers.get_header("Cookie"):
                    uri = record.rec_headers.get_header("WARC-Target-URI")
                    found.append((uri, headers.get_header("Cookie")))
    return sorted(found)


def ends(data: Path) -> dict[str, tuple[str, str]]:
    return {url["url"]: (url["state"], url["reason"]) for url in exported(data, "urls")}


@pytest.fixture(scope="module")
def crawled(site, tmp_path_factory) -> Path:
    data: Path = tmp_path_factory.mktemp("walls") / "data"
    crawl(site, data, index=True)
    return data


def test_the_pages_behind_a_wall_are_found(crawled, site):
    check = f"{site}/check?back=/wolf"

    assert ends(crawled) == {
        f"{site}/": ("parsed", "document"),
        f"{site}/orb": ("parsed", "document"),
        f"{site}/wolf": ("parsed", "document"),
        check: ("redirected", "redirect"),
    }
    for word, path in (("weaves", "/orb"), ("hunts", "/wolf")):
        hits = said("search", word, "--data", crawled, "--json")["hits"]
        assert [hit["url"] for hit in hits] == [site + path]


def test_a_cookie_was_sent_within_its_chain_only_and_stands_in_the_files(crawled, site):
    assert cookies_sent(crawled) == [(f"{site}/orb", "seen=yes"), (f"{site}/wolf", "seen=yes")]
    assert audited(crawled).violations == 0
    assert check_warc(crawled) > 0


def test_a_database_made_again_from_the_files_says_the_same(crawled):
    before = ends(crawled)

    said("rebuild", "--force", "--data", crawled)

    assert ends(crawled) == before


@pytest.mark.parametrize("kind", range(3))
async def test_a_stack_reads_what_is_behind_a_wall(tmp_path, kind):
    with aws():
        deploy()
        opened = home()
        site: dict[str, Any] = {f"{ROOT}robots.txt": robots(""), **walls(kind)}
        stack = StackWorld(opened, tmp_path, site, seeds=[ROOT])
        await stack.crawl()

        assert stack.world.end_of(ROOT) == (State.PARSED, "document")
        assert stack.found("welcome") == ["welcome"]
        assert [url for url, cookies in sent(stack.world) if cookies] == [
            ROOT if kind != 1 else CHECK,
            *([ROOT] if kind == 1 else []),
        ]
        opened.close()
