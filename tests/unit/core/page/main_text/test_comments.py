"""Is an article read without what its readers say, and are pages of talk read with it?"""

from __future__ import annotations

import re
from collections import Counter

import pytest

from gossamer.core.page.main_text.side_headings import Side, side_of
from tests.unit.core.page.main_text.commented_articles import LAYOUTS, OG_ARTICLE, TIMES, article
from tests.unit.core.page.main_text.pages import framed, prose, sentence, text_of

WANTED_F1 = 0.95


def f1(found: str, truth: str) -> float:
    ours, theirs = (Counter(re.findall(r"\w+", text.lower())) for text in (found, truth))
    return 2 * (ours & theirs).total() / (ours.total() + theirs.total())


@pytest.mark.parametrize("number", range(len(LAYOUTS)))
def test_an_article_is_read_without_comments_twice_as_long(number: int):
    page = article(number)

    assert len(page.comments) >= TIMES * len(page.text)
    assert f1(text_of(page.html), page.text) >= WANTED_F1


def said(count: int, tag: str = "div", name: str = "comment") -> str:
    return "".join(
        f"<{tag} class={name}><b>Ann</b><p>{sentence(n)} {sentence(n + 1)}</p></{tag}>"
        for n in range(500, 500 + 2 * count, 2)
    )


@pytest.mark.parametrize("head", ["", OG_ARTICLE])
def test_comments_without_a_text_are_the_text(head: str):
    text = text_of(framed(f"<h1>A link to elsewhere</h1><div id=comments>{said(20)}</div>", head))

    assert sentence(500) in text
    assert sentence(538) in text


def test_comments_on_a_few_lines_are_the_text_unless_it_is_an_article():
    html = f"<div class=top>{prose(3)}</div><div id=comments>{said(40)}</div>"

    assert sentence(500) in text_of(framed(html))
    assert sentence(500) not in text_of(framed(html, OG_ARTICLE))
    assert sentence(0) in text_of(framed(html, OG_ARTICLE))


def test_posts_of_a_forum_may_be_called_comments():
    html = framed(f"<div>{prose(5)}</div>{said(20)}")

    assert sentence(500) in text_of(html, "http://a.test/forum/thread/1")


def test_reviews_of_a_product_are_no_comments():
    product = '<div itemscope itemtype="https://schema.org/Product"></div>'
    html = f"<div>{prose(5)}</div><div id=reviews><ol id=comments>{said(20, 'li')}</ol></div>"

    assert sentence(500) in text_of(framed(product + html, OG_ARTICLE))


def test_what_encloses_the_text_too_is_not_cut():
    html = f"<div class=has-comments><div>{prose(8)}</div><div id=comments>{said(20)}</div></div>"

    text = text_of(framed(html))

    assert sentence(0) in text
    assert sentence(500) not in text


@pytest.mark.parametrize("heading", ["Comments", "Discussion", "Responses"])
def test_a_chapter_about_comments_is_text(heading: str):
    chapter = f"<h2>{heading}</h2>{prose(8, 700)}<h2>End</h2>{prose(2, 900)}"

    text = text_of(framed(f"<article><h1>T</h1>{prose(8)}{chapter}</article>"))

    assert sentence(700) in text


def test_a_chapter_of_examples_is_text():
    code = "".join(
        f"<div class=hl><div class=cap>{n}</div><pre>{sentence(n)} {sentence(n + 1)}</pre></div>"
        for n in range(700, 730, 2)
    )
    html = f"<h1>T</h1>{prose(8)}<h2>Comments</h2><p>They begin with a sign.</p>{code}"

    assert sentence(728) in text_of(framed(f"<article>{html}</article>"))


def test_comments_in_code_are_code():
    code = "<pre><code>run() <span class='token comment'># and wait</span></code></pre>"

    assert "# and wait" in text_of(framed(f"<article>{prose(8)}{code}</article>", OG_ARTICLE))


@pytest.mark.parametrize(
    "heading", ["Comments (3)", "12 Kommentare", "Responses: 4", "Discussion (7)", "コメント 5件"]
)
def test_the_headings_of_comments(heading: str):
    assert side_of(heading) is Side.COMMENTS


@pytest.mark.parametrize("heading", ["Responses", "Discussion", "Comment syntax", "Replies"])
def test_headings_of_chapters(heading: str):
    assert side_of(heading) is None
