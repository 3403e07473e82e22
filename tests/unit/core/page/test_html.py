from urllib.parse import urljoin

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.core.errors import ConfigurationError
from gossamer.core.page.directives import Directives
from gossamer.core.page.document import Document, Outlink, ParsedPage
from gossamer.core.page.html import MAX_FEEDS, parse_page
from gossamer.core.urls import UrlRules, normalise
from tests.effort import often

URL = "http://a.test/dir/page.html"
LINKED = '<script type="application/ld+json">%s</script>'
PROSE = "The quick brown fox jumps over the lazy dog and runs away into the deep forest. " * 5


def page(html: str, **options: object) -> ParsedPage:
    return parse_page(html.encode(), URL, **options)  # type: ignore[arg-type]


def document(html: str, **options: object) -> Document:
    return page(html, **options).documents[0]


def links(html: str, **options: object) -> list[Outlink]:
    return page(html, **options).outlinks


def targets(html: str, **options: object) -> list[str]:
    return [link.url.removeprefix("http://a.test") for link in links(html, **options)]


class TestLinks:
    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            ("<a href=/x>", Outlink("http://a.test/x", "", False, "a")),
            ("<a href=x.html>X</a>", Outlink("http://a.test/dir/x.html", "X", False, "a")),
            ("<a href='?q=1'>X</a>", Outlink("http://a.test/dir/page.html?q=1", "X", False, "a")),
            ("<a href='//b.test/y'>Y</a>", Outlink("http://b.test/y", "Y", False, "a")),
            ("<a href='/a?b=1&amp;c=2'>Y</a>", Outlink("http://a.test/a?b=1&c=2", "Y", False, "a")),
            ("<A HREF=' /x '>X</A>", Outlink("http://a.test/x", "X", False, "a")),
            ("<map><area href=/x alt=Map></map>", Outlink("http://a.test/x", "Map", False, "area")),
            ("<iframe src=/x title=T></iframe>", Outlink("http://a.test/x", "T", False, "iframe")),
            ("<frameset><frame src=/x>", Outlink("http://a.test/x", "", False, "frame")),
            (
                "<meta http-equiv=refresh content='0; url=/x'>",
                Outlink("http://a.test/x", "", False, "refresh"),
            ),
            (
                "<meta http-equiv=Refresh content=\"5;URL='/x'\">",
                Outlink("http://a.test/x", "", False, "refresh"),
            ),
            (
                "<link rel='Canonical' href=/x>",
                Outlink("http://a.test/x", "", False, "canonical"),
            ),
        ],
    )
    def test_a_link_is_found_wherever_html_puts_it(self, html, expected):
        assert links(html) == [expected]

    @pytest.mark.parametrize(
        "html",
        [
            "<a>",
            "<a href>",
            "<a href=''>",
            "<a href='#top'>",
            "<a href=page.html>",
            "<a href='page.html#top'>",
            "<a href='javascript:void(0)'>",
            "<a href='JavaScript:go()'>",
            "<a href='mailto:a@a.test'>",
            "<a href='tel:123'>",
            "<a href='data:text/html,x'>",
            "<a href='ftp://a.test/'>",
            "<a href='http://'>",
            "<a href='http://[::'>",
            "<a href='http://a.test:99999/'>",
            "<iframe src='about:blank'></iframe>",
            "<meta http-equiv=refresh content=30>",
            "<link rel=canonical href=page.html>",
            "<link rel=stylesheet href=/x.css>",
            "<template><a href=/x>x</a></template>",
            "<!-- <a href=/x>x</a> -->",
            "<script>'<a href=/x>x</a>'</script>",
        ],
    )
    def test_what_leads_nowhere_else_is_no_outlink(self, html):
        assert links(html) == []

    def test_a_target_is_linked_to_once_by_each_of_its_names(self):
        html = (
            "<a href='/x#1'></a><a href='/x#2'>First</a><a href=http://a.test/x>Second</a>"
            "<a href=/x>FIRST</a>"
        )

        assert links(html) == [
            Outlink("http://a.test/x", "First", False, "a"),
            Outlink("http://a.test/x", "Second", False, "a"),
        ]

    def test_a_page_may_call_another_by_four_names_and_has_as_many_targets_as_ever(self):
        html = "".join(f"<a href=/{n % 2}>name {n}</a>" for n in range(20))

        found = page(html, max_links=2).outlinks

        assert [link.anchor for link in found] == [f"name {n}" for n in (0, 2, 4, 6, 1, 3, 5, 7)]

    @pytest.mark.parametrize("rel", ["prev", "next", "Previous nofollow"])
    def test_the_words_of_a_pager_say_where_a_page_lies_not_what_it_is(self, rel):
        html = (
            f"<a rel='{rel}' href=/x>Next: wool</a><a rel='{rel}' href=/y>On</a><a href=/y>Felt</a>"
        )

        assert [link.anchor for link in links(html)] == ["", "Felt"]

    def test_a_page_with_nofollow_links_has_four_names_too(self):
        html = "".join(f"<a rel=nofollow href=/x>name {n}</a>" for n in range(9))

        assert len(links(html)) == 4

    def test_only_a_link_that_is_followed_names_its_target_if_there_is_one(self):
        html = (
            "<a rel=nofollow href=/x>Paid</a><a href=/x>Free</a><a rel=ugc href=/x>Said</a>"
            "<a rel=nofollow href=/y>Paid</a>"
        )

        assert links(html) == [
            Outlink("http://a.test/x", "Free", False, "a"),
            Outlink("http://a.test/y", "Paid", True, "a"),
        ]

    def test_links_keep_the_order_of_the_page(self):
        assert targets("<a href=/b></a><iframe src=/c></iframe><a href=/a></a>") == [
            "/b",
            "/c",
            "/a",
        ]

    @pytest.mark.parametrize(
        ("html", "anchor"),
        [
            ("<a href=/x> two \n <b>wo</b>rds </a>", "two words"),
            ("<a href=/x><img src=i alt=Alt></a>", "Alt"),
            ("<a href=/x><span><img src=i title=Title></span></a>", "Title"),
            ("<a href=/x title=Title></a>", "Title"),
            ("<a href=/x><h3>Head</h3><p>and<br>te<b>xt</b></p></a>", "Head and text"),
            ("<a href=/x title=Title>Text</a>", "Text"),
            ("<a href=/x><b>Foo</b><span>Bar</span></a>", "FooBar"),
            ("<a href=/x><div>Data<b>Base</b></div>s</a>", "DataBase s"),
            ("<a href=/x><section>A</section><ul><li>B<li>C</ul></a>", "A B C"),
            ("<a href=/x>one<img src=i alt=no>two<br/>three</a>", "one two three"),
            ("<a href=/x>x<script>no()</script><style>no{}</style><!--no-->y</a>", "xy"),
            ("<a href=/x><i><p>A</p></i><i>B</i>C</a>", "A BC"),
            (f"<a href=/x>{'ab ' * 1000}</a>", ("ab " * 67)[:200].strip()),
        ],
    )
    def test_an_anchor_is_what_a_reader_would_call_the_link(self, html, anchor):
        assert links(html)[0].anchor == anchor

    @pytest.mark.parametrize(
        ("html", "feeds"),
        [
            ("<link rel=alternate type=application/rss+xml href=/f>", ["/f"]),
            ("<link rel='Alternate x' type='Application/Atom+XML; a=b' href=f>", ["/f"]),
            ("<base href=/sub/><link rel=alternate type=application/atom+xml href=f>", ["/sub/f"]),
            ("<link rel=alternate type=application/atom+xml href=//b.test/f>", ["//b.test/f"]),
            ("<link rel=alternate type=application/rss+xml href=/f>" * 2, ["/f"]),
            ("<link rel=alternate type=text/html href=/f>", []),
            ("<link rel=alternate hreflang=de href=/f>", []),
            ("<link rel=stylesheet type=application/rss+xml href=/f>", []),
            ("<link rel=alternate type=application/rss+xml href=mailto:x>", []),
            ("<link rel=alternate type=application/rss+xml>", []),
            ("<a rel=alternate type=application/rss+xml href=/f>f</a>", []),
            (
                "<meta name=robots content=nofollow>"
                "<link rel=alternate type=application/rss+xml href=/f>",
                [],
            ),
            (
                "".join(
                    f"<link rel=alternate type=application/rss+xml href=/{n}>" for n in range(9)
                ),
                [f"/{n}" for n in range(MAX_FEEDS)],
            ),
        ],
    )
    def test_a_page_may_name_a_few_feeds(self, html, feeds):
        at = "http://a.test/"
        parsed = parse_page(f"<head>{html}</head>".encode(), at)

        assert parsed.feeds == [urljoin(at, feed) for feed in feeds]
        assert all(link.kind == "a" for link in parsed.outlinks)

    @pytest.mark.parametrize(
        ("html", "nofollow"),
        [
            ("<a href=/x rel=nofollow>x</a>", True),
            ("<a href=/x rel='noopener UGC'>x</a>", True),
            ("<a href=/x rel=sponsored>x</a>", True),
            ("<a href=/x rel=noopener>x</a>", False),
            ("<a href=/x rel=nofollow>x</a><a href=/x>x</a>", False),
            ("<a href=/x>x</a><a href=/x rel=nofollow>x</a>", False),
            ("<a href=/x rel=nofollow>x</a><a href=/x#y rel=nofollow>x</a>", True),
            ("<meta name=robots content=nofollow><a href=/x>x</a>", True),
            ("<a href=/x>x</a><meta name=robots content=none>", True),
            ("<meta name=otherbot content=nofollow><a href=/x>x</a>", False),
        ],
    )
    def test_a_link_is_followed_if_any_of_its_occurrences_may_be(self, html, nofollow):
        assert links(html)[0].nofollow is nofollow

    @pytest.mark.parametrize(
        ("base", "target"),
        [
            ("/other/", "/other/x"),
            ("sub/", "/dir/sub/x"),
            ("http://a.test/deep/er", "/deep/x"),
            ("javascript:1", "/dir/x"),
            ("/q?a=/b/c", "/x"),
        ],
    )
    def test_the_first_base_is_what_links_are_relative_to(self, base, target):
        html = f"<base target=_top><base href='{base}'><base href=/no/><a href=x>x</a>"

        assert targets(html) == [target]

    def test_a_canonical_link_that_is_also_an_anchor_is_an_anchor(self):
        html = "<link rel=canonical href=/x><a href=/x rel=nofollow>X</a><a href=/y>"

        assert links(html)[0] == Outlink("http://a.test/x", "", False, "a")

    def test_no_more_than_the_first_links_are_kept(self):
        html = "<a href=page.html>self</a>" + "".join(f"<a href=/{n}>n</a>" for n in range(100))

        assert targets(html, max_links=3) == ["/0", "/1", "/2"]
        assert len(targets(html, max_links=1000)) == 100

    def test_a_job_may_choose_how_urls_are_normalised(self):
        rules = UrlRules(strip_parameters=frozenset({"sid"}))

        assert targets("<a href='/x?sid=1&b=2'>x</a>", rules=rules) == ["/x?b=2"]

    def test_only_links_inside_of_the_scope_count(self):
        html = (
            "<base href=/b/><nav><a href=/nav>n</a></nav>"
            "<div id=c><p>text <a href=in>i</a> &amp; <a href=/2>2</a></p></div><a href=/out>o</a>"
        )

        assert targets(html, link_scope="//div[@id='c']") == ["/b/in", "/2"]
        assert targets(html, link_scope="//nav | //p") == ["/nav", "/b/in", "/2"]
        assert targets(html, link_scope="//nothing") == []
        assert targets(html, link_scope="count(//a)") == []
        assert targets("", link_scope="//a") == []

    def test_the_scope_of_links_does_not_change_the_document(self):
        html = f"<title>T</title><p>{PROSE}</p><div id=c><a href=/x>x</a></div>"

        assert document(html, link_scope="//div") == document(html)

    @pytest.mark.parametrize("xpath", ["//a[", "nosuch()", "//x:y"])
    def test_a_scope_that_is_no_xpath_is_the_users_fault(self, xpath):
        with pytest.raises(ConfigurationError, match="link_scope"):
            links("<a href=/x>x</a>", link_scope=xpath)


