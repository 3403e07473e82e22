"""Does the search page work in a real browser?"""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime

import pytest

from gossamer.core.search.result import BoostPart
from tests.browser.conftest import SECONDS
from tests.fake_search import HOSTILE, THREADS, FakePage

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def search(page, query):
    page.fill("#q", query)
    page.press("#q", "Enter")


def hold(page, pattern):
    """Keep these requests from the server until what this returns is called."""
    held = []
    page.route(pattern, lambda route: held.append(route))

    def release():
        for route in held:
            route.continue_()

    return release


def await_that(page, expression):
    """Wait until it is true. Playwright's own way needs `eval`, which the page forbids."""
    give_up_at = time.monotonic() + SECONDS
    while not page.evaluate(expression):
        assert time.monotonic() < give_up_at, f"never: {expression}"
        page.wait_for_timeout(20)


def titles(page):
    return page.locator(".hit h2").all_inner_texts()


class TestAsking:
    def test_the_box_has_the_focus_from_the_start(self, open_page):
        page = open_page()

        expect(page.locator("#q")).to_be_focused()
        expect(page.locator("#tagline")).to_have_text("65 pages from 4 hosts")

    def test_typing_and_enter_show_results(self, open_page):
        page = open_page()

        page.keyboard.type("silk moth")
        page.keyboard.press("Enter")

        first = page.locator(".hit").first
        expect(first.locator("h2")).to_have_text("Silk moth")
        expect(first.locator(".crumb b")).to_have_text("silk.test")
        expect(first.locator(".crumb")).to_contain_text("fibres\u203asilk-moth.html")
        expect(first.locator("time")).to_have_text("2 Nov 2025")
        expect(first.locator("time")).to_have_attribute("title", "Last changed, as its server says")
        expect(first.locator(".snippet mark").first).to_have_text("silk")
        expect(page.locator("#count")).to_contain_text("4 results")
        expect(page).to_have_title("silk moth – Gossamer")
        assert page.url.endswith("/?q=silk+moth")

    def test_an_address_with_a_query_shows_its_answer(self, open_page):
        page = open_page("?q=thread&page=2")

        expect(page.locator("#q")).to_have_value("thread")
        expect(page.locator("#count")).to_contain_text("page 2")
        expect(page).to_have_title("thread (page 2) – Gossamer")

    def test_an_address_without_an_escape_is_read_as_it_is(self, open_page):
        page = open_page("?q=wires%20100%25%20caf%C3%A9%20%F0%9F%95%B8")

        expect(page.locator("#q")).to_have_value("wires 100% café 🕸")
        expect(page.locator(".state")).to_contain_text("“wires 100% café 🕸”")

    def test_nothing_typed_asks_nothing(self, open_page, fake):
        page = open_page()

        page.fill("#q", "   ")
        page.press("#q", "Enter")

        assert page.evaluate("document.documentElement.dataset.view") == "home"
        assert fake.asked == []

    def test_the_last_question_wins(self, open_page):
        page = open_page()
        release = hold(page, "**/search?q=slow*")

        search(page, "slow thread")
        search(page, "moth")

        expect(page.locator("#count")).to_contain_text("1 result ·")
        release()
        page.wait_for_timeout(400)
        expect(page.locator("#count")).to_contain_text("1 result ·")

    def test_waiting_shows_only_when_it_is_long(self, open_page):
        page = open_page("?q=silk")
        busy, release = page.locator("html[data-busy]"), hold(page, "**/search?q=loom*")
        expect(page.locator(".hit")).to_have_count(4)
        page.clock.install()
        page.clock.pause_at(datetime(2100, 1, 1, tzinfo=UTC))

        search(page, "moth")
        expect(page.locator(".hit")).to_have_count(1)
        page.clock.run_for(1000)
        expect(busy).not_to_be_attached()

        search(page, "loom")
        page.clock.run_for(100)
        expect(busy).not_to_be_attached()
        page.clock.run_for(100)
        expect(busy).to_be_attached()
        release()
        expect(busy).not_to_be_attached()


