"""Are results readable without JavaScript, and only text of what strangers wrote?"""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest
from resiliparse.parse.html import HTMLTree

from gossamer.core.search.query import Field, Phrase, Word, parse_filter
from gossamer.core.search.result import Correction
from gossamer.entrypoints.api.endpoints import search
from gossamer.entrypoints.api.views.narrowing import Narrowed
from tests.fake_search import HOSTILE, many
from tests.unit.entrypoints.api.asking import ask


def opened(**query):
    made = ask(search.plain, **query)
    assert made.headers["Content-Type"] == "text/html; charset=utf-8"
    return made, HTMLTree.parse(made.body).document


def test_results_have_titles_links_snippets_and_copies(fake):
    made, page = opened(q="silk moth")

    assert made.status == 200
    first = page.query_selector(".hit")
    assert first.query_selector("h2 a").text == "Silk moth"
    assert first.query_selector(".snippet mark").text == "silk"
    assert first.query_selector(".copy").getattr("href").endswith("/cached")
    assert "4 results" in page.query_selector(".count").text
    assert page.query_selector("#q").getattr("value") == "silk moth"
    assert page.query_selector("link[rel=alternate]").getattr("href") == "search.rss?q=silk+moth"


def test_what_is_missing_from_an_answer_is_said(fake):
    fake.stopped = "stopped after 2 s: <some>"
    made, page = opened(q="silk")
    _, empty = opened(q="nowhere")

    assert page.query_selector(".notes li").text == "stopped after 2 s: <some>"
    assert page.query_selector(".hit")
    assert "Nothing found in what was searched" in empty.query_selector(".state").text
    assert empty.query_selector(".state li").text == "stopped after 2 s: <some>"
    assert made.headers["Cache-Control"] == "no-store"


def test_pages_are_turned_by_links(fake):
    _, first = opened(q="thread & note")
    _, second = opened(q="thread", page="2")
    _, beyond = opened(q="thread", page="99")

    assert first.query_selector("a[rel=next]").getattr("href") == "html?q=thread+%26+note&page=2"
    assert first.query_selector("a[rel=prev]") is None
    assert second.query_selector("a[rel=prev]").getattr("href") == "html?q=thread"
    assert second.query_selector("ol").getattr("start") == "11"
    assert "There is no page 99" in beyond.query_selector(".state").text


def test_there_is_no_next_page_of_similar_pages_alone(fake, monkeypatch):
    search = fake.search

    def asked(query, **how):
        found = search(query, **how)
        found.similar = found.total - len(found.hits)
        return found

    monkeypatch.setattr(fake, "search", asked)

    _, page = opened(q="thread")

    assert page.query_selector("ol") is not None
    assert page.query_selector("a[rel=next]") is None


def test_similar_pages_are_behind_a_link_that_turning_pages_keeps(fake, monkeypatch):
    search = fake.search

    def asked(query, **how):
        found = search(query, **how)
        found.hits[0].similar = 3 if how["similar"] == "one" else 0
        return found

    monkeypatch.setattr(fake, "search", asked)

    _, one = opened(q="a thread")
    _, every = opened(q="a thread", similar="all")

    link = one.query_selector(".hit .crumb:last-child a")
    assert (link.text, link.getattr("href")) == ("3 similar pages", "html?q=a+thread&similar=all")
    assert every.query_selector(".hit .crumb:last-child a") is None
    follow = every.query_selector("a[rel=next]").getattr("href")
    assert follow == "html?q=a+thread&page=2&similar=all"


def test_without_a_query_there_is_the_box(fake):
    made, page = opened()

    assert made.status == 200
    assert page.query_selector("form").getattr("action") == "html"
    assert fake.asked == []


def test_nothing_found_and_nothing_read_are_told_apart(fake):
    none, nothing = opened(q="zebra")
    bad, unread = opened(q='"open')
    worse, _ = opened(q="silk", page="0")

    assert (none.status, bad.status, worse.status) == (200, 400, 400)
    assert "No pages match “zebra”" in nothing.query_selector(".state").text
    assert "quote is never closed" in unread.query_selector(".state").text


def test_what_strangers_wrote_is_text(fake):
    fake.pages = [HOSTILE]

    _, page = opened(q='silk "><script>x</script>" ')

    assert page.query_selector("script, img, style, .hits svg") is None
    assert page.query_selector(".hit h2 span") is not None, "javascript: is no link"
    links = [each.getattr("href") for each in page.query_selector_all("a")]
    assert not any(link.startswith("javascript") for link in links)