class TestDocument:
    def test_a_document_says_what_the_page_says_of_itself(self):
        html = f"""<!doctype html><html lang="en-GB"><head><title> The
            title </title><meta name=Description content=" In short. ">
            <link rel=canonical href=/canonical>
            <meta property=article:published_time content=2024-01-02T03:04:05Z>
            <meta property=article:modified_time content=2024-02-03>
            </head><body><h1>Head <b>ing</b><a class=headerlink href=#h>¶</a></h1>
            <h3>Sub</h3><h2></h2><p>{PROSE}</p><img src=i alt="An image"><img src=j alt="">
            <img src=k title="A title"><img src=l alt="An image"></body></html>"""

        found = document(html)

        assert found == Document(
            url=URL,
            title="The title",
            description="In short.",
            headings=[(1, "Head ing"), (3, "Sub")],
            text=found.text,
            language="en",
            canonical="http://a.test/canonical",
            published_at="2024-01-02T03:04:05Z",
            modified_at="2024-02-03",
            date="2024-01-02T03:04:05Z",
            date_source="meta",
            images=["An image", "A title"],
        )
        assert "quick brown fox" in found.text
        assert "An image" not in found.text
        assert found.text.split()[:7] == ["Head", "ing", "Sub", "The", "quick", "brown", "fox"]

    @pytest.mark.parametrize(
        ("html", "title"),
        [
            ("", ""),
            ("<title>A &amp; B</title><h1>H</h1>", "A & B"),
            ("<meta property=og:title content=Graph><h1>H</h1>", "Graph"),
            ("<h2>Second</h2>", "Second"),
            ("<svg><title>Icon</title></svg><h1>H</h1>", "H"),
        ],
    )
    def test_a_title_is_the_best_name_there_is(self, html, title):
        assert document(html).title == title

    @pytest.mark.parametrize(
        ("html", "language"),
        [
            ("<html lang=en>", "en"),
            ("<html lang=pt-BR>", "pt"),
            ("<!doctype html><html xml:lang=de_AT>", "de"),
            ("<html lang=''><meta http-equiv=content-language content='fr, en'>", "fr"),
            ("<meta property=og:locale content=es_ES>", "es"),
            ("<html lang='{{lang}}'>", ""),
            ("<p>short", ""),
            (f"<p>{PROSE}", "en"),
            (f"<html lang=sv><p>{PROSE}", "sv"),
        ],
    )
    def test_the_language_is_declared_or_guessed(self, html, language):
        assert document(html).language == language

    @pytest.mark.parametrize(
        ("html", "date"),
        [
            ("<time datetime=2024-05-06>May</time>", "2024-05-06"),
            ("<time>May</time><time datetime='2024-05-06T07:08'>May</time>", "2024-05-06T07:08"),
            ("<meta name=DC.date content=2020-01-01><time datetime=2024-05-06>", "2020-01-01"),
            ("<meta name=dc.date content='last week'>", ""),
            ("<meta name=dc.date content='2024-13-41'>", ""),
            ("<time datetime=PT5M>five minutes</time>", ""),
        ],
    )
    def test_a_date_counts_if_it_is_one(self, html, date):
        assert document(html).published_at == date

    @pytest.mark.parametrize(
        ("html", "date", "source"),
        [
            ("<p>none", "", ""),
            (
                "<meta name=dc.date content=2020-01-01><time datetime=2024-05-06>",
                "2020-01-01",
                "meta",
            ),
            ("<time datetime=2024-05-06>May</time>", "2024-05-06", "time"),
            (LINKED % '{"datePublished": "2024-05-06"}', "2024-05-06", "json-ld"),
            (LINKED % '{"@graph": [{}, {"datePublished": "2024-05"}]}', "2024-05", "json-ld"),
            (LINKED % '[{"mainEntity": {"datePublished": " 2024 "}}]', "2024", "json-ld"),
            (
                LINKED % '{"dateModified": "2024-05-06T07:08:09Z"}',
                "2024-05-06T07:08:09Z",
                "json-ld",
            ),
            (LINKED % '{"comment": [{"datePublished": "2024-05-06"}]}', "", ""),
            (LINKED % '{"datePublished": 2024}', "", ""),
            (LINKED % '{"datePublished": "2024', "", ""),
            (LINKED % ("[" * 100_000), "", ""),
            ("<meta property=article:modified_time content=2024-02-03>", "2024-02-03", "meta"),
        ],
    )
    def test_a_page_has_the_date_that_it_names_and_says_where(self, html, date, source):
        found = document(html)

        assert (found.date, found.date_source) == (date, source)

    @pytest.mark.parametrize(
        ("html", "said"),
        [
            ("", Directives()),
            ("<meta name=robots content=noindex>", Directives(noindex=True)),
            ("<meta name=robots content=NONE>", Directives(noindex=True, nofollow=True)),
            ("<p><meta name=robots content=nofollow>", Directives(nofollow=True)),
            (
                "<meta name=robots content=noindex><meta name=gossamer content=nofollow>",
                Directives(noindex=True, nofollow=True),
            ),
        ],
    )
    def test_a_page_may_forbid_to_be_indexed_and_followed(self, html, said):
        found = page(html)

        assert Directives(found.noindex, found.nofollow) == said

    def test_a_document_survives_the_way_to_another_process(self):
        parsed = page(f"<title>T</title><h1>H</h1><p>{PROSE}<a href=/x>x</a>")

        packed = msgspec.msgpack.encode(parsed)

        assert msgspec.msgpack.decode(packed, type=ParsedPage) == parsed