class TestPaging:
    def test_pages_are_turned_by_links_with_addresses(self, open_page):
        page = open_page("?q=thread")
        first = titles(page)

        assert page.get_attribute("a[rel=next]", "href") == "./?q=thread&page=2"
        page.click("a[rel=next]")

        expect(page.locator("#count")).to_contain_text("page 2")
        assert page.url.endswith("/?q=thread&page=2")
        assert len(titles(page)) == 10
        assert not set(titles(page)) & set(first)
        assert page.evaluate("scrollY") == 0
        expect(page.locator("#results")).to_be_focused()

    def test_the_last_page_has_no_next(self, open_page):
        page = open_page("?q=thread&page=7")

        expect(page.locator("a[aria-current=page]")).to_have_text("7")
        expect(page.locator("a[rel=next]")).to_have_count(0)
        expect(page.locator("a[rel=prev]")).to_have_count(1)

    def test_a_page_that_does_not_exist_leads_to_the_last(self, open_page):
        page = open_page("?q=thread&page=99")

        expect(page.locator(".state h2")).to_have_text("There is no page 99")
        page.click(".state a")

        expect(page.locator(".hit").first).to_be_visible()

    @pytest.mark.parametrize("page_number", ["0", "-3", "x", "1e3"])
    def test_a_senseless_page_is_the_first(self, open_page, page_number):
        page = open_page(f"?q=thread&page={page_number}")

        expect(page.locator("a[aria-current=page]")).to_have_text("1")

    def test_back_and_forward_return_to_what_was_seen_and_where(self, open_page):
        page = open_page("?q=thread")
        page.evaluate("scrollTo(0, 420)")
        await_that(page, "history.state?.y === 420")
        page.locator("a[rel=next]").dispatch_event("click")
        expect(page.locator("#count")).to_contain_text("page 2")
        search(page, "moth")
        expect(page.locator("#count")).to_contain_text("1 result ")

        page.go_back()
        expect(page.locator("#count")).to_contain_text("page 2")
        expect(page.locator("#q")).to_have_value("thread")
        page.go_back()
        expect(page.locator("#count")).not_to_contain_text("page")
        await_that(page, "scrollY === 420")
        page.go_forward()
        expect(page.locator("#count")).to_contain_text("page 2")

    def test_back_from_a_result_returns_to_its_place(self, open_page, address, fake):
        fake.pages = [
            FakePage(f"{address}health?{number}", f"Thread {number}", "thread " * 40)
            for number in range(30)
        ]
        page = open_page("?q=thread")
        page.evaluate("scrollTo(0, 300)")
        await_that(page, "history.state?.y === 300")
        page.locator(".hit h2 a").nth(3).dispatch_event("click")
        page.wait_for_url("**/health?*")

        page.go_back()

        expect(page.locator(".hit")).to_have_count(10)
        await_that(page, "scrollY === 300")

    def test_the_brand_leads_back_to_the_start(self, open_page):
        page = open_page("?q=thread")

        page.click(".brand")

        expect(page.locator("#q")).to_be_focused()
        expect(page.locator(".hit")).to_have_count(0)
        assert page.url.endswith("/")


