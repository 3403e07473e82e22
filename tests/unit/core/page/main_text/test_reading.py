import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.html import parse_page
from tests.effort import often
from tests.unit.core.page.main_text.pages import (
    FOOTER,
    MENU,
    URL,
    framed,
    prose,
    sentence,
    text_of,
)

ARTICLE = '<script type="application/ld+json">{"@type": "NewsArticle"}</script>'
TAGS = ["main", "article", "div class=menu", "div hidden", "section id=comments", "p", "ul", "li"]


class TestArticle:
    def test_related_links_and_the_author_are_left_out(self):
        related = "".join(f"<li><a href=/r{n}>Another story of day {n}</a>" for n in range(9))
        author = "<div class=author-bio>Written by a traveller of wide renown</div>"
        html = framed(f"<div><div>{prose(6)}{author}</div><ul>{related}</ul></div>", ARTICLE)

        text = text_of(html)

        assert sentence(11) in text
        assert "Another story" not in text
        assert "traveller" not in text
        assert "Imprint" not in text

    def test_teasers_below_their_heading_are_left_out(self):
        teasers = "".join(f"<p><a href=/{n}>Tale {n}</a> of a day at sea</p>" for n in range(5))
        html = framed(f"<main>{prose(6)}<section><p>Related tales and stories</p>{teasers}</main>")

        text = text_of(html)

        assert sentence(11) in text
        assert "at sea" not in text

    def test_prose_beside_the_article_is_left_out(self):
        aside = f"<div><p>{sentence(90)}</p></div>"
        html = framed(f"<div><div>{prose(9)}</div>{aside}</div>", ARTICLE)

        text = text_of(html)

        assert sentence(17) in text
        assert sentence(90) not in text

    def test_several_main_parts_are_weighed(self):
        html = framed(f"<main>Loading the player of this page</main><main>{prose(5)}</main>")

        assert sentence(9) in text_of(html)
        assert sentence(9) in text_of(html, extractor="fast")

    @pytest.mark.parametrize("extractor", ["auto", "fast"])
    @pytest.mark.parametrize("tag", ["main", "article"])
    def test_a_declared_part_with_little_text_is_not_believed(self, tag, extractor):
        html = framed(f"<{tag}>A title of thirty-three letters..</{tag}><div>{prose(8)}</div>")

        assert sentence(15) in text_of(html, extractor=extractor)


class TestForum:
    def test_posts_under_comments_are_the_text(self):
        posts = "".join(f"<div class=comment>{prose(2, 10 * n)}</div>" for n in range(5))
        html = framed(f"<main><h1>Question</h1><section id=comments>{posts}</section></main>")

        text = text_of(html, "http://a.test/threads/5")

        assert all(sentence(10 * n + 3) in text for n in range(5))
        assert "Entry" not in text

    def test_posts_are_the_text_where_nothing_says_that_it_is_a_forum(self):
        posts = "".join(f"<div class=comment>{prose(2, 10 * n)}</div>" for n in range(5))
        html = framed(f"<section id=comments>{posts}</section>")

        assert all(sentence(10 * n + 3) in text_of(html) for n in range(5))

    def test_posts_for_browsers_without_scripts_are_read(self):
        html = f"<body><div>Loading</div><noscript>{prose(5)}</noscript></body>"

        assert sentence(9) in text_of(html, "http://forum.a.test/5")

    def test_what_tells_of_the_writer_is_left_out_and_quotations_are_read_once(self):
        posts = "".join(
            f"<li>{prose(2, 10 * n)}<blockquote>{sentence(0)}</blockquote>"
            f"<div class=post-signature>Writer of {n} posts</div>"
            for n in range(1, 5)
        )
        html = framed(f"<main><h1>Question</h1><p>{sentence(0)}</p><ol>{posts}</ol></main>")

        text = text_of(html, "http://a.test/threads/5")

        assert sentence(43) in text
        assert text.count(sentence(0)) == 1
        assert "Writer" not in text

    def test_a_short_hint_to_switch_scripts_on_is_not_read(self):
        html = f"<body>{prose(4)}<noscript>Please enable JavaScript to see it all</noscript>"

        assert "JavaScript" not in text_of(html)


