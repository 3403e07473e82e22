"""What can the page of a hostile host do to us?"""

from __future__ import annotations

import re

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.core.crawl.job import JobConfig, Rules
from gossamer.core.page.charset import decode
from gossamer.core.page.directives import header_directives
from gossamer.core.page.html import (
    MAX_ANCHOR,
    MAX_DESCRIPTION,
    MAX_HEADINGS,
    MAX_IMAGES,
    MAX_LINKS,
    MAX_TITLE,
    parse_page,
)
from gossamer.core.page.read_response import read_response
from tests.effort import often
from tests.fuzz.bounds import damaged, within

URL = "http://a.test/x/y?z"
EXTRACTORS = ("fast", "auto", "article")
WHOLE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Grüße</title>
<base href="/b/"><link rel="canonical" href="/c"><meta name="robots" content="noarchive">
<meta http-equiv="refresh" content="5; url=/r"><meta property="og:type" content="article"></head>
<body><nav><a href="/n">n</a></nav><main><article><h1>One &amp; only</h1><p>Some <b>words</b> of
<a href="x?y=1#z" rel="nofollow">text</a>.</p><table><tr><td>1</td><td>2</td></tr></table>
<img src="i" alt="a picture"><time datetime="2026-01-02">then</time></article></main>
<script type="application/ld+json">{"@type": "Article"}</script></body></html>""".encode()
TAGS = [
    "a", "b", "p", "div", "table", "td", "tr", "select", "option", "svg", "math", "template",
    "main", "article", "title", "script", "style", "h1", "frameset", "iframe", "noscript",
    "textarea", "plaintext", "form", "base", "meta", "link", "img", "li", "body", "html", "head",
]  # fmt: skip
ATTRIBUTES = [
    "", " href=x", " href='javascript:1'", ' href="http://u:p@b.test/#f"', " rel=nofollow",
    " content='0;url=/r'", " http-equiv=refresh", " name=robots content=none", " role=main",
    ' href="', " alt='x\n\ty'", " lang='e n'", " =", " href=//", " href=&#xD800;",
    " charset=utf-16", " datetime=2026",
]  # fmt: skip
OTHERS = [
    "<!--", "-->", "--!>", "<![CDATA[", "]]>", "<!doctype", "<?", "&", "&#0;", "&#xD800;", "&amp",
    "\0", "\x1b[31m", "\u202e", "🕸", "<", ">", "</", "words of text. ", "\ufeff", "\x0c",
]  # fmt: skip
PIECES = st.one_of(
    st.builds("<{}{}>".format, st.sampled_from(TAGS), st.sampled_from(ATTRIBUTES)),
    st.builds("</{}>".format, st.sampled_from(TAGS)),
    st.sampled_from(OTHERS),
)
BROKEN = st.lists(PIECES, max_size=40).map(lambda pieces: "".join(pieces).encode(errors="replace"))
BODIES = BROKEN | damaged(WHOLE) | st.binary(max_size=200)
HEADERS = st.lists(
    st.tuples(
        st.sampled_from(["Content-Type", "X-Robots-Tag", "x-robots-tag", "", "\0"]),
        st.sampled_from(["text/html", "text/plain", "text/html; charset=utf-16", "charset=utf-7",
                         "text/html; charset='", "gossamer: noindex", "unavailable_after: x: y",
                         ",,,:", "none", "\ud800"]) | st.text(max_size=20),
    ),
    max_size=4,
)  # fmt: skip


def count(tag: str) -> int:
    return 99_000 // len(tag)


NESTED = [
    "<", "<div>", "<!--", "<b>", "<a href=x>", "<select>", "<svg>", "<math>", "<template>", "<li>",
    "<table><p>", "<table>", "<td>", "<b><i><p>", "<title>", "<img alt=x>", "<![CDATA[",
    "<dl><dt>", "<ruby><rt>", "<option><optgroup>", "<button>", "<form>", "<a><b>", "<h1><div>",
    "<aside>", "<a href=x><div>", "<main>", "<article>", "&", "&#x", "&amp", "\0", '<a href="',
    "<p x=", "<frameset>", "<script>", "<noscript>", "<iframe>", "</p>", "</br>", "<h1>", "<time>",
    "<meta name=robots content=none>", "<base href=.>", "<link rel=canonical href=x>",
]  # fmt: skip
WORST = {tag: tag * count(tag) for tag in NESTED} | {
    "attributes": "<a " + "x " * 49_000,
    "fonts": "".join(f"<font a{n}>" for n in range(8_000)),
    "fonts and paragraphs": "".join(f"<font a{n}>" for n in range(3_000)) + "<p>x" * 12_000,
    "a type and spaces": '<p>"@type":' + " " * 99_000,
    "a type and a word": '<p>"@type":"' + "a" * 99_000,
    "schemas": "<p>" + "schema.org/" * 9_000,
    "a refresh of spaces": f"<meta http-equiv=refresh content='0{' ' * 90_000}\"\"'>",
    "a language of spaces": f"<html lang='en{' ' * 90_000}x'>",
    "a charset of spaces": "<meta charset=" + " " * 99_000,
    "metas in comments": "<!--" + "<meta charset=" * 7_000,
}


def check(parsed):
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(parsed), type=type(parsed)) == parsed
    assert len(parsed.documents) <= 1
    for document in parsed.documents:
        assert len(document.title) <= MAX_TITLE
        assert len(document.description) <= MAX_DESCRIPTION
        assert len(document.headings) <= MAX_HEADINGS
        assert len(document.images) <= MAX_IMAGES
        assert len(document.title.splitlines()) <= 1
    for link in parsed.outlinks:
        assert re.fullmatch(r"https?://[^@/]+/[!-~]*", link.url)
        assert "#" not in link.url
        assert len(link.anchor) <= MAX_ANCHOR


@often(150)
@given(BODIES, st.sampled_from(("fast", "auto")), st.sampled_from(("", "//main", "//a/@href")))
def test_whatever_a_page_is_what_is_read_fits_everywhere(body, extractor, scope):
    with within():
        parsed = parse_page(body, URL, extractor=extractor, link_scope=scope)

    check(parsed)
    assert len(parsed.outlinks) <= MAX_LINKS


@often(100)
@given(BODIES, HEADERS, st.sampled_from(("page", "sitemap")))
def test_no_header_makes_a_difference_to_that(body, headers, purpose):
    rules = Rules(JobConfig(max_links=7))

    with within():
        parsed = read_response(purpose, body, URL, headers, rules)

    check(parsed)


@often(30)
@example(b"ld+json in the text, and no such script")
@given(BODIES)
def test_a_page_is_read_twice_alike(body):
    assert parse_page(body, URL) == parse_page(body, URL)


@pytest.mark.parametrize("html", WORST.values(), ids=[repr(name) for name in WORST])
def test_the_worst_pages_are_read_in_time(html):
    body = html.encode()

    for extractor in EXTRACTORS:
        with within():
            check(parse_page(body, URL, extractor=extractor))
    with within():
        check(parse_page(body, URL, link_scope="//body"))


@pytest.mark.parametrize(
    "value",
    ["charset=" + " " * 16_000, "charset" * 2_000, "charset=" + '"' * 16_000, "charset " * 2_000,
     "text/html;" * 1_600, "a:" * 8_000, "," * 16_000, " " * 16_000 + ":", "a" * 16_000],
    ids=lambda value: repr(value[:12]),
)  # fmt: skip
def test_the_worst_headers_are_read_in_time(value):
    """16 KB is the longest line of a header that the fetcher takes."""
    with within(0.5):
        decode(b"<p>x", value)
        header_directives([value])


@often(100)
@given(st.binary(max_size=60), st.text(max_size=40))
@example(b"\xff\xfe\xff", "")
@example(b"<meta charset=rot13>x", "")
@example(b"\xff", "text/html; charset=idna")
@example(b"\xff", "text/html; charset=unicode_escape")
@example(b"+ADw-script+AD4-", "text/html; charset=utf-7")
def test_bytes_become_characters_that_can_be_written(body, content_type):
    text = decode(body, content_type)

    assert text.encode().decode() == text
    assert len(text) <= len(body)
