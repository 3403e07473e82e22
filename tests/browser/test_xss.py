"""Can what a crawled page or a shared link says run in the browser of who searches?

From end to end: a hostile site is crawled, parsed and indexed, and the page shows it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from gossamer import homes
from gossamer.batch.index import index_pending
from gossamer.core.page.html import parse_page
from gossamer.core.urls import normalise, url_id
from gossamer.entrypoints.api.answers import SECURITY
from gossamer.entrypoints.api.services import HomeSearch, local_search
from gossamer.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Dialog, Page

    from tests.fake_search import Served

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

PAYLOADS = [
    "<script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=2>",
    '"><svg onload=window.pwned=3>',
    "' onmouseover='window.pwned=4' x='",
    "</script><script>window.pwned=5</script>",
    "</title><body onload=window.pwned=6>",
    "javascript:window.pwned=7",
    "data:text/html,<script>window.pwned=8</script>",
    "${window.pwned=9} {{constructor.constructor('window.pwned=9')()}} `${window.pwned=9}`",
    "<iframe srcdoc='<script>parent.pwned=10</script>'>",
    "<a href='javascript:window.pwned=11'>silk</a>",
    "<math><mtext></p><img src=x onerror=window.pwned=12>",
    "\u202e<b>gnorw</b>\u2066<style>*{display:none}</style>",
    "<base href=//evil.test/><form action=//evil.test/><input autofocus onfocus=window.pwned=13>",
    "&lt;img src=x onerror=window.pwned=14&gt;",
    "%3Cimg src=x onerror=window.pwned=15%3E",
    "<link rel=stylesheet href=//evil.test/x><meta http-equiv=refresh content=0;url=//evil.test>",
    "--><img src=x onerror=window.pwned=16>",
    "\\u003cimg src=x onerror=window.pwned=17\\u003e",
]


def escaped(text: str) -> str:
    """As an honest template would write it: a page about XSS has it as text."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def page(number: int, payload: str) -> str:
    safe = escaped(payload)
    return (
        f'<html lang="{safe}"><head><title>silk {safe}</title>'
        f'<meta name="description" content="{safe}">'
        f'<meta property="article:published_time" content="{safe}">'
        f'<link rel="canonical" href="javascript:window.pwned=20">'
        f"</head><body><main><h1>{safe}</h1><p>payload{number} silk {safe} silk</p>"
        f'<a href="javascript:window.pwned=21">{safe}</a>'
        f'<a href="http://evil.test/{quote(payload)}">{safe}</a></main></body></html>'
    )


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> HomeSearch:
    """Everything that a host can choose about itself is a payload: address, words and links."""
    settings = Settings(data=str(tmp_path_factory.mktemp("hostile")))
    home = homes.open_home(settings)
    for number, payload in enumerate(PAYLOADS):
        url = normalise(f"http://h{number}.test:8{number:03}/{quote(payload)}?q={payload}&x=<b>")
        assert url is not None
        parsed = parse_page(page(number, payload).encode(), url)
        home.documents.put(url_id(url), parsed.documents, 100.0)
    index_pending(home, homes.index_writer(home))
    home.close()
    return local_search(settings)


