"""Does the page say who links to a result, whatever they call it?"""

from __future__ import annotations

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect


def test_who_links_here_is_asked_for_by_keyboard_and_shown(open_page):
    page = open_page("?q=silk")
    page.locator(".why summary").first.click()
    button = page.locator(".linkers button").first

    button.focus()
    page.keyboard.press("Enter")

    expect(button).to_have_attribute("aria-expanded", "true")
    expect(page.locator(".linkers li").first).to_be_visible()
    expect(page.locator(".linkers p").first).to_contain_text("page")

    page.keyboard.press("Enter")

    expect(button).to_have_attribute("aria-expanded", "false")
    expect(page.locator(".linkers li").first).to_be_hidden()


def test_only_what_is_safe_to_open_is_a_link_and_words_are_only_words(open_page):
    page = open_page("?q=silk")
    page.locator(".why summary").first.click()
    page.locator(".linkers button").first.click()
    expect(page.locator(".linkers li").first).to_be_visible()

    links = [link.get_attribute("href") for link in page.locator(".linkers a").all()]

    assert links
    assert all(link.startswith(("http://", "https://")) for link in links)
    assert page.locator(".linkers img, .linkers script").count() == 0
