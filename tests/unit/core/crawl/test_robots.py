import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.crawl.robots import MAX_ROBOTS_BYTES, Robots, parse_robots

AGENT = "Gossamer/0.1 (+https://gossamer.test/bot)"


def robots(text: str) -> Robots:
    return parse_robots(text.encode(), 200)


def may_fetch(text: str, path: str) -> bool:
    return robots(text).allows("http://a.test" + path, AGENT)


@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        # No rule speaks to us.
        ("", "/x", True),
        ("User-agent: other\nDisallow: /", "/x", True),
        ("Disallow: /", "/x", True),
        ("<html><body>Not found</body></html>", "/x", True),
        # The group of everyone.
        ("User-agent: *\nDisallow: /x", "/x/y", False),
        ("User-agent: *\nDisallow: /x", "/y", True),
        ("User-agent: *\nDisallow:", "/x", True),
        # Our own group replaces it, whatever the case and the version.
        ("User-agent: *\nDisallow: /\n\nUser-agent: gossamer\nDisallow: /p", "/x", True),
        ("User-agent: GOSSAMER\nDisallow: /p\n\nUser-agent: *\nDisallow: /", "/p", False),
        ("User-agent: *\nDisallow: /\n\nUser-agent: Gossamer/0.1\nAllow: /", "/x", True),
        ("User-agent: *\nDisallow: /\n\nUser-agent: gossamer\nDisallow:", "/x", True),
        # Only the whole product token is our name; a part of it, or a word of the comment, is not.
        ("User-agent: goss\nDisallow: /", "/x", True),
        ("User-agent: bot\nDisallow: /", "/x", True),
        ("User-agent: gossamer-news\nDisallow: /", "/x", True),
        ("User-agent: * # all\nDisallow: /", "/x", False),
        # Groups of one agent are one group; several agents share one.
        ("User-agent: gossamer\nDisallow: /a\n\nUser-agent: gossamer\nDisallow: /b", "/a", False),
        ("User-agent: gossamer\nDisallow: /a\n\nUser-agent: gossamer\nDisallow: /b", "/b", False),
        ("User-agent: gossamer\nUser-agent: other\nDisallow: /a", "/a", False),
        ("User-agent: gossamer\n\n\nUser-agent: other\nDisallow: /a", "/a", False),
        # Lines of other kinds do not take groups apart (RFC 9309, 2.2.4).
        ("User-agent: gossamer\nNoindex: /q\nUser-agent: other\nDisallow: /a", "/a", False),
        ("User-agent: gossamer\nSitemap: /s\nUser-agent: other\nDisallow: /a", "/a", False),
        ("User-agent: gossamer\nDisallow: /a\nSitemap: /s\nDisallow: /b", "/b", False),
        # The longest match decides, and a tie allows.
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b", True),
        ("User-agent: *\nAllow: /a\nDisallow: /a/b", "/a/b", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a", "/a", True),
        ("User-agent: *\nAllow: /p\nDisallow: /", "/page", True),
        ("User-agent: *\nAllow: /page\nDisallow: /*.htm", "/page.htm", False),
        ("User-agent: *\nAllow: /$\nDisallow: /", "/", True),
        ("User-agent: *\nAllow: /$\nDisallow: /", "/page.htm", False),
        # Wildcards and anchors.
        ("User-agent: *\nDisallow: /*.php", "/a/b.php?c", False),
        ("User-agent: *\nDisallow: /*.php$", "/a/b.php?c", True),
        ("User-agent: *\nDisallow: /*.php$", "/a/b.php", False),
        ("User-agent: *\nDisallow: /a*b*c", "/a1b2c3", False),
        ("User-agent: *\nDisallow: /a*b*c", "/a1c2b", True),
        ("User-agent: *\nDisallow: *.gif", "/i/x.gif", False),
        ("User-agent: *\nDisallow: /search?q=", "/search?q=a", False),
        # Paths are compared by what they mean, and by case.
        ("User-agent: *\nDisallow: /foo/ツ", "/foo/%E3%83%84", False),
        ("User-agent: *\nDisallow: /foo/%e3%83%84", "/foo/%E3%83%84", False),
        ("User-agent: *\nDisallow: /foo/%62%61%7A", "/foo/baz", False),
        ("User-agent: *\nDisallow: /a b", "/a%20b", False),
        ("User-agent: *\nDisallow: /X", "/x", True),
        # Spellings.
        ("user-agent:*\ndisallow:/x", "/x", False),
        ("User-agent: *\rDisallow: /x\r", "/x", False),
        ("User-agent: *\r\nDisallow: /x # not here\r\n", "/x", False),
        ("  User-agent : *\n  Disallow : /x", "/x", False),
        ("User agent: *\nDissallow: /x", "/x", False),
        ("User-agent *\nDisallow /x", "/x", False),
        ("\ufeffUser-agent: *\nDisallow: /x", "/x", False),
        # The rules themselves may always be read.
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
    ],
)
def test_a_path_is_allowed_as_rfc_9309_says(text, path, allowed):
    assert may_fetch(text, path) is allowed


