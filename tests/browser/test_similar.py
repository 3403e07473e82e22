"""Does the search page say which results stand for others, and show those on request?"""

from __future__ import annotations

import re

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect


@pytest.fixture
def copies(fake, monkeypatch):
    """The first result stands for three others, unless all are asked for."""
    search = fake.search

    def asked(query, **options):
        found = search(query, **options)
        if options["like"]:
            found.hits = [hit for hit in found.hits if hit.id != options["like"]][:3]
        elif options["similar"] == "one" and found.hits:
            found.similar = found.hits[0].similar = 3
        return found

    monkeypatch.setattr(fake, "search", asked)


@pytest.mark.usefixtures("copies")
class TestSimilarPages:
    def test_a_result_says_for_how_many_it_stands(self, open_page):
        page = open_page("?q=silk")

        expect(page.locator(".alike")).to_have_text(["3 similar pages"])

    def test_they_open_beneath_the_result_and_close_again(self, open_page):
        page = open_page("?q=silk")
        button = page.get_by_role("button", name="3 similar pages")
        beneath = page.locator(".hit").first.locator(".alike li")

        button.focus()
        page.keyboard.press("Enter")

        expect(beneath).to_have_count(3)
        expect(button).to_have_attribute("aria-expanded", "true")
        expect(button).to_be_focused()
        expect(beneath.first.locator("a").first).to_have_attribute("href", re.compile("https://"))
        expect(page.locator(".hit")).to_have_count(4)
        assert page.url.endswith("/?q=silk"), "the list of results stays as it is"
        page.keyboard.press("Enter")
        expect(beneath.first).to_be_hidden()
        expect(button).to_have_attribute("aria-expanded", "false")

    def test_a_link_beneath_shows_all_results_and_back_undoes_it(self, open_page):
        page = open_page("?q=silk")

        page.get_by_role("button", name="3 similar pages").click()
        page.get_by_role("link", name="Show all results with their similar pages").click()

        expect(page.locator(".alike")).to_have_count(0)
        assert page.url.endswith("/?q=silk&similar=all")
        page.go_back()
        expect(page.locator(".alike")).to_have_count(1)

    def test_turning_pages_goes_on_showing_all(self, open_page):
        page = open_page("?q=thread&similar=all")

        page.locator("#pages a[data-page='2']").first.click()

        expect(page.locator("#count")).to_contain_text("page 2")
        assert page.url.endswith("/?q=thread&similar=all&page=2")

    def test_a_new_query_begins_with_one_of_each(self, open_page):
        page = open_page("?q=thread&similar=all")

        page.fill("#q", "silk")
        page.press("#q", "Enter")

        expect(page.locator(".alike")).to_have_count(1)
        assert page.url.endswith("/?q=silk")

    def test_the_reasons_tell_what_is_not_shown(self, open_page):
        page = open_page("?q=silk")

        page.locator(".why summary").first.click()

        expect(page.locator(".why").first).to_contain_text("3 similar pages are not shown.")