class TestExplanation:
    def test_why_a_result_stands_where_it_does(self, open_page):
        page = open_page("?q=silk+moth")

        page.locator(".why summary").first.click()

        rows = page.locator(".sheet tbody tr")
        expect(rows).to_have_count(3)
        expect(rows.nth(0)).to_contain_text("silk")
        expect(rows.nth(0)).to_contain_text("title ×1 · 0.30")
        expect(rows.nth(2)).to_contain_text("PageRank")
        points = [float(text) for text in page.locator(".sheet .points").all_inner_texts()]
        total = float(page.locator(".sheet tfoot td").inner_text())
        assert sum(points) == pytest.approx(total, abs=0.02)

    def test_what_the_owner_of_the_collection_adds_is_a_part_of_the_sum(self, open_page, fake):
        formula = BoostPart("formula", "saturation(votes, 4) - x", 0.25, {"votes": 4.5, "x": 0.25})
        word = BoostPart("word", "silk", -0.75)
        fake.pages = [FakePage("https://a.test/1", "Red silk", "silk", boosts=(formula, word))]
        page = open_page("?q=silk")

        page.locator(".why summary").first.click()

        rows = page.locator(".sheet tbody tr")
        expect(rows).to_have_count(4)
        expect(rows.nth(2)).to_contain_text("saturation(votes, 4) - x")
        expect(rows.nth(2).locator("small")).to_have_text("formulavotes 4.5x 0.25")
        expect(rows.nth(3).locator("small")).to_have_text("weighted word")
        points = [float(text) for text in page.locator(".sheet .points").all_inner_texts()]
        assert points[2:] == [0.25, -0.75]
        total = float(page.locator(".sheet tfoot td").inner_text())
        assert sum(points) == pytest.approx(total, abs=0.02)

    def test_it_is_asked_for_once_and_only_when_opened(self, open_page, fake):
        page = open_page("?q=silk")
        expect(page.locator(".hit")).to_have_count(4)
        assert len(fake.asked) == 1

        for index in (0, 1, 0, 0):
            page.locator(".why summary").nth(index).click()

        expect(page.locator(".sheet")).to_have_count(2)
        assert len(fake.asked) == 2


