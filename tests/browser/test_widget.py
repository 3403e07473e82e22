"""Does the search box work on a page of another origin, and say what to do where it may not?"""

from __future__ import annotations

from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from gossamer.entrypoints.api.access import access_of
from tests.background_server import background
from tests.browser.conftest import SECONDS
from tests.fake_search import HOSTILE, THREADS

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


class Site(BaseHTTPRequestHandler):
    """A page of another site, with the search box and the strictest policy it can be used under."""

    html, policy = "", ""

    def do_GET(self):
        self.send_response(200 if self.path == "/" else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Security-Policy", self.policy)
        self.end_headers()
        self.wfile.write(self.html.encode() if self.path == "/" else b"")

    def log_message(self, *_args):
        """Say nothing."""


class Embedding:
    """A browser's page of one origin with the search box of another."""

    def __init__(self, page, server, origin):
        self.page, self.server, self.origin = page, server, origin
        self.box = page.get_by_role("combobox")
        self.options = page.get_by_role("option")
        self.status = page.get_by_role("status")
        self.errors: list[str] = []
        self.asked: list[str] = []
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda asked: self.asked.append(asked.url))

    def _heard(self, said):
        if said.type == "error":
            self.errors.append(said.text)

    def type(self, text):
        self.page.keyboard.press("Control+k")
        self.page.keyboard.type(text)

    def selected(self):
        return self.page.locator("[role=option][aria-selected=true]")


@pytest.fixture
def embed(browser, served, fake):
    """Opens a page with the search box; `allowed` says whether the server knows its origin."""
    with ExitStack() as opened:

        def open_(attributes="", allowed=True, **options):
            site = opened.enter_context(ThreadingHTTPServer(("127.0.0.1", 0), Site))
            Thread(target=site.serve_forever, daemon=True).start()
            opened.callback(site.shutdown)
            origin = f"http://127.0.0.1:{site.server_port}"
            access = access_of([], [origin] if allowed else [])
            server = opened.enter_context(background(served.app(), access=access))
            Site.policy = (
                f"default-src 'none'; script-src {server}; connect-src {server};"
                " require-trusted-types-for 'script'; trusted-types 'none'"
            )
            Site.html = (
                '<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">'
                f'<title>My page</title><script src="{server}static/widget.js" defer></script>'
                f"<h1>My page</h1><gossamer-search {attributes}></gossamer-search>"
                '<p><a href="#x">a link</a></p>'
            )
            context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
            opened.callback(context.close)
            context.set_default_timeout(1000 * SECONDS)
            context.route("https://*.test/**", lambda route: route.fulfill(body="<h1>there</h1>"))
            embedding = Embedding(context.new_page(), server, origin)
            embedding.page.goto(origin)
            return embedding

        yield open_


def test_typing_finds_arrows_choose_and_enter_opens(embed):
    site = embed()
    first, second = THREADS[0], THREADS[1]

    site.type("silk")

    expect(site.options).to_have_count(4)
    expect(site.status).to_have_text("Results: 4")
    expect(site.options.first).to_contain_text("Silk moth")
    expect(site.options.first.locator("mark").first).to_have_text("silk")
    expect(site.box).to_have_attribute("aria-expanded", "true")
    expect(site.box).to_have_attribute("aria-activedescendant", "hit-0")
    site.page.keyboard.press("ArrowDown")
    expect(site.selected()).to_contain_text(first.title)
    site.page.keyboard.press("ArrowUp")
    site.page.keyboard.press("ArrowUp")
    expect(site.box).to_have_attribute("aria-activedescendant", "hit-3")
    site.page.keyboard.press("ArrowDown")
    expect(site.box).to_be_focused()
    site.page.keyboard.press("Enter")
    site.page.wait_for_url(second.url)
    assert site.errors == []
    ours = (site.origin, site.server)
    assert [url for url in site.asked if not url.startswith(ours)] == [second.url]


