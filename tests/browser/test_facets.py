"""Can results be narrowed and sorted on the page: by mouse, by keyboard and on a phone?"""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from gossamer.core.search.result import CorrectedWord, Correction
from tests.browser.test_page import ALL_STILL, CONTRASTS, PHONE
from tests.fake_search import FakePage, many

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

NARROW = {"viewport": {"width": 320, "height": 640}, "has_touch": True, "is_mobile": True}


@pytest.fixture(autouse=True)
def pages(fake):
    """Silk of four brands, sites and years, in three languages, and much of one site."""
    fake.pages = [
        FakePage("https://a.test/1", "Red silk", "silk", "2024-03-01", "en", brand="Acme"),
        FakePage("https://a.test/2", "Blue silk", "silk", "2025-03-01", "en", brand='27" screens'),
        FakePage("https://b.test/3", "Seide", "silk", "2023-01-01", "de", brand="Acme"),
        FakePage("https://c.test:8080/4", "Kinu", "silk", "2022-01-01", "ja", brand="a\\b | c"),
        *many(60),
    ]


def titles(page):
    return page.locator(".hit h2").all_inner_texts()


def filters(page):
    return parse_qs(urlsplit(page.url).query).get("filter", [])


def box(page, facet, value):
    return page.get_by_role("group", name=facet).get_by_role("checkbox", name=value)


class TestFacets:
    def test_what_has_several_values_can_be_chosen_from_with_its_counts(self, open_page):
        page = open_page("?q=silk")

        legends = page.locator("#facets legend")
        expect(legends).to_have_text(["Brand", "Site", "Language", "Year"])  # all are of one kind
        expect(box(page, "Language", "English 2 results")).not_to_be_checked()
        expect(box(page, "Brand", "Acme 2 results")).to_be_visible()
        expect(page.get_by_role("group", name="Year").locator("bdi")).to_have_text(
            ["2025", "2024", "2023", "2022"]
        )

    def test_a_value_narrows_the_results_and_others_of_it_can_be_added(self, open_page):
        page = open_page("?q=silk")

        box(page, "Language", "German").check()
        expect(page.locator("#count")).to_contain_text("1 result ·")
        expect(box(page, "Language", "English 2 results")).to_be_visible()  # its count is open
        expect(page.get_by_role("group", name="Site").locator("label")).to_have_count(0)
        box(page, "Language", "English").check()

        expect(page.locator("#count")).to_contain_text("3 results")
        assert filters(page) == ['lang:"de" | lang:"en"']
        box(page, "Language", "German").uncheck()
        expect(page.locator("#count")).to_contain_text("2 results")
        assert filters(page) == ['lang:"en"']

    def test_values_of_two_facets_must_both_be_met(self, open_page):
        page = open_page("?q=silk")

        box(page, "Brand", "Acme").check()
        expect(page.locator("#count")).to_contain_text("2 results")
        box(page, "Language", "English").check()

        expect(page.locator(".hit")).to_have_count(1)
        assert titles(page) == ["Red silk"]

    @pytest.mark.parametrize(
        ("facet", "value", "title"),
        [
            ("Brand", '27" screens', "Blue silk"),
            ("Brand", "a\\b | c", "Kinu"),
            ("Site", "c.test:8080", "Kinu"),
            ("Year", "2023", "Seide"),
        ],
    )
    def test_any_value_can_be_chosen_whatever_its_signs(self, open_page, facet, value, title):
        page = open_page("?q=silk")

        box(page, facet, value).check()

        expect(page.locator(".hit")).to_have_count(1)
        assert titles(page) == [title]
        expect(box(page, facet, value)).to_be_checked()

    def test_back_and_forward_undo_and_redo_a_choice(self, open_page):
        page = open_page("?q=silk")
        box(page, "Language", "German").check()
        expect(page.locator("#count")).to_contain_text("1 result ·")

        page.go_back()
        expect(page.locator("#count")).to_contain_text("4 results")
        expect(box(page, "Language", "German")).not_to_be_checked()
        expect(page.locator("#chips")).to_be_hidden()
        page.go_forward()
        expect(page.locator("#count")).to_contain_text("1 result ·")
        expect(box(page, "Language", "German")).to_be_checked()

    def test_an_address_with_filters_shows_its_answer(self, open_page):
        page = open_page("?q=silk&filter=lang:de+|+lang:ja&filter=-brand:Acme&sort=date")

        expect(page.locator(".hit h2")).to_have_text(["Kinu"])
        expect(box(page, "Language", "Japanese")).to_be_checked()
        expect(page.locator("#chips bdi")).to_have_text(
            ["Language: German", "Language: Japanese", "-brand:Acme", "Clear all"]
        )
        expect(page.locator("#sort")).to_have_value("date")

    def test_of_many_values_some_are_shown_and_the_rest_on_request(self, open_page, fake):
        fake.pages = [FakePage(f"https://h{n}.test/", "Silk", "silk") for n in range(9)]
        page = open_page("?q=silk")
        site = page.get_by_role("group", name="Site")
        expect(site.locator("label")).to_have_count(6)

        site.get_by_role("button", name="Show 3 more of Site").press("Enter")

        expect(site.locator("label")).to_have_count(9)
        fewer = site.get_by_role("button", name="Show fewer of Site")
        expect(fewer).to_be_focused()
        expect(fewer).to_have_attribute("aria-expanded", "true")

    def test_pages_are_turned_among_what_was_chosen(self, open_page):
        page = open_page("?q=thread&filter=host:%22thread.test%22&sort=-date")

        page.click("a[rel=next]")

        expect(page.locator("#count")).to_contain_text("60 results, page 2")
        assert filters(page) == ['host:"thread.test"']
        assert "sort=-date" in page.url

    def test_another_query_keeps_what_was_chosen_and_the_brand_forgets_it(self, open_page):
        page = open_page("?q=silk&filter=lang:%22de%22&sort=date")

        page.fill("#q", "thread silk")
        page.press("#q", "Enter")

        expect(page.locator("#count")).to_contain_text("1 result ·")
        assert page.url.endswith("/?q=thread+silk&filter=lang%3A%22de%22&sort=date")
        page.click(".brand")
        expect(page.locator("#chips")).to_be_hidden()
        expect(page.locator("#facets")).not_to_be_visible()

    def test_nothing_found_leads_to_the_results_without_filters(self, open_page):
        page = open_page("?q=silk&filter=lang:fr")

        page.get_by_role("link", name="Search without filters.").click()

        expect(page.locator(".hit")).to_have_count(4)

    def test_a_filter_that_cannot_be_read_is_marked_where_it_is_wrong(self, open_page):
        page = open_page("?q=silk&filter=date:2025..2024")

        expect(page.locator("[role=alert]")).to_contain_text("a range begins with its lower end")
        assert page.locator(".wrong mark").text_content() == "2"
        page.get_by_role("link", name="Search without filters and order").click()
        expect(page.locator(".hit")).to_have_count(4)

    def test_results_do_not_move_when_facets_come(self, open_page):
        page = open_page()
        held = []
        page.route("**/search?*facets=*", lambda route: held.append(route))
        page.fill("#q", "silk")
        page.press("#q", "Enter")
        expect(page.locator(".hit")).to_have_count(4)
        place = page.locator(".hit").last.bounding_box()

        for route in held:
            route.continue_()
        expect(page.locator("#facets legend")).to_have_count(4)

        assert page.locator(".hit").last.bounding_box() == place