class TestMainText:
    @pytest.mark.parametrize("main", ["%s", "<main>%s</main>", '<div role="main">%s</div>'])
    def test_the_way_to_the_next_page_is_no_main_text(self, main):
        header = (
            "<div class=navheader><table><tr><th>VACUUM</th></tr><tr><td>Prev</td></tr></table>"
        )
        footer = "<div class=navfooter><a href=/next>Onward</a> Home</div>"
        html = main % f"{header}</div><h1>VACUUM</h1><p>{PROSE}</p>{footer}"

        text = document(html).text

        assert text.split()[:3] == ["VACUUM", "The", "quick"]
        assert "Onward" not in text
        assert "/next" in targets(html)

    @pytest.mark.parametrize(
        "main",
        [
            f"<main>{PROSE}</main>",
            f'<div role="main"><p>{PROSE}</p></div>',
            f"<div><article>{PROSE}</article></div>",
            f"<div id=content><p>{PROSE}</p></div>",
        ],
    )
    def test_menus_and_margins_are_left_out(self, main):
        html = f"<nav><a href=/>Menu</a></nav>{main}<footer>Imprint</footer><script>code</script>"

        text = document(html).text

        assert "quick brown fox" in text
        assert not any(word in text for word in ("Menu", "Imprint", "code"))

    def test_words_of_neighbouring_blocks_are_not_joined(self):
        html = f"<main><table><tr><td>one</td><td>two</td></table><p>th<b>ree</b></p>four {PROSE}"

        assert document(html).text.split()[:4] == ["one", "two", "three", "four"]

    def test_a_section_named_like_a_margin_is_kept_where_main_is_declared(self):
        html = f"<main><section id=related-attributes>Kept</section>{PROSE}</main>"

        assert "Kept" in document(html).text

    @pytest.mark.parametrize(
        "html",
        [
            "<nav>Visible words in the only part of this page that has any</nav>",
            "<main></main><div>Visible words outside of an empty main part of a page</div>",
            "<div class=sidebar>Visible words in the only part of this page that has any</div>",
        ],
    )
    def test_a_page_without_main_text_falls_back_to_what_is_visible(self, html):
        hidden = "<script>S</script><style>S</style><noscript>S</noscript><template>S</template>"

        text = document(html + hidden).text

        assert text.startswith("Visible words")
        assert "S" not in text

    def test_an_article_is_read_by_trafilatura_when_asked(self):
        paragraphs = "".join(f"<p>Paragraph {n}. {PROSE}</p>" for n in range(5))
        html = (
            f"<html><body><div class=menu>Menu</div><article>{paragraphs}</article></body></html>"
        )

        for extractor in ("article", "auto"):
            text = document(html, extractor=extractor).text
            assert "Paragraph 4" in text
            assert "Menu" not in text

    @pytest.mark.parametrize("extractor", ["article", "auto", "fast"])
    def test_a_page_that_is_no_article_is_still_read(self, extractor):
        html = "<meta property=og:type content=article><p>Few words, but more than none</p>"

        assert document(html, extractor=extractor).text == "Few words, but more than none"