def test_the_box_opens_by_a_key_keeps_the_focus_and_gives_it_back(embed):
    site = embed('limit="2"')
    page = site.page
    page.get_by_role("link", name="a link").focus()

    site.type("thread")
    expect(site.options).to_have_count(2)
    stops = []
    for _ in range(4):
        page.keyboard.press("Tab")
        stops.append(page.evaluate("document.activeElement.localName"))
    expect(page.get_by_role("button", name="Close")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(site.box).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("link", name="All results")).to_be_focused()
    page.keyboard.press("Escape")

    assert stops == ["gossamer-search"] * 4
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.get_by_role("link", name="a link")).to_be_focused()
    assert site.errors == []


def test_the_beginning_of_a_word_is_asked_with_a_star(embed, fake):
    site = embed()

    site.type("xylo")

    expect(site.status).to_have_text("Nothing found: xylo")
    expect(site.box).to_have_attribute("aria-expanded", "false")
    assert fake.asked[-2:] == ["xylo", "xylo*"]


def test_attributes_say_where_and_how_to_search(embed, fake):
    site = embed('placeholder="Handbuch" lang="de" filter="site:silk.test" hotkey="j"')

    site.page.keyboard.press("Control+j")
    site.page.keyboard.type("silk")

    expect(site.status).to_have_text("Treffer: 3")
    expect(site.box).to_have_attribute("placeholder", "Handbuch")
    assert fake.asked[-1] == "silk"
    assert fake.filters[-1] == ("site:silk.test",)


@pytest.mark.parametrize(
    ("styles", "is_dark"),
    [
        ("", False),
        ("body { background: #101418 }", True),
        ("body { background: #fff } :root { color-scheme: dark }", False),
        (":root { color-scheme: dark }", True),
        (":root { color-scheme: light }", False),
    ],
)
def test_the_box_is_as_dark_as_the_page(embed, styles, is_dark):
    site = embed()
    site.page.emulate_media(color_scheme="dark")
    site.page.evaluate(
        "text => { const sheet = new CSSStyleSheet(); sheet.replaceSync(text);"
        " document.adoptedStyleSheets = [sheet]; document.body.className = 'x' }",
        styles,
    )

    scheme = "getComputedStyle(document.querySelector('gossamer-search')).colorScheme"
    site.page.wait_for_function(f"want => {scheme} === want", arg="dark" if is_dark else "light")


def test_a_refused_page_says_what_its_owner_has_to_do(embed):
    site = embed(allowed=False)

    site.type("silk")

    todo = f"gossamer serve --allow-origin {site.origin}"
    expect(site.status).to_contain_text(todo)
    expect(site.status).to_contain_text(f"Pages of {site.origin} may not search here yet")
    expect(site.options).to_have_count(0)
    assert [text for text in site.errors if todo in text and "GOSSAMER_ALLOW_ORIGIN" in text]


def test_a_server_that_is_not_there_is_named(embed):
    site = embed('server="http://127.0.0.1:9"')

    site.type("silk")

    expect(site.status).to_have_text("No answer from http://127.0.0.1:9/")


def test_what_pages_say_is_text_and_only_the_web_is_linked(embed, fake):
    fake.pages = [HOSTILE, *THREADS]
    site = embed()

    site.type("silk")

    expect(site.options).to_have_count(5)
    hostile = site.options.filter(has_text="<script>window.hacked")
    expect(hostile).to_have_count(1)
    assert hostile.get_attribute("href") is None
    assert site.page.locator("gossamer-search :is(img, script, svg, style)").count() == 0
    assert site.page.evaluate("window.hacked") is None


def test_on_a_phone_it_fills_the_screen(embed):
    site = embed(**PHONE)

    site.page.get_by_role("button", name="Search").tap()
    site.page.keyboard.type("silk")

    expect(site.options).to_have_count(4)
    box = site.page.get_by_role("dialog").bounding_box()
    assert (box["x"], box["y"], box["width"], box["height"]) == (0, 0, 390, 844)
    assert site.page.evaluate("document.documentElement.scrollWidth") <= 390
    site.page.get_by_role("button", name="Close").tap()
    expect(site.page.get_by_role("dialog")).to_be_hidden()