class TestChips:
    def test_a_chip_removes_its_filter_and_the_focus_goes_on(self, open_page):
        page = open_page("?q=silk&filter=lang:%22en%22&filter=brand:%22Acme%22")
        chips = page.get_by_role("list", name="Active filters")
        expect(chips.get_by_role("button")).to_have_count(3)

        page.get_by_role("button", name="Remove the filter Language: English").press("Enter")

        expect(page.locator("#count")).to_contain_text("2 results")
        last = page.get_by_role("button", name="Remove the filter Brand: Acme")
        expect(last).to_be_focused()
        last.press("Enter")
        expect(page.locator("#count")).to_contain_text("4 results")
        expect(page.locator("#results")).to_be_focused()
        assert filters(page) == []

    def test_all_filters_are_removed_at_once(self, open_page):
        page = open_page("?q=silk&filter=lang:%22en%22+|+lang:%22de%22")

        page.get_by_role("button", name="Remove all filters").click()

        expect(page.locator("#count")).to_contain_text("4 results")
        assert page.url.endswith("/?q=silk")


class TestOrder:
    def test_results_are_sorted_by_the_menu_and_back_undoes_it(self, open_page):
        page = open_page("?q=silk")
        menu = page.get_by_role("combobox", name="Sort by")

        menu.select_option("Newest first")
        expect(page.locator(".hit h2")).to_have_text(["Blue silk", "Red silk", "Seide", "Kinu"])
        assert page.url.endswith("/?q=silk&sort=-date")
        menu.select_option("Oldest first")
        expect(page.locator(".hit h2")).to_have_text(["Kinu", "Seide", "Red silk", "Blue silk"])
        page.go_back()
        expect(menu).to_have_value("-date")

    def test_what_the_collection_declares_can_be_sorted_by(self, open_page):
        page = open_page("?q=silk")

        expect(page.locator("#sort option")).to_have_text(
            ["Relevance", "Newest first", "Oldest first", "Brand, ascending", "Brand, descending"]
        )

    def test_an_order_of_the_address_that_is_not_in_the_menu_is_shown(self, open_page):
        page = open_page("?q=silk&sort=-fetched")

        expect(page.locator("#sort")).to_have_value("-fetched")


