"""Can a foreign page in a real browser read what this server knows?"""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from gossamer.entrypoints.api.access import access_of
from tests.background_server import background
from tests.browser.conftest import SECONDS

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

READ = """async (address) => {
  try {
    const response = await fetch(address + "search?q=silk");
    return (await response.json()).total;
  } catch (error) {
    return error.name;
  }
}"""


class Elsewhere(BaseHTTPRequestHandler):
    """A page of a stranger, with no policy of its own."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<h1>hello</h1>")

    def log_message(self, *_args):
        """Say nothing."""


@pytest.fixture
def foreign(browser):
    """A page of another origin."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        context = browser.new_context()
        context.set_default_timeout(1000 * SECONDS)
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        yield page
        context.close()
        server.shutdown()


def test_a_foreign_page_cannot_read_the_index(foreign, address, fake):
    assert foreign.evaluate(READ, address) == "TypeError"


def test_a_page_of_an_allowed_origin_can(foreign, served, fake):
    allowed = access_of([], [foreign.evaluate("location.origin")])

    with background(served.app(), access=allowed) as address:
        assert foreign.evaluate(READ, address) == 4