class TestLists:
    def test_every_record_of_a_list_is_read(self):
        records = "".join(
            f"<div class='card post'><h3><a href=/p{n}>Voyage {n}</a></h3>"
            f"<span class=date>Day {n}</span><p>{sentence(n)}</p></div>"
            for n in range(20)
        )
        html = framed(f"<main><h1>Voyages</h1>{records}</main>")

        text = text_of(html)

        assert all(sentence(n) in text and f"Voyage {n}\n" in text for n in range(20))
        assert "Entry" not in text

    def test_a_list_of_articles_is_not_cut_to_its_first(self):
        records = "".join(f"<article>{prose(1, 2 * n)}</article>" for n in range(6))

        assert all(sentence(n) in text_of(framed(records)) for n in range(12))

    def test_a_name_that_marks_most_of_a_page_marks_no_margin(self):
        records = "".join(f"<div class=teaser>{prose(1, 2 * n)}</div>" for n in range(6))

        assert all(sentence(n) in text_of(framed(records)) for n in range(12))


class TestProduct:
    HEAD = "<meta property=og:type content=product>"

    def test_a_description_for_two_sizes_of_screen_is_read_once(self):
        wide, narrow = (f"<div class={size}>{prose(3)}</div>" for size in ("wide", "narrow"))
        html = framed(f"<div><h1>Compass</h1>$ 12.50 {wide}{narrow}</div>", self.HEAD)

        text = text_of(html)

        assert text.count(sentence(4)) == 1
        assert "12.50" in text

    def test_what_is_folded_is_read_and_what_is_only_read_aloud_is_not(self):
        folded = f"<div aria-hidden=true>{prose(1)}</div>"
        aloud = "<span class=visually-hidden>Regular price</span>"
        html = framed(f"<div><h1>Compass</h1>{aloud}{prose(2, 20)}{folded}</div>", self.HEAD)

        text = text_of(html)

        assert sentence(1) in text
        assert "Regular price" not in text

    def test_a_notice_about_cookies_is_left_out_though_it_is_longer_than_the_text(self):
        notice = f"<div id=cookie-consent>{prose(9, 50)}</div>"

        text = text_of(framed(f"<div>{prose(4)}</div>{notice}", self.HEAD))

        assert sentence(7) in text
        assert sentence(60) not in text


class TestDocumentation:
    def test_sections_are_kept_whatever_they_are_called(self):
        sections = "".join(
            f"<section id={name}><h2>{name}</h2>{prose(2, 10 * n)}</section>"
            for n, name in enumerate(["related-modules", "cookies", "footer", "comments"])
        )
        head = "<meta name=generator content='Docutils 0.19'>"
        html = framed(f"<div role=main>{sections}</div>", head)

        text = text_of(html)

        assert all(sentence(10 * n + 3) in text for n in range(4))
        assert text == text_of(html, extractor="fast")


class TestOther:
    def test_a_service_is_read_with_all_its_sections(self):
        sections = "".join(f"<section>{prose(2, 10 * n)}</section>" for n in range(5))

        text = text_of(framed(f"<div>{sections}</div>"))

        assert all(sentence(10 * n + 3) in text for n in range(5))
        assert "Imprint" not in text

    @pytest.mark.parametrize("extractor", ["auto", "fast", "article"])
    def test_a_page_of_margins_is_read_all_the_same(self, extractor):
        html = f"<nav>{prose(3)}</nav>{FOOTER}"

        assert sentence(5) in text_of(html, extractor=extractor)

    @often(200)
    @given(st.lists(st.tuples(st.sampled_from(TAGS), st.integers(0, 3)), max_size=12))
    def test_no_page_that_shows_text_is_read_as_empty(self, parts):
        body = "".join(
            f"<{tag}>{'Some words that are shown. ' * times}</{tag.split()[0]}>"
            for tag, times in parts
        )

        text = text_of(f"<body>{MENU if parts else ''}{body}</body>")

        assert bool(text) == bool(parts)

    @often(200)
    @given(st.lists(st.sampled_from([*TAGS, "/div", "/main", "/ul", "noscript", "frameset"])))
    def test_no_page_raises(self, tags):
        html = "".join(f"<{tag}>word" for tag in tags)

        parse_page(html.encode(), URL)