def test_filters_and_an_order_narrow_the_page_and_its_links_keep_them(fake):
    fake.pages = many(40)
    made, page = opened(q="thread", filter=["site:thread.test", "lang:en"], sort="-date")

    assert made.status == 200
    assert [chip.text for chip in page.query_selector_all(".chips a")] == [
        "site:thread.test ×remove",
        "lang:en ×remove",
    ]
    first = page.query_selector(".chips a").getattr("href")
    assert first == "html?q=thread&filter=lang%3Aen&sort=-date"
    following = page.query_selector("[rel=next]").getattr("href")
    assert following == "html?q=thread&filter=site%3Athread.test&filter=lang%3Aen&sort=-date&page=2"


def test_a_filter_leaves_out_what_does_not_meet_it(fake):
    _, everything = opened(q="silk")
    _, page = opened(q="silk", filter=["site:looms.test"])

    assert len(everything.query_selector_all(".hit")) > 1
    assert len(page.query_selector_all(".hit")) == 1


def test_a_filter_that_cannot_be_read_is_explained_on_the_page(fake):
    made, page = opened(q="silk", filter=["price:x..y"])

    assert made.status == 400
    assert "This cannot be searched" in page.query_selector(".state").text


def test_a_filter_is_text_on_the_page(fake):
    made, page = opened(q="silk", filter=['site:"<script>x</script>"'])

    assert made.status == 200
    assert page.query_selector("main script") is None
    assert "<script>" in page.query_selector(".chips a").text


def test_facets_are_links_once_they_are_asked_for(fake):
    _, before = opened(q="silk")
    _, page = opened(q="silk", facets="*", filter=["lang:en", 'host:"looms.test"'], sort="date")

    assert "html?q=silk&facets=%2A" in {a.getattr("href") for a in before.query_selector_all("a")}
    assert before.query_selector(".facets") is None
    links = {a.text: a.getattr("href") for a in page.query_selector_all(".facets a")}
    assert parse_qs(links["silk.test"].partition("?")[2]) == {
        "q": ["silk"],
        "filter": ["lang:en", 'host:"silk.test"'],
        "sort": ["date"],
        "facets": ["*"],
    }
    assert {"page", "2026"} <= set(links)
    assert "(3)" in page.query_selector(".facets").text


@pytest.mark.parametrize("value", ['27" screens', "a\\b", "2024", "true", "x | y", "<b>"])
def test_what_a_link_of_a_facet_asks_for_is_that_value(value):
    address = Narrowed().choosing("brand", value).filters[0]

    found = parse_filter(address, {"brand": "keyword"})

    assert isinstance(found, Field)
    assert isinstance(found.node, Word | Phrase)
    assert (found.name, found.node.text) == ("brand", value)


def test_another_query_keeps_filters_and_order(fake):
    _, page = opened(q="silk", filter=['lang:"en"'], sort="-date", page="2")

    kept = [
        (field.getattr("name"), field.getattr("value"))
        for field in page.query_selector_all("input[type=hidden]")
    ]
    assert kept == [("filter", 'lang:"en"'), ("sort", "-date")]


def test_results_have_links_to_other_orders(fake):
    _, page = opened(q="silk", sort="-date")

    orders = page.query_selector(".hint")
    assert orders.query_selector("b").text == "Newest first"
    assert [a.getattr("href") for a in orders.query_selector_all("a")] == [
        "html?q=silk",
        "html?q=silk&sort=date",
    ]


def test_another_spelling_is_said_and_can_be_refused(fake):
    fake.correction = Correction("slik <b>", "silk <b>", applied=True, words=[])
    _, applied = opened(q="silk", filter=["lang:en"])
    fake.correction = Correction("slik <b>", "silk <b>", applied=False, words=[])
    _, offered = opened(q="silk")
    _, nothing = opened(q="zebra")
    _, typed = opened(q="silk", correct="false")

    said = applied.query_selector(".correction")
    assert said.text == "Showing results for silk <b>. Search instead for slik <b>."
    address = said.query_selector("a").getattr("href")
    assert address == "html?q=slik+%3Cb%3E&filter=lang%3Aen&correct=false"
    for page in (offered, nothing):
        assert page.query_selector(".correction").text == "Did you mean silk <b>?"
        assert page.query_selector(".correction a").getattr("href") == "html?q=silk+%3Cb%3E"
    assert typed.query_selector(".correction") is None


def test_everything_of_an_answer_is_one_column(fake):
    """The styles of the search page put what is in `main` side by side."""
    for asked in ({"q": "silk", "facets": "*", "filter": ["lang:en"]}, {"q": "zebra"}, {}):
        _, page = opened(**asked)

        assert [each.class_name for each in page.query_selector_all("main > *")] == ["found"]


def test_results_that_fill_up_an_answer_stand_below_a_line(fake):
    fake.filled = 2

    made, _ = opened(q="silk")

    above, line, below = made.body.partition('<p class="filled">')
    assert line
    assert above.count("<h2>") == made.body.count("<h2>") - 2
    assert below.count("<h2>") == 2