@pytest.mark.parametrize("code", [400, 401, 403, 404, 410, 451])
def test_a_missing_robots_txt_allows_everything(code):
    found = parse_robots(b"User-agent: *\nDisallow: /", code)

    assert found.allows("http://a.test/x", AGENT)
    assert not found.unavailable


@pytest.mark.parametrize("code", [0, 500, 502, 503, 504])
def test_an_unreachable_robots_txt_forbids_everything_but_itself(code):
    found = parse_robots(b"", code)

    assert found.unavailable
    assert not found.allows("http://a.test/", AGENT)
    assert found.allows("http://a.test/robots.txt", AGENT)


@pytest.mark.parametrize(
    ("text", "delay"),
    [
        ("", None),
        ("User-agent: *\nDisallow: /x", None),
        ("User-agent: *\nCrawl-delay: 2.5", 2.5),
        ("User-agent: *\nCrawl-delay: 10\n\nUser-agent: gossamer\nCrawl-delay: 1", 1.0),
        ("User-agent: *\nCrawl-delay: 10\n\nUser-agent: gossamer\nDisallow: /x", None),
        ("User-agent: *\nCrawl-delay: soon", None),
        ("User-agent: *\nCrawl-delay: nan", None),
        ("User-agent: *\nCrawl-delay: -1", None),
        ("User-agent: *\nRequest-rate: 1/10", 10.0),
        ("User-agent: *\nRequest-rate: 30/1m", 2.0),
        ("User-agent: *\nRequest-rate: 1/10\nCrawl-delay: 3", 10.0),
        ("User-agent: *\nRequest-rate: 1/10\nCrawl-delay: 30", 30.0),
    ],
)
def test_the_slower_of_all_wishes_is_the_crawl_delay(text, delay):
    assert robots(text).crawl_delay(AGENT) == delay


def test_sitemaps_are_named_outside_of_groups_and_once():
    text = "Sitemap: http://a.test/s.xml\nUser-agent: *\nSITEMAP: /t.xml\nSitemap: /t.xml"

    assert robots(text).sitemaps() == ["http://a.test/s.xml", "/t.xml"]


def test_a_long_robots_txt_is_cut_between_two_lines():
    head = b"User-agent: *\nDisallow: /secret\n"
    filler = b"#" * (MAX_ROBOTS_BYTES - len(head) - 12) + b"\n"
    body = head + filler + b"Disallow: /public-not\n" + b"Disallow: /late\n"

    found = parse_robots(body, 200)

    assert len(found.text) <= MAX_ROBOTS_BYTES
    assert not found.allows("http://a.test/secret", AGENT)
    assert found.allows("http://a.test/public", AGENT)
    assert found.allows("http://a.test/late", AGENT)


def test_a_line_that_ends_at_the_limit_still_counts():
    rule = b"User-agent: *\nDisallow: /x"
    body = b"#" * (MAX_ROBOTS_BYTES - len(rule) - 1) + b"\n" + rule + b"\n#" + b"x" * 100

    assert not parse_robots(body, 200).allows("http://a.test/x", AGENT)


def test_bytes_that_are_no_utf8_spoil_only_their_own_line():
    found = parse_robots(b"User-agent: *\nDisallow: /\xff\xfe\nDisallow: /x", 200)

    assert not found.allows("http://a.test/x", AGENT)
    assert found.allows("http://a.test/y", AGENT)


def test_stored_rules_are_equal_to_fresh_ones():
    fresh = robots("User-agent: *\nDisallow: /x")

    stored = Robots(code=fresh.code, text=fresh.text, unavailable=fresh.unavailable)

    assert stored == fresh
    assert not stored.allows("http://a.test/x", AGENT)


@given(st.binary(max_size=300), st.integers(0, 599))
def test_no_robots_txt_raises(body, code):
    found = parse_robots(body, code)

    found.allows("http://a.test/x?y", AGENT)
    found.crawl_delay(AGENT)
    found.sitemaps()


LINE = st.sampled_from(
    ["User-agent: *", "User-agent: gossamer", "Disallow: /", "Allow: /*a$", "Disallow: /%zz*%",
     "Crawl-delay: 1", "Request-rate: 1/0", "Sitemap: x", "", "#", "Disallow: $", "Allow: *"]
)  # fmt: skip


@given(st.lists(LINE).map("\n".join))
def test_no_order_of_lines_raises(text):
    robots(text).allows("http://a.test/a", AGENT)
    robots(text).crawl_delay(AGENT)