def test_the_charset_of_the_header_is_used():
    body = "<title>Grüße</title>".encode("latin-1")

    parsed = parse_page(body, URL, content_type="text/html; charset=latin1")

    assert parsed.documents[0].title == "Grüße"


def test_a_page_of_a_hundred_thousand_links_gives_as_many_as_allowed():
    html = "".join(f"<a href=/{n}>n</a>" for n in range(100_000))

    assert len(links(html)) == 5000


PIECES = st.sampled_from(
    ["<a href=", "'/x'", "x>", "</a>", "<base href=//b.test/c/d>", "<base href='?'>", "<h1>",
     "<main>", "</main>", "<article>", "<table>", "<td>", "</td>", "<p>", "<b a=1>", "</p>",
     "text ", "<html lang=en>", "<body>", "<frameset>", "<iframe src=y>", "<script>",
     "<meta name=robots content=",
     "</script>", "<svg>", "<template>", "<!--", "-->", "&amp;", "\0", "é", "<nav>",
     "http://", "?q=/", "#f", "%zz", "<img alt=a>", '<div role="main">', "'>", "<select>",
     "<meta http-equiv=refresh content='0;url="]
)  # fmt: skip


@often(300)
@given(st.lists(st.one_of(PIECES, st.text(max_size=5)), max_size=40).map("".join))
def test_every_outlink_is_normal_and_leads_away(html):
    for link in parse_page(html.encode("utf-8", "replace"), URL).outlinks:
        assert normalise(link.url) == link.url
        assert link.url != URL