@pytest.fixture
def shown(open_page, served: Served, collection: HomeSearch) -> Iterator[Callable[..., Page]]:
    """Opens the page over the hostile collection, and looks at the end whether anything ran.

    `open_page` has already seen to it that no policy had to step in and no other host was asked.
    """
    served.service = collection
    opened, dialogs = [], []

    def note(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    def open_(query: str = "") -> Page:
        page: Page = open_page(query)
        page.on("dialog", note)
        opened.append(page)
        return page

    yield open_
    for page in opened:
        is_harmless(page)
    assert dialogs == []


FOREIGN = "#results :is(script,img,svg,iframe,style,base,form,input,link,meta,object,embed)"
HREFS = "[...document.querySelectorAll('#results a, #pages a')].map((a) => a.getAttribute('href'))"
ATTRIBUTES = (
    "[...document.querySelectorAll('*')].flatMap((each) => [...each.attributes].map((a) => a.name))"
)


def is_harmless(page):
    """Nothing ran, nothing could, and every link leads to a web page or to this one."""
    page.wait_for_timeout(20)
    assert page.evaluate("window.pwned") is None
    assert page.locator(FOREIGN).count() == 0
    assert page.locator("script").count() == 1
    assert not [name for name in page.evaluate(ATTRIBUTES) if name.startswith("on")]
    assert all(re.match(r"https?://|\./", href) for href in page.evaluate(HREFS))


def test_what_a_page_says_is_shown_as_it_is_written(shown, address):
    view = shown()

    for number, payload in enumerate(PAYLOADS):
        view.goto(f"{address}?q=payload{number}")
        hit = view.locator(".hit")
        expect(hit).to_have_count(1)
        expect(hit.locator("h2")).to_have_text(f"silk {payload}")
        expect(hit.locator(".snippet")).to_contain_text(f"payload{number} silk {payload}")
        hit.locator("summary").click()
        expect(hit.locator(".sheet")).to_be_visible()
        hit.locator("h2").hover()
        is_harmless(view)


def test_all_of_them_together(shown):
    view = shown("?q=silk")

    expect(view.locator(".hit")).to_have_count(10)
    view.locator("#pages a[data-page='2']").first.click()
    expect(view.locator(".hit")).to_have_count(len(PAYLOADS) - 10)


def test_a_query_is_shown_as_it_is_written(shown, address):
    """By a shared link, in quotes so that nothing in it is an operator, and as typed.

    Sorted results are not filled up, so the quoted one finds nothing and the page repeats it.
    """
    view = shown()

    for payload in PAYLOADS:
        plain = payload.replace('"', " ")
        view.goto(f"{address}?q={quote(f'zzz {plain}')}")
        expect(view.locator("html")).to_have_attribute("data-view", "answer")
        quoted = f'"zzz {plain}"'
        view.goto(f"{address}?q={quote(quoted)}&sort=-date")
        expect(view.locator("#q")).to_have_value(quoted)
        expect(view.locator(".state")).to_contain_text(" ".join(plain.split()))
        expect(view).to_have_title(f"{' '.join(quoted.split())} – Gossamer")
        is_harmless(view)
        view.fill("#q", payload)
        view.press("#q", "Enter")
        expect(view.locator("#q")).to_have_value(payload.strip())
        expect(view.locator("html")).not_to_have_attribute("data-busy", "")
        is_harmless(view)


ADDRESSES = [
    "?q=silk&page=<script>window.pwned=1</script>",
    "?q[]=<img src=x onerror=window.pwned=1>",
    "?__proto__[x]=1&constructor[prototype][pwned]=1",
    "?q=silk#<img src=x onerror=window.pwned=1>",
    "?q=silk#javascript:window.pwned=1",
    "?q=%00%3Cscript%3E",
    "?q=%ff%fe<svg onload=window.pwned=1>",
    "?page=-1&q=silk",
    "?q=<b>&q=<i>",
]


def test_no_other_part_of_the_address_runs(shown, address):
    view = shown()

    for query in ADDRESSES:
        view.goto("about:blank")
        view.goto(address + query)
        view.wait_for_selector("html[data-view]")
        is_harmless(view)


@pytest.mark.parametrize("path", ["", "search?q=silk", "static/app.js", "documents/00", "nowhere"])
def test_every_answer_says_how_to_be_treated(browser, address, served, collection, path):
    served.service = collection
    context = browser.new_context()
    try:
        headers = context.request.get(address + path).headers
    finally:
        context.close()

    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-security-policy"] == SECURITY["Content-Security-Policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert not headers["content-type"].startswith("text/html") or path == ""