class TestStates:
    def test_an_answer_that_was_stopped_says_what_is_missing(self, open_page, fake):
        fake.stopped = "stopped after 2 s: results may be missing"

        page = open_page("?q=silk")
        expect(page.locator(".notes")).to_have_text(fake.stopped)
        expect(page.locator(".hit")).to_have_count(4)

        search(page, "nowhere")
        expect(page.locator(".state h2")).to_have_text("Nothing found in what was searched")
        expect(page.locator(".notes")).to_have_text(fake.stopped)

    def test_no_result_says_so_kindly(self, open_page):
        page = open_page("?q=xyzzy")

        expect(page.locator("#count")).to_have_text("No results")
        expect(page.locator(".state h2")).to_have_text("No pages match “xyzzy”")
        expect(page.locator("#pages")).to_be_hidden()
        expect(page.locator(".state li").first).to_have_text("Check the spelling.")

    @pytest.mark.parametrize(("parsed", "told"), [(3, "Run gossamer index."), (0, "no pages yet")])
    def test_an_empty_index_says_what_to_do(self, open_page, fake, parsed, told):
        fake.pages, fake.parsed = [], parsed
        page = open_page("?q=silk")

        expect(page.locator(".state li")).to_have_count(1)
        expect(page.locator(".state li")).to_contain_text(told)

    def test_a_total_that_is_a_lower_bound_says_so(self, open_page, fake):
        fake.counts_all = False
        page = open_page("?q=silk")

        expect(page.locator("#count")).to_contain_text("at least 4 results ·")

    @pytest.mark.parametrize(
        ("query", "marked", "character"),
        [('silk "orb web', '"', 6), ("(silk", "(", 1), ("silk &", "\u00a0", 7), ("🕸🕸 )", ")", 4)],
    )
    def test_a_syntax_error_is_marked_where_it_is(self, open_page, query, marked, character):
        page = open_page()

        search(page, query)

        expect(page.locator("[role=alert] h2")).to_have_text("This query cannot be read")
        assert page.locator(".wrong mark").text_content() == marked
        expect(page.locator("#problem")).to_contain_text(f"(at character {character})")
        expect(page.locator("#q")).to_have_attribute("aria-invalid", "true")
        page.click(".state button")
        expect(page.locator("#help")).to_be_visible()

    def test_the_next_good_query_clears_the_error(self, open_page):
        page = open_page("?q=%22silk")
        expect(page.locator(".wrong")).to_be_visible()

        search(page, "silk")

        expect(page.locator(".hit")).to_have_count(4)
        assert page.get_attribute("#q", "aria-invalid") is None

    def test_a_server_that_is_gone_can_be_tried_again(self, open_page):
        page = open_page()
        page.route("**/search?*", lambda route: route.fulfill(status=200, body="<html>proxy"))
        search(page, "silk")
        expect(page.locator("[role=alert]")).to_contain_text("No answer came back")

        page.unroute("**/search?*")
        page.click("text=Try again")

        expect(page.locator(".hit")).to_have_count(4)

    def test_help_opens_and_closes(self, open_page):
        page = open_page()

        page.click("#help-button")
        expect(page.locator("#help")).to_be_visible()
        expect(page.locator("#help-button")).to_have_attribute("aria-expanded", "true")
        page.click("#help-button")

        expect(page.locator("#help")).to_be_hidden()

    def test_a_running_crawl_is_shown_until_it_ends(self, open_page, fake):
        fake.crawl_state, fake.crawl_pages, fake.crawl_waiting = "running", 40, 25
        page = open_page()
        expect(page.locator("#crawl")).to_contain_text("40 pages, 25 waiting, 1 min 23 s")

        fake.crawl_pages, fake.crawl_waiting = 60, 5
        expect(page.locator("#crawl")).to_contain_text("60 pages, 5 waiting")
        fake.crawl_state = "finished"
        expect(page.locator("#crawl")).to_be_hidden()

        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.wait_for_timeout(2500)
        assert asked == []

    @pytest.mark.parametrize(
        ("state", "text"),
        [
            ("paused", "Crawl paused gossamer resume lets it go on"),
            ("interrupted", "Crawl interrupted the same command resumes it"),
        ],
    )
    def test_a_crawl_that_stands_still_says_what_to_do(self, open_page, fake, state, text):
        fake.crawl_state = state
        page = open_page()

        expect(page.locator("#crawl")).to_have_text(text)
        expect(page.locator("#crawl-bar")).to_be_hidden()

    @pytest.mark.parametrize("state", ["stopped", "finished", "none"])
    def test_a_crawl_that_has_ended_is_not_shown(self, open_page, fake, state):
        fake.crawl_state = state

        expect(open_page().locator("#crawl")).to_be_hidden()

    def test_an_index_that_lags_behind_its_crawl_is_waited_for(self, open_page, fake):
        pages, fake.pages = fake.pages, []
        fake.parsed = len(pages)
        page = open_page()
        expect(page.locator("#tagline")).to_contain_text("This collection is empty")

        fake.pages = pages

        expect(page.locator("#tagline")).to_have_text("65 pages from 4 hosts")

    def test_the_footer_tells_how_large_the_collection_is(self, open_page):
        page = open_page()

        expect(page.locator("#stats")).to_have_text(
            "web · 65 pages · 4 hosts · 1.8 MB fetched · 311 kB of index"
        )

    def test_an_empty_collection_says_how_to_fill_it(self, open_page, fake):
        fake.pages, fake.crawl_state = [], "none"
        page = open_page()

        expect(page.locator("#tagline")).to_contain_text("gossamer crawl")

    def test_without_scripts_there_is_a_word_about_it(self, browser, address, fake):
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(address)

        expect(page.locator(".notice")).to_contain_text("JavaScript")
        expect(page.locator("#q")).to_be_visible()
        context.close()

    def test_without_scripts_there_are_results_all_the_same(self, browser, address, fake):
        context = browser.new_context(java_script_enabled=False)
        context.set_default_timeout(1000 * SECONDS)
        page = context.new_page()
        page.goto(address)

        page.fill("#q", "silk moth")
        page.press("#q", "Enter")

        expect(page.locator(".hit h2").first).to_have_text("Silk moth")
        assert page.url == f"{address}html?q=silk+moth"
        context.close()


