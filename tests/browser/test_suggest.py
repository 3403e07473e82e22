"""Does the search box complete what is typed, and show results meanwhile, in a real browser?"""

from __future__ import annotations

import time

import pytest

from tests.browser.conftest import SECONDS
from tests.browser.test_page import PHONE, await_that, hold, titles
from tests.fake_search import HOSTILE

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

SAVE_DATA = "Object.defineProperty(Navigator.prototype, 'connection', {value: {saveData: true}})"


def options(page):
    return page.locator("#suggestions [role=option]")


def active(page):
    return page.evaluate(
        "document.getElementById(q.getAttribute('aria-activedescendant'))?.dataset.text"
    )


class TestList:
    def test_typing_opens_a_list_that_a_screen_reader_can_follow(self, open_page):
        page = open_page()
        box = page.get_by_role("combobox", name="Search")

        page.keyboard.type("the")

        expect(options(page)).to_have_count(3)
        expect(box).to_have_attribute("aria-expanded", "true")
        expect(box).to_have_attribute("aria-controls", "suggestions")
        expect(box).to_have_attribute("aria-autocomplete", "list")
        expect(page.get_by_role("listbox", name="Suggestions")).to_be_visible()
        expect(page.locator("#suggested")).to_have_text("3 suggestions; arrow keys to choose")
        expect(options(page).first).to_have_text("The orb web, from hub to frametitle")

    def test_arrows_move_through_the_list_and_back_into_the_box(self, open_page):
        page = open_page()
        page.keyboard.type("the")
        expect(options(page)).to_have_count(3)

        page.keyboard.press("ArrowDown")
        assert active(page) == "The orb web, from hub to frame"
        expect(options(page).first).to_have_attribute("aria-selected", "true")
        page.keyboard.press("ArrowDown")
        assert active(page) == "The Atlantic cable"
        expect(page.locator("[aria-selected=true]")).to_have_count(1)
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        assert active(page) is None
        page.keyboard.press("ArrowUp")
        assert active(page) == "Jacquard and the punched card"
        expect(page.locator("#q")).to_be_focused()
        expect(page.locator("#q")).to_have_value("the")

    def test_enter_searches_for_the_chosen_one(self, open_page):
        page = open_page()
        page.keyboard.type("jac")
        expect(options(page)).to_have_count(1)

        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")

        expect(page.locator("#q")).to_have_value("Jacquard and the punched card")
        expect(page.locator(".hit h2").first).to_have_text("Jacquard and the punched card")
        expect(page.locator("#suggestions")).to_be_hidden()
        assert page.url.endswith("?q=Jacquard+and+the+punched+card")

    def test_a_click_searches_for_what_is_clicked(self, open_page):
        page = open_page()
        page.keyboard.type("ballo")

        options(page).first.click()

        expect(page.locator("#q")).to_have_value("Ballooning: how spiders fly")
        expect(page.locator(".hit h2").first).to_have_text("Ballooning: how spiders fly")

    def test_escape_closes_the_list_and_keeps_what_was_typed(self, open_page):
        page = open_page()
        page.keyboard.type("the")
        expect(options(page)).to_have_count(3)

        page.keyboard.press("Escape")

        expect(page.locator("#suggestions")).to_be_hidden()
        expect(page.locator("#q")).to_have_value("the")
        expect(page.locator("#q")).to_have_attribute("aria-expanded", "false")
        expect(page.locator("#suggested")).to_have_text("")

    def test_leaving_the_box_closes_the_list(self, open_page):
        page = open_page()
        page.keyboard.type("the")
        expect(options(page)).to_have_count(3)

        page.keyboard.press("Tab")

        expect(page.locator("#suggestions")).to_be_hidden()

    def test_an_answer_that_comes_after_enter_opens_nothing(self, open_page):
        page = open_page()
        release = hold(page, "**/suggest?*")
        page.keyboard.type("silk")
        await_that(page, "performance.getEntriesByType('resource').length > 0")
        page.keyboard.press("Enter")
        expect(page.locator(".hit").first).to_be_visible()

        release()
        page.wait_for_timeout(200)

        expect(page.locator("#suggestions")).to_be_hidden()

    def test_a_title_is_text_and_never_markup(self, open_page, fake):
        fake.pages.insert(0, HOSTILE)
        page = open_page()

        page.keyboard.type("<script")

        expect(options(page)).to_have_count(1)
        expect(options(page).locator("script, img")).to_have_count(0)
        assert page.evaluate("window.hacked") is None

    def test_it_fits_a_phone(self, open_page):
        page = open_page(**PHONE)
        page.locator("#q").tap()

        page.keyboard.type("note")

        expect(options(page)).to_have_count(8)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        width = page.evaluate(
            "document.getElementById('suggestions').getBoundingClientRect().right"
        )
        assert width <= 390


class TestInstantResults:
    def test_results_are_there_while_one_types_and_the_history_has_one_entry(self, open_page):
        page = open_page()
        before = page.evaluate("history.length")

        page.keyboard.type("silk")
        expect(page.locator(".hit").first).to_be_visible()
        page.keyboard.type(" moth")
        expect(page.locator(".hit h2").first).to_have_text("Silk moth")
        await_that(page, "location.search === '?q=silk+moth'")
        page.keyboard.press("Enter")
        await_that(page, "document.querySelector('#suggestions').hidden")

        assert page.evaluate("history.length") == before + 1
        page.go_back()
        expect(page.locator("#q")).to_have_value("")
        expect(page.locator(".hit")).to_have_count(0)

    def test_the_box_keeps_focus_and_what_was_typed(self, open_page):
        page = open_page()

        page.keyboard.type("silk  ")

        expect(page.locator(".hit").first).to_be_visible()
        expect(page.locator("#q")).to_be_focused()
        expect(page.locator("#q")).to_have_value("silk  ")

    def test_what_is_half_typed_shows_no_error_and_leaves_the_results(self, open_page, fake):
        page = open_page("?q=silk")
        expect(page.locator(".hit").first).to_be_visible()
        known = titles(page)

        page.fill("#q", '"orb')
        give_up_at = time.monotonic() + SECONDS
        while '"orb' not in fake.asked and time.monotonic() < give_up_at:
            page.wait_for_timeout(50)
        page.wait_for_timeout(200)

        assert '"orb' in fake.asked
        assert titles(page) == known
        expect(page.locator("#q")).not_to_have_attribute("aria-invalid", "true")

    def test_an_answer_that_is_overtaken_is_cancelled(self, open_page):
        page = open_page()
        aborted = []
        page.on("requestfailed", lambda request: aborted.append(request.url))
        hold(page, "**/search?q=silk&*")

        with page.expect_request("**/search?q=silk&*"):
            page.keyboard.type("silk")
        page.keyboard.type(" moth")

        expect(page.locator(".hit h2").first).to_have_text("Silk moth")
        assert any("q=silk&" in url for url in aborted)

    def test_who_saves_data_gets_results_on_enter_only(self, open_page, fake):
        page = open_page()
        page.add_init_script(SAVE_DATA)
        page.reload()

        page.keyboard.type("silk")
        expect(options(page)).to_have_count(1)
        page.wait_for_timeout(600)

        assert fake.asked == []
        page.keyboard.press("Enter")
        expect(page.locator(".hit").first).to_be_visible()
        assert set(fake.asked) == {"silk"}
