"""What do the tests in a real browser share?"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.background_server import background
from tests.fake_search import FakeSearch, Served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, ConsoleMessage, Page

CHROMIUM = "/usr/bin/chromium"
SECONDS = 30.0  # for what a page does at once or within two seconds, however busy the machine is
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's chromium. Not for the session: Playwright holds a loop that async tests need."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not Path(CHROMIUM).exists() and not shutil.which("chromium"):
        pytest.skip(f"there is no chromium at {CHROMIUM}")
    playwright.expect.set_options(timeout=1000 * SECONDS)
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def served() -> Served:
    return Served()


@pytest.fixture(scope="module")
def address(served: Served) -> Iterator[str]:
    with background(served.app()) as url:
        yield url


@pytest.fixture
def fake(served: Served) -> FakeSearch:
    fake = FakeSearch()
    served.service = fake
    return fake


@pytest.fixture
def open_page(browser: Browser, address: str, fake: FakeSearch) -> Iterator[Callable[..., Page]]:
    """Opens the page, and holds it to what must hold always: no foreign request, no violation."""
    contexts, complaints = [], []

    def open_(query: str = "", **options: object) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})  # type: ignore[arg-type]
        context.set_default_timeout(1000 * SECONDS)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("console", lambda said: complaints.extend(_complaint(said)))
        page.on("request", lambda asked: complaints.extend(_foreign(asked.url, address)))
        page.add_init_script(
            "addEventListener('securitypolicyviolation',"
            " (event) => console.error('violation: ' + event.violatedDirective))"
        )
        page.goto(address + query)
        page.wait_for_selector("html[data-view]")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []


def _complaint(said: ConsoleMessage) -> list[str]:
    """Chromium reports each refused request on its console; a refused query is no fault."""
    expected = "status of 400" in said.text or said.location["url"].endswith("/favicon.ico")
    return (
        [f"{said.type}: {said.text}"] if said.type in ("error", "warning") and not expected else []
    )


def _foreign(url: str, address: str) -> list[str]:
    return [] if url.startswith(address) else [f"a foreign request: {url}"]
