import json

from gossamer.core.page.main_text.page_type import PageType
from gossamer.core.page.main_text.scripted_text import with_scripted_text

SAID = "A compass of brass with a lid and a needle that never sticks, made by hand in the harbour."


def linked(**values: object) -> str:
    data = json.dumps({"@context": "https://schema.org", **values})
    return f'<script type="application/ld+json">{data}</script>'


PRODUCT = linked(**{"@type": "Product", "name": "Compass", "description": SAID})


def test_a_description_that_only_scripts_would_show_is_added():
    assert with_scripted_text(PRODUCT, "$ 12.50", PageType.PRODUCT) == f"{SAID}\n\n$ 12.50"


def test_a_description_that_is_shown_is_not_said_twice():
    shown = f"Compass\n{SAID.upper()}\n$ 12.50"

    assert with_scripted_text(PRODUCT, shown, PageType.PRODUCT) == shown


def test_the_body_of_an_article_is_added():
    html = linked(**{"@type": "NewsArticle", "articleBody": SAID})

    assert with_scripted_text(html, "", PageType.ARTICLE) == SAID


def test_other_pages_are_left_as_they_are():
    assert with_scripted_text(PRODUCT, "shown", PageType.LISTING) == "shown"
    assert with_scripted_text("<p>", "shown", PageType.PRODUCT) == "shown"


def test_markup_in_a_description_is_no_text():
    html = linked(**{"@type": "Product", "description": "&lt;p&gt;Brass&lt;/p&gt; <b>compass</b>"})

    assert with_scripted_text(html, "", PageType.PRODUCT).split() == ["Brass", "compass"]


def test_a_description_that_is_no_text_is_passed_over():
    html = linked(**{"@type": "Product", "description": {"@value": 5}})

    assert with_scripted_text(html, "shown", PageType.PRODUCT) == "shown"
