"""Does a stored copy in a real browser run nothing and load nothing?"""

from __future__ import annotations

import pytest

from tests.browser.conftest import SECONDS
from tests.fake_search import fake_id

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

SPITEFUL = b"""<title>Copy</title><script>document.title = "pwned"</script>
<meta http-equiv="refresh" content="0;url=https://evil.test/">
<link rel=stylesheet href=https://evil.test/a.css><img src=https://evil.test/b.png alt="An orb">
<body onload="document.title = 'pwned'"><h1>Silk moth</h1>
<svg onload="document.title = 'pwned'"></svg><a href="javascript:document.title='pwned'">x</a>
<iframe src=https://evil.test/c></iframe><p style="background:url(https://evil.test/d)">text</p>"""


def test_a_result_leads_to_its_stored_copy(open_page):
    page = open_page("?q=silk+moth")

    page.locator(".hit .copy").first.click()

    expect(page.locator(".gossamer-copy")).to_contain_text("Stored copy of https://silk.test/")
    expect(page.locator(".gossamer-copy")).to_contain_text("2026-08-21")
    expect(page.locator("h1")).to_have_text("Silk moth")


def test_nothing_runs_and_nothing_is_loaded(browser, address, fake):
    fake.copied = SPITEFUL
    context = browser.new_context()
    context.set_default_timeout(1000 * SECONDS)
    page, asked, complaints = context.new_page(), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda said: complaints.append(said.text))
    copy = f"{address}documents/{fake_id(1)}/cached"

    page.goto(copy)
    page.wait_for_timeout(300)

    assert [url for url in asked if not url.endswith("/favicon.ico")] == [copy]
    assert page.title() == "Copy"
    assert page.evaluate("self.origin") == "null", "it is in a sandbox"
    expect(page.locator(".gossamer-image")).to_have_text("[An orb]")
    assert [text for text in complaints if "favicon" not in text] == []
    context.close()
