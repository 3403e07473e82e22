from gossamer.core.page.templates.template import read_template
from gossamer.entrypoints.cli.templates.starter import starter
from gossamer.entrypoints.cli.templates.trial import Page

DECLARED = """<script type="application/ld+json">{"@type": "Product", "name": "Silk\\u0001\\nscarf",
"offers": {"price": "11.10", "priceCurrency": "EUR"}}</script><h1>Scarf</h1>
<p itemprop=material>wool\x01</p>"""


def started(html):
    return starter(Page("http://a.test/p/1", html), "shop")


def test_it_is_a_template_for_the_pages_of_the_folder():
    template = read_template(started("<h1>Scarf</h1><p itemprop=price>3</p>"), "shop.toml")

    assert template.match == ["http://a.test/p/*"]
    assert {name: rule.type for name, rule in template.fields.items()} == {
        "title": "text", "price": "money"
    }  # fmt: skip


def test_what_the_page_declares_is_told_in_comments_whatever_it_says():
    text = started(DECLARED)

    assert "#   name: Silk scarf\n" in text
    assert "#   price: 11.1 EUR\n" in text
    assert [*read_template(text, "shop.toml").fields] == ["title", "material"]


def test_a_page_that_declares_nothing_has_no_such_comment():
    assert "declares of itself" not in started("<h1>Scarf</h1>")