@often(100)
@given(
    st.binary(max_size=300), st.sampled_from(["", "text/html", "text/plain", "text/html;charset=x"])
)
def test_no_bytes_raise(body, content_type):
    parse_page(body, URL, content_type=content_type)
    parse_page(b"<main>" + body, URL, content_type=content_type, link_scope="//body")


@often(25)
@given(st.lists(PIECES, max_size=30).map("".join))
def test_no_page_raises_when_read_as_an_article(html):
    parse_page(html.encode(), URL, extractor="article")


def test_without_links_a_page_says_the_same():
    html = b"""<title>T</title><link rel=canonical href=/c><base href=/d/><h1>H <a href=x>x</a></h1>
    <p>text <a href=y>y</a><img alt=i src=z><area href=w><iframe src=v></iframe>"""

    found, without = parse_page(html, URL), parse_page(html, URL, max_links=0)

    assert found.outlinks
    assert without.outlinks == []
    assert without.documents == found.documents


PARTS = st.sampled_from(["..", ".", "/", "a", "?", "=", ";", ":", "//", "%2e", "\\"])
HREF = st.one_of(st.text(max_size=12), st.lists(PARTS, max_size=8).map("".join))


@often(200)
@example(" ?0", "/a")
@given(HREF, st.sampled_from(["/", "/a", "/a/b?c/d", "/a/;b/", "//x/y", "/a?/", "/..;/b"]))
def test_a_link_resolves_as_it_would_without_being_remembered(href, path):
    url = normalise("http://a.test" + path)
    assert url is not None
    href = href.partition("#")[0]
    escaped = href.replace("&", "&amp;").replace('"', "&quot;").encode("utf-8", "replace")

    found = parse_page(b'<a href="' + escaped + b'">x</a>', url, content_type="a;charset=utf-8")

    expected = normalise(escaped.decode().replace("&amp;", "&").replace("&quot;", '"'), url)
    if href and not set(href) & set("\0\r") and expected not in (None, url):
        assert [link.url for link in found.outlinks] == [expected]


