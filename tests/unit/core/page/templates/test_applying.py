from __future__ import annotations

from typing import Any

import pytest

from gossamer.core.crawl.job import JobConfig, Rules
from gossamer.core.page.read_response import read_response
from gossamer.core.page.templates.template import read_template

URL = "https://shop.test/c/1"
HTML = (("content-type", "text/html; charset=utf-8"),)
CARDS = (
    "<html lang=en><title>A shop</title><div class=c id=1><a href=/p/1>One</a> <b>$5</b></div>"
    "<div class=c id=2><a href=/p/2>Two</a></div><div class=c id=1><a href=/p/1>One</a></div>"
    "<a class=next href=/c/2>more</a><a href=/x>x</a>"
)
LIST = """
match = "https://shop.test/c/*"
items = ".c"
key = "sku"
title = "{name}"
url = "page"
[fields.sku]
select = "@id"
[fields.name]
select = "a"
[fields.page]
select = "a"
type = "link"
[fields.price]
select = "b"
type = "money"
required = true
variable = "p"
"""


def read(html: str, template: str, **config: Any):
    rules = Rules(JobConfig(**config), (read_template(template, "shop.toml"),))
    return read_response("page", html.encode(), URL, HTML, rules)


def test_records_become_documents_of_the_page():
    parsed = read(CARDS, LIST)

    first, second = sorted(parsed.documents, key=lambda document: document.place)
    assert (first.url, first.link, first.key) == (URL, "https://shop.test/p/1", "1")
    assert (first.title, first.text, first.template) == ("One", "One $5", "shop")
    assert first.values["p"] == first.values["price"]
    assert (second.key, second.title) == ("2", "Two")


def test_what_was_found_is_accounted_for():
    reading = read(CARDS, LIST).reading

    assert (reading.template, reading.records, reading.reason) == ("shop", 3, "template-incomplete")
    assert reading.filled == {"sku": 3, "name": 3, "page": 3, "price": 1}
    assert reading.distinct["sku"] == 2


def test_a_page_of_a_template_without_anything_on_it_says_so():
    parsed = read("<p>We are closed", LIST)

    assert (parsed.documents, parsed.reason) == ([], "template-empty")


def test_a_page_of_a_template_that_is_no_html_says_so_too_and_keeps_its_text():
    rules = Rules(JobConfig(), (read_template(LIST, "shop.toml"),))

    parsed = read_response("page", b"We are closed.", URL, [("content-type", "text/plain")], rules)

    assert [document.text for document in parsed.documents] == ["We are closed."]
    assert parsed.reading is not None
    assert (parsed.reading.template, parsed.reading.reason) == ("shop", "template-empty")


def test_without_items_the_page_gets_the_values_and_keeps_its_text():
    parsed = read(
        "<title>A shop</title><main><h1>Silk</h1><p>A long text about silk.</main>",
        'match = "shop.test/*"\ntitle = "{n}"\n[fields.n]\nselect = "h1"',
    )

    (document,) = parsed.documents
    assert (document.title, document.template, document.place) == ("Silk", "shop", 0)
    assert "long text" in document.text
    assert document.values["n"] == "Silk"


def test_other_pages_are_read_as_ever():
    parsed = read(CARDS, LIST.replace("/c/*", "/d/*"))

    assert parsed.reading is None
    assert parsed.documents[0].title == "A shop"


@pytest.mark.parametrize(
    ("lines", "config", "found"),
    [
        ("", {}, ["/p/1", "/p/2", "/c/2", "/x"]),
        ('links = ".c"', {}, ["/p/1", "/p/2"]),
        ('links = ".c"\nnext = ".next"', {}, ["/p/1", "/p/2", "/c/2"]),
        ('next = ".next"', {}, ["/p/1", "/p/2", "/c/2", "/x"]),
        ('next = ".next"', {"link_scope": "//b"}, ["/c/2"]),
    ],
)
def test_links_count_where_the_template_says(lines: str, config: dict[str, Any], found: list[str]):
    parsed = read(CARDS, f"{lines}\n{LIST}", **config)

    assert [link.url.removeprefix("https://shop.test") for link in parsed.outlinks] == found


def test_more_than_a_document_may_have_is_left_out():
    fields = "".join(f'[fields.f{n}]\nselect = "p"\n' for n in range(10))

    parsed = read("<p>" + "wool " * 5000 + "</p>", f'match = "shop.test/*"\n{fields}')

    assert 3 <= len([n for n in parsed.documents[0].values if n.startswith("f")]) < 10
