"""Is a document readable as markdown, and its text still text?"""

from __future__ import annotations

from html import escape

import pytest

from gossamer.core.page.html import parse_page
from gossamer.core.page.values import Date, Image, Link, Money
from gossamer.core.search.result import DocumentView
from gossamer.entrypoints.api.views.markdown import prefers_markdown, to_markdown


def view(text="", **facts):
    usual = {
        "id": "0" * 32, "page": "0" * 32, "url": "https://a.test/x", "title": "Orb webs",
        "description": "", "language": "en", "published_at": "2024-05-01",
        "fetched_at": "2026-08-21T10:00:00+00:00", "headings": [], "date": "2024-05-01",
    }  # fmt: skip
    return DocumentView(**{**usual, **facts}, text=text)


def test_title_address_dates_and_headings_are_there():
    text = "Orb webs\nAn orb web is spun.\n\nThe hub\n\nIt comes first.\nThen the rest."

    said = to_markdown(view(text, headings=["Orb webs", "The  hub"]))

    assert said == (
        "# Orb webs\n\n<https://a.test/x> · published 2024-05-01"
        " · fetched 2026-08-21T10:00:00+00:00\n\nAn orb web is spun."
        "\n\n## The hub\n\nIt comes first.\nThen the rest.\n"
    )


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"published_at": "", "date": "2024-05-02"}, "<https://a.test/x> · changed 2024-05-02 · f"),
        ({"published_at": "", "date": ""}, "<https://a.test/x> · fetched 2026"),
    ],
)
def test_a_date_that_is_not_of_publishing_is_not_called_so(facts, said):
    assert said in to_markdown(view(**facts))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("<script>x</script>", r"\<script>x\</script>"),
        ("[a](javascript:x)", r"\[a\](javascript:x)"),
        ("snake_case and _this_ *x* `y`", r"snake_case and \_this\_ \*x\* \`y\`"),
        ("# no heading", r"\# no heading"),
        ("> no quote", r"\> no quote"),
        ("a\n---", "a\n\\---"),
        ("&lt;b&gt; & c", r"\&lt;b\&gt; & c"),
        (r"C:\dir", r"C:\\dir"),
    ],
)
def test_what_is_text_on_the_page_is_text_in_markdown(text, written):
    assert to_markdown(view(text)).split("\n\n", 2)[2] == f"{written}\n"


def test_a_document_without_a_title_is_called_by_its_address():
    assert to_markdown(view(title="")).startswith("# https://a.test/x\n")


def test_the_values_of_an_item_are_listed():
    values = {
        "price": Money(5.0, "EUR"),
        "brand": "acme_x [new]",
        "sizes": [7.0, 8.5],
        "shop": Link("https://a.test/s_1", "The *shop*"),
        "picture": Image("https://a.test/p.png"),
        "since": Date("2024-05-31"),
    }

    said = to_markdown(view(values=values))

    assert (
        "- brand: acme_x \\[new\\]\n- picture: <https://a.test/p.png>\n- price: 5 EUR"
        "\n- shop: The \\*shop\\* <https://a.test/s_1>\n- since: 2024-05-31\n- sizes: 7, 8.5\n"
    ) in said


LISTINGS = [
    "def f(a_b):\n    return a_b * 2  # [1]\n\nprint(f(2))",
    "$ pip install x_y --no-deps\n$ x_y *.txt",
    ">>> a_b = [1]\n>>> len(a_b)\n1",
    "int main() {\n  return *p;\n}",
    "server {\n    listen 80;\n    root /srv/_x;\n}",
    "SET x_y = '*';",
    "x_y = f(1)\n\nits_name\n\nx_y = f(2)",
    "<ul>\n  <li>one</li>\n  <li>two</li>\n</ul>",
]


@pytest.mark.parametrize("code", LISTINGS)
def test_code_is_fenced_and_not_escaped(code):
    html = (
        f"<article><p>Use *it* so.</p><pre>{escape(code)}</pre><p>Then a_b is done.</p></article>"
    )
    text = parse_page(html.encode(), "https://a.test/x").documents[0].text

    body = to_markdown(view(text)).split("\n\n", 2)[2]

    assert body == f"Use \\*it\\* so.\n\n```\n{code}\n```\n\nThen a_b is done.\n"


def test_a_fence_is_longer_than_any_in_the_code():
    said = to_markdown(view("x = 1;\ny = ```2```;"))

    assert said.endswith("\n\n````\nx = 1;\ny = ```2```;\n````\n")


@pytest.mark.parametrize(
    "text",
    [
        "The function f(x) returns what it was given; see below (page 3).",
        "  one\n    two\n  three and more",
        "Call us now: +1 555 1234 or write (free of charge)",
        "Return to the harbour before noon and wait for the ferry;\nthen go on.",
        "from the beginning of the day to its end nobody came",
        "Price: 5 EUR\nWeight: 3 kg",
        "E-mail addresses and well-known names are read so",
    ],
)
def test_prose_is_not_fenced(text):
    assert "```" not in to_markdown(view(text))


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("text/markdown", True),
        ("text/markdown, */*;q=0.5", True),
        ("application/json;q=0.5, text/markdown;q=0.9", True),
        ("Text/Markdown; charset=utf-8", True),
        ("application/json, text/markdown;q=0.9", False),
        ("text/markdown;q=0", False),
        ("text/markdown;q=x", True),
        ("*/*", False),
        ("text/html,application/xhtml+xml,*/*;q=0.8", False),
        ("", False),
    ],
)
def test_markdown_is_for_those_who_ask_for_it(accept, expected):
    assert prefers_markdown(accept) is expected