@pytest.mark.parametrize(
    ("inner", "heading"),
    [
        ("Learn C#", "Learn C#"),
        ("F#<a href=#f>#</a>", "F#"),
        ("Silk <a href=#silk>#</a>", "Silk"),
        ("Silk<a href=#silk aria-label=link> # </a>", "Silk"),
        ("Silk¶", "Silk"),
    ],
)
def test_a_heading_ends_with_its_words_and_not_with_a_link_to_itself(inner, heading):
    found = document(f"<title>T</title><h2>{inner}</h2><p>{PROSE}")

    assert found.headings == [(2, heading)]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<div><span>Maker</span><span>Arbor</span></div>", "Maker Arbor"),
        ("<li> <span>Weight</span><span>12 kg</span><span>New</span></li>", "Weight 12 kg New"),
        ("<div class=flex><span>colour</span><span>blue</span></div>", "colour blue"),
        ("<td><span class=label>size</span><span class=value>8</span></td>", "size 8"),
        ("<div><span>Hel</span><span>lo</span></div>", "Hello"),
        ("<div><span>H</span><span>EL</span><span>lo</span></div>", "HELlo"),
        ("<p><span>Mac</span><span>Book</span></p>", "MacBook"),
        ("<div>of <span>Mac</span><span>Book</span></div>", "of MacBook"),
        ("<pre><span>get</span><span>Name</span></pre>", "getName"),
    ],
)
def test_spans_of_a_row_are_words_and_those_of_a_word_are_not(html, text):
    table = f"<table><tr>{html}</table>" if html.startswith("<td") else html

    assert document(f"<body>{table}<p>The rest of it.").text.split("\n")[0].strip() == text
