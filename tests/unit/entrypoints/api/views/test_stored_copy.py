"""Is a stored copy readable, and is nothing left in it that could run or load?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from resiliparse.parse.html import HTMLTree

from gossamer.entrypoints.api.views.stored_copy import (
    MAX_CHARACTERS,
    STYLE,
    NotShown,
    PageCopy,
    policy,
    to_html,
)
from gossamer.ports.pages import StoredPage

URL = "https://a.test/docs/page.html"
SPITEFUL = [
    "<script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=2>",
    "<svg onload=window.pwned=3><script>x</script></svg>",
    "<a href=' javascript:window.pwned=4'>x</a><a href='data:text/html,x'>y</a>",
    "<a href='java&#10;script:alert(1)'>x</a><a href='vbscript:x'>y</a>",
    "<iframe src=//evil.test srcdoc='<script>x</script>'></iframe>",
    "<form action=//evil.test><input autofocus onfocus=x><button formaction=//evil.test>b</button>",
    "<meta http-equiv=refresh content='0;url=//evil.test'><base href=//evil.test/>",
    "<link rel=stylesheet href=//evil.test/x><style>@import '//evil.test/y'</style>",
    "<p style='background:url(//evil.test/z)' onclick=x>p</p>",
    "<math><mtext></p><img src=x onerror=window.pwned=12></mtext></math>",
    "<video poster=//evil.test/p src=//evil.test/v autoplay></video><audio src=//evil.test/a>",
    "<object data=//evil.test/o></object><embed src=//evil.test/e>",
    "<template><script>x</script></template><noscript><img src=//evil.test/n></noscript>",
    "<img srcset='//evil.test/s 2x' src='data:image/svg+xml,<svg onload=x>'>",
    "</title></style></textarea><script>x</script>",
    "<textarea></textarea><img src=x onerror=x></textarea><xmp><script>x</script></xmp>",
    "<p title='\"><script>x</script>'>t</p><p id='\"onclick=x'>i</p>",
    "<![CDATA[<script>x</script>]]><!--><script>x</script>-->",
]


def shown(body, content_type="text/html; charset=utf-8", *more):
    text = body.encode() if isinstance(body, str) else body
    page = StoredPage(url=URL, code=200, headers=(("Content-Type", content_type), *more), body=text)
    return to_html(PageCopy(page, "2026-08-21T10:00:00+00:00"))


def harmful(html):
    """What a browser would run, load or send, as its parser sees the copy."""
    found = []
    for node in HTMLTree.parse(html).document:
        if node.type != 1:
            continue
        names = [name.lower() for name in node.attrs]
        found += [name for name in names if name.startswith("on") or name in ("style", "srcset")]
        found += [node.tag] if node.tag in FORBIDDEN else []
        if node.tag == "meta" and "http-equiv" in names:
            found.append("http-equiv")
        for name in ("href", "src", "action", "formaction", "data", "poster"):
            value = node.getattr(name, "")
            if value and not value.startswith(("http://", "https://", "#", "data:image/png")):
                found.append(value)
        if node.tag != "a" and node.getattr("href", ""):
            found.append(node.tag)
    return found


FORBIDDEN = set(
    str.split(
        "script iframe object embed form input button textarea select svg math link base video"
        " audio frame frameset template noscript xmp plaintext"
    )
)


@pytest.mark.parametrize("payload", SPITEFUL)
def test_nothing_that_runs_or_loads_survives(payload):
    html = shown(f"<html><head><title>{payload}</title></head><body>{payload}<p>text</p>{payload}")

    assert harmful(html) == []
    assert html.count("<style>") == 1


@given(st.lists(st.sampled_from([*SPITEFUL, "<p>", "</p>", "<table>", "<td>", "<a href=/x>"])))
def test_nothing_survives_in_any_mixture(payloads):
    assert harmful(shown("".join(payloads))) == []


def test_what_is_for_reading_stays():
    html = shown(
        "<title>Orb &amp; web</title><nav>menu</nav><h1 class=x>Orb</h1>"
        "<p>Silk &lt;b&gt; <em>thread</em><br><a href='../b?x=1&y=2'>next</a>"
        " <a href='#n'>note</a></p><table><tr><td colspan=2>cell</td></tr></table>"
        "<custom-tag>inside</custom-tag><img src=/p.png alt='An orb'>"
        "<img src='data:image/png;base64,AAAA' alt=dot><form>field <p>kept</p></form>"
    )

    assert "<title>Orb &amp; web</title>" in html
    assert "<h1>Orb</h1>" in html
    assert "<p>Silk &lt;b&gt; <em>thread</em><br>" in html
    assert 'href="https://a.test/b?x=1&amp;y=2" rel="noreferrer noopener nofollow">next</a>' in html
    assert '<a href="#n"' in html
    assert '<td colspan="2">cell</td>' in html
    assert "inside" in html
    assert '<span class="gossamer-image">[An orb]</span>' in html
    assert '<img src="data:image/png;base64,AAAA" alt="dot">' in html
    assert "field <p>kept</p>" in html


def test_a_banner_says_what_it_is_of_and_of_when():
    html = shown("<p>x</p>")

    banner = html.partition('class="gossamer-copy"')[2].partition("</div>")[0]
    assert f'href="{URL}"' in banner
    assert "2026-08-21T10:00:00+00:00" in banner


def test_links_follow_the_base_that_the_page_declares():
    html = shown("<base href='https://b.test/d/'><a href=x>x</a>")

    assert 'href="https://b.test/d/x"' in html


def test_text_is_shown_as_it_stands():
    assert "<pre>a &lt;script&gt;\n  b</pre>" in shown("a <script>\n  b", "text/plain")


def test_the_bytes_are_read_in_their_own_encoding():
    assert "Grüße" in shown("<p>Grüße".encode("latin-1"), "text/html; charset=iso-8859-1")


def test_another_kind_of_file_is_not_shown():
    with pytest.raises(NotShown, match=r"application/pdf.*\.md"):
        shown(b"%PDF", "application/pdf")


@pytest.mark.parametrize("word", ["noarchive", "index, NOARCHIVE", "nocache"])
def test_who_wants_no_copy_shown_is_obeyed(word):
    with pytest.raises(NotShown, match="noarchive"):
        shown(f'<meta name="robots" content="{word}"><p>x')
    with pytest.raises(NotShown, match="noarchive"):
        shown("<p>x", "text/html", ("X-Robots-Tag", word))


@pytest.mark.parametrize(
    "body",
    [
        "<p>word</p>" * (MAX_CHARACTERS // 8),
        "word " * MAX_CHARACTERS,
        f"<p title='{'x' * MAX_CHARACTERS}'>word</p>" * 2 + "<i>word</i>" * (MAX_CHARACTERS // 8),
    ],
)
def test_a_long_page_is_cut_and_says_so(body):
    html = shown(body)

    assert len(html) < MAX_CHARACTERS + 5_000
    assert "was cut here" in html


def test_what_is_too_long_for_an_attribute_is_left_out():
    image = "data:image/png;base64," + "A" * 1_000_000

    html = shown(
        f"<title>{'t' * 9_000}</title><img src='{image}' alt=dot><a href=/{'x' * 9_000}>a</a>"
    )

    assert len(html) < 10_000
    assert "[dot]" in html


def test_a_page_that_is_nested_deeply_is_shown():
    assert "deep" in shown("<div>" * 20_000 + "deep")


def test_the_policy_forbids_everything_but_the_one_style():
    said = policy()

    assert said.startswith("sandbox; default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in said
    assert "script-src" not in said
    assert STYLE in shown("<p>x")
