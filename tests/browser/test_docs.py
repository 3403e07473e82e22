"""Can the reference of the API be read on a phone, without JavaScript, from the search page?"""

from __future__ import annotations

import pytest

from tests.browser.test_page import PHONE

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect


def test_the_search_page_leads_to_the_reference(open_page):
    page = open_page()

    page.get_by_role("link", name="API").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("The API")
    page.get_by_role("link", name="Search, as RSS").click()
    expect(page.locator("#feed")).to_be_in_viewport()


def test_it_fits_a_phone_without_javascript(browser, address, fake):
    context = browser.new_context(java_script_enabled=False, **PHONE)
    page = context.new_page()
    page.goto(f"{address}docs")

    section = page.locator("#search")
    section.locator("summary", has_text="Python").tap()
    expect(section.locator("details[open]")).to_have_count(2)
    boxes = [each.bounding_box() for each in page.locator("pre:visible, table, nav").all()]
    context.close()

    assert max(box["x"] + box["width"] for box in boxes) <= 390