class TestKeyboard:
    def test_a_slash_goes_to_the_box(self, open_page):
        page = open_page("?q=silk")
        expect(page.locator(".hit")).to_have_count(4)

        page.keyboard.press("/")

        expect(page.locator("#q")).to_be_focused()
        page.keyboard.type("a/b")
        expect(page.locator("#q")).to_have_value("a/b")

    @pytest.mark.parametrize(("down", "up"), [("j", "k"), ("ArrowDown", "ArrowUp")])
    def test_keys_move_from_result_to_result(self, open_page, down, up):
        page = open_page("?q=silk")
        links = page.locator(".hit h2 a")
        expect(links).to_have_count(4)
        page.focus("#q")
        page.keyboard.press("ArrowDown")
        expect(links.nth(0)).to_be_focused()

        page.keyboard.press(down)
        expect(links.nth(1)).to_be_focused()
        page.keyboard.press(up)
        expect(links.nth(0)).to_be_focused()
        page.keyboard.press(up)
        expect(page.locator("#q")).to_be_focused()

    def test_the_focused_result_is_in_view(self, open_page):
        page = open_page("?q=thread")
        expect(page.locator(".hit")).to_have_count(10)

        for _ in range(10):
            page.keyboard.press("j")

        expect(page.locator(".hit h2 a").nth(9)).to_be_focused()
        expect(page.locator(".hit h2 a").nth(9)).to_be_in_viewport()

    def test_everything_can_be_reached_and_used_without_a_mouse(self, open_page):
        page = open_page("?q=thread")
        expect(page.locator(".hit")).to_have_count(10)
        page.evaluate("document.activeElement.blur()")

        page.keyboard.press("Tab")
        expect(page.locator(".skip")).to_be_focused()
        expect(page.locator(".skip")).to_be_in_viewport()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        expect(page.locator(".hit h2 a").first).to_be_focused()
        page.keyboard.press("Tab")
        expect(page.locator(".hit .copy").first).to_be_focused()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator(".sheet")).to_be_visible()
        page.locator("a[rel=next]").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#count")).to_contain_text("page 2")

    def test_the_focus_can_always_be_seen(self, open_page):
        page = open_page("?q=thread")
        expect(page.locator(".hit")).to_have_count(10)
        page.evaluate("document.activeElement.blur()")

        for _ in range(12):
            page.keyboard.press("Tab")
            seen = page.evaluate(
                """() => { const style = getComputedStyle(document.activeElement);
                     return [style.outlineStyle, style.outlineWidth, style.boxShadow,
                             document.activeElement.outerHTML.slice(0, 80)]; }"""
            )
            assert (seen[0] != "none" and seen[1] != "0px") or seen[2] != "none", seen


class TestPhone:
    @pytest.mark.parametrize("query", ["", "?q=silk+thread", "?q=xyzzy", "?q=%22" + "a" * 300])
    def test_nothing_is_wider_than_the_phone(self, open_page, query):
        page = open_page(query, **PHONE)
        page.click("#help-button")

        assert page.evaluate("document.documentElement.scrollWidth") <= 390

    def test_an_explanation_fits_on_a_phone(self, open_page):
        page = open_page("?q=silk+thread", **PHONE)

        page.locator(".why summary").first.tap()

        sheet = page.locator(".sheet")
        expect(sheet).to_be_visible()
        assert sheet.evaluate("element => element.scrollWidth <= element.clientWidth")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390

    def test_what_is_touched_is_large_enough(self, open_page):
        page = open_page("?q=thread", **PHONE)
        expect(page.locator(".hit")).to_have_count(10)

        for box in page.locator(".pages a, .box button, .why summary").all():
            size = box.bounding_box()
            assert size
            assert size["height"] >= 24, box
            assert size["width"] >= 24, box


class TestStrangers:
    """What pages say about themselves is shown, never obeyed."""

    def test_markup_in_a_result_is_only_text(self, open_page, fake):
        fake.pages = [HOSTILE, *THREADS]
        page = open_page("?q=silk+script")

        hit = page.locator(".hit").first
        expect(hit.locator("h2")).to_contain_text("<script>window.hacked = 1</script>")
        expect(hit.locator(".snippet")).to_contain_text('"><svg onload=window.hacked=3>')
        hit.locator("summary").click()
        expect(hit.locator(".sheet")).to_be_visible()
        assert page.locator(".hit script, .hit img, .hit svg, .hit style").count() == 0
        assert page.evaluate("window.hacked") is None

    def test_an_address_that_is_no_web_address_is_no_link(self, open_page, fake):
        fake.pages = [HOSTILE]
        page = open_page("?q=silk")

        expect(page.locator(".hit .dead")).to_be_visible()
        assert page.locator(".hit a").count() == 0

    @pytest.mark.parametrize(
        "query",
        [
            "<img src=x onerror=window.hacked='yes'>",
            "</title><script>window.hacked='yes'</script>",
            '"<b>x</b>',
            "javascript:window.hacked='yes'",
        ],
    )
    def test_markup_in_a_query_is_only_text(self, open_page, query):
        page = open_page()

        search(page, query)

        expect(page.locator(".state")).to_contain_text(re.sub(r"\s+", " ", query))
        assert page.locator(".state img, .state script, .state b").count() == 0
        assert page.evaluate("window.hacked") is None

    def test_even_a_mistake_of_ours_could_not_run_a_script(self, browser, address, fake):
        context = browser.new_context()
        page = context.new_page()
        page.goto(address)

        refused = page.evaluate(
            """() => { try { document.body.innerHTML = '<b>x</b>'; return false; }
                       catch { return true; } }"""
        )

        assert refused
        context.close()