class TestKeyboard:
    def test_facets_are_reached_before_results_and_keep_the_focus(self, open_page):
        page = open_page("?q=silk")
        expect(page.locator("#facets legend")).to_have_count(4)
        page.focus("#q")

        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        acme = box(page, "Brand", "Acme")
        expect(acme).to_be_focused()
        page.keyboard.press("Space")

        expect(page.locator("#count")).to_contain_text("2 results")
        expect(acme).to_be_checked()
        expect(acme).to_be_focused()
        expect(page.get_by_role("complementary", name="Filters")).to_be_visible()


class TestSheet:
    def test_on_a_phone_facets_are_a_sheet_that_takes_and_returns_the_focus(self, open_page):
        page = open_page("?q=silk", **PHONE)
        opener = page.get_by_role("button", name="Filters")
        expect(page.locator("#facets")).not_to_be_visible()

        opener.press("Enter")
        sheet = page.get_by_role("dialog", name="Filters")
        expect(sheet).to_be_visible()
        for _ in range(30):
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement.closest('dialog')?.id") == "sheet"
        page.keyboard.press("Escape")

        expect(sheet).not_to_be_visible()
        expect(opener).to_be_focused()

    def test_choices_in_the_sheet_are_counted_on_its_button(self, open_page):
        page = open_page("?q=silk", **PHONE)
        page.click("#filters-button")

        box(page, "Language", "English").check()
        done = page.get_by_role("button", name="Show 2 results")
        expect(done).to_be_visible()
        expect(box(page, "Language", "English")).to_be_checked()
        done.click()

        expect(page.locator("#sheet")).not_to_be_visible()
        expect(page.locator(".hit")).to_have_count(2)
        expect(page.get_by_role("button", name="Filters (1)")).to_be_visible()
        page.click("#filters-button")
        expect(box(page, "Language", "English")).to_be_checked()

    def test_a_window_that_grows_closes_the_sheet_and_shows_the_column(self, open_page):
        page = open_page("?q=silk", viewport={"width": 600, "height": 800})
        page.click("#filters-button")

        page.set_viewport_size({"width": 1280, "height": 800})

        expect(page.locator("#sheet")).not_to_be_visible()
        expect(page.locator("#aside #facets legend")).to_have_count(4)

    def test_nothing_is_wider_than_a_narrow_phone(self, open_page):
        page = open_page("?q=silk&filter=brand:%22Acme%22&filter=lang:%22en%22", **NARROW)
        expect(page.locator("#chips button")).to_have_count(3)

        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        page.click("#filters-button")
        assert page.evaluate("document.getElementById('sheet').scrollWidth") <= 320


def test_a_result_that_the_owner_chose_is_marked(open_page, fake):
    fake.pages[0] = FakePage("https://a.test/1", "Red silk", "silk silk", pinned=True)
    page = open_page("?q=silk")

    expect(page.locator(".crumb .pinned")).to_have_text(["Pinned"])


def test_results_wait_for_no_count(open_page):
    page = open_page()
    page.route("**/search?*facets=*", lambda route: None)  # never answered

    page.fill("#q", "thread")
    page.press("#q", "Enter")
    expect(page.locator(".hit")).to_have_count(10)
    page.click("a[rel=next]")

    expect(page.locator("#count")).to_contain_text("page 2")
    expect(page.locator("#results")).to_be_focused()


class TestCorrection:
    words = (CorrectedWord("slik", "silk", 0, 4, 1),)

    def test_results_of_another_spelling_say_so_and_lead_to_the_query_as_typed(
        self, open_page, fake
    ):
        fake.correction = Correction("slik", "silk", True, list(self.words))
        page = open_page("?q=silk&filter=lang:en")

        line = page.locator(".correction")
        expect(line).to_have_text("Showing results for silk. Search instead for slik.")
        line.get_by_role("link", name="slik").click()
        expect(page.locator("#q")).to_have_value("slik")
        assert page.url.endswith("/?q=slik&filter=lang%3Aen&correct=false")
        expect(line).to_have_count(0)

    def test_a_suggestion_is_a_link_to_its_results(self, open_page, fake):
        fake.correction = Correction("slik", "silk", False, list(self.words))
        page = open_page("?q=slik")

        expect(page.locator(".correction")).to_have_text("Did you mean silk?")
        page.locator(".correction a").click()

        expect(page.locator("#q")).to_have_value("silk")
        assert page.url.endswith("/?q=silk")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("options", [{}, PHONE])
def test_every_word_of_the_filters_can_be_read_on_its_ground(open_page, scheme, options):
    page = open_page("?q=silk&filter=lang:%22en%22", color_scheme=scheme, **options)
    expect(page.locator("#facets legend").first).to_be_attached()
    if options:
        page.click("#filters-button")
    page.evaluate(ALL_STILL)

    found = page.evaluate(CONTRASTS)

    weak = [each for each in found if each["ratio"] < (3 if each["large"] else 4.5)]
    assert weak == []
    assert any("English" in each["text"] for each in found)