CONTRASTS = """
() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
  const luminance = (color) => {
    const [r, g, b] = color.map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const layers = [];
    for (let each = element; each; each = each.parentElement) {
      const style = getComputedStyle(each);
      layers.push(rgba(style.backgroundColor));
      for (const glow of style.backgroundImage.match(/rgba?\\([^)]*\\)|color\\([^)]*\\)/g) ?? []) {
        const color = rgba(glow);
        if (color[3] === 1) return color.slice(0, 3);  // the darker half of a marked word
      }
    }
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.data.trim();
    if (!text || !element.checkVisibility({visibilityProperty: true})) continue;
    if (element.closest(".unseen, .skip, noscript")) continue;
    const style = getComputedStyle(element);
    let opacity = 1;
    for (let each = element; each; each = each.parentElement) {
      opacity *= getComputedStyle(each).opacity;
    }
    const below = behind(element);
    const color = rgba(style.color);
    color[3] *= opacity;
    const [dark, light] = [luminance(over(color, below)), luminance(below)].sort((a, b) => a - b);
    const large = parseFloat(style.fontSize) >= 24;
    found.push({ratio: (light + 0.05) / (dark + 0.05), large,
                text: text.slice(0, 30), tag: element.outerHTML.slice(0, 60)});
  }
  return found;
}
"""


# Colours that change gently have changed.
ALL_STILL = "Promise.all(document.getAnimations().map((each) => each.finished)).then(() => null)"


class TestSight:
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    @pytest.mark.parametrize("query", ["", "?q=silk+thread", "?q=xyzzy", "?q=%22silk"])
    def test_every_word_can_be_read_on_its_ground(self, open_page, fake, scheme, query):
        """WCAG 2.2 AA: 4.5 to 1, or 3 to 1 for large text."""
        fake.crawl_state = "running"
        page = open_page(query, color_scheme=scheme)
        expect(page.locator("#crawl")).to_be_visible()
        page.click("#help-button")
        if page.locator(".why").count():
            page.locator(".why summary").first.click()
            expect(page.locator(".sheet")).to_be_visible()
        page.evaluate(ALL_STILL)

        found = page.evaluate(CONTRASTS)

        weak = [each for each in found if each["ratio"] < (3 if each["large"] else 4.5)]
        assert weak == []
        assert len(found) > 20

    def test_dark_is_dark_and_light_is_light(self, open_page):
        ground = "getComputedStyle(document.documentElement).backgroundColor"

        light = open_page(color_scheme="light").evaluate(ground)
        dark = open_page(color_scheme="dark").evaluate(ground)

        assert light == "rgb(250, 248, 243)"
        assert dark == "rgb(17, 22, 26)"

    def test_who_wants_no_motion_gets_none(self, open_page):
        page = open_page("?q=silk", reduced_motion="reduce")

        duration = "getComputedStyle(document.querySelector('.results')).transitionDuration"
        assert page.evaluate(duration) == "0s"

    def test_the_count_is_announced_and_the_parts_are_named(self, open_page):
        page = open_page("?q=silk")

        expect(page.locator("#count[role=status]")).to_contain_text("4 results")
        expect(page.get_by_role("search")).to_be_visible()
        expect(page.get_by_role("combobox", name="Search")).to_be_visible()
        expect(page.get_by_role("main")).to_be_visible()
        expect(page.get_by_role("heading", level=2)).to_have_count(4)
