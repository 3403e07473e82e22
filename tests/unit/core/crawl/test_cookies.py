"""Are cookies kept and sent as RFC 6265 says, and never further than their site?"""

from __future__ import annotations

import email.message
import urllib.request
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.crawl.cookies import MAX_BYTES, MAX_COOKIES, handed_on, header_for, with_set
from tests.effort import often

NOW = 1_700_000_000.0
URL = "https://shop.example.com/a/b?q=1"


def jar(*lines: str, url: str = URL, before: str = "") -> str:
    return with_set(before, url, [("Set-Cookie", line) for line in lines], NOW)


def sent(*lines: str, to: str = URL, url: str = URL) -> str:
    return header_for(jar(*lines, url=url), to)


@pytest.mark.parametrize(
    ("line", "header"),
    [
        ("s=1", "s=1"),
        ("  s = 1 ; HttpOnly; SameSite=Lax", "s=1"),
        ('s="a,b=c"', 's="a,b=c"'),
        ("s=", "s="),
        ("s=1; Max-Age=60", "s=1"),
        ("s=1; Expires=Fri, 01 Jan 2100 00:00:00 GMT", "s=1"),
        ("s=1; Expires=Fri, 01-Jan-2100 00:00:00 GMT", "s=1"),
        ("s=1; Expires=some day", "s=1"),
        ("s=1; Max-Age=x; Path=relative", "s=1"),
        ("s=é", "s=é"),
        ("s", ""),
        ("=1", ""),
        ("", ""),
        ("s=1\x01", ""),
        ("s=1; Max-Age=0", ""),
        ("s=1; Max-Age=-5; Expires=Fri, 01 Jan 2100 00:00:00 GMT", ""),
        ("s=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", ""),
    ],
)
def test_a_line_is_read_as_servers_write_it(line, header):
    assert sent(line) == header


@pytest.mark.parametrize(
    ("line", "to", "is_sent"),
    [
        ("s=1", "https://shop.example.com/a/", True),
        ("s=1", "https://shop.example.com/a", True),
        ("s=1", "https://shop.example.com/ab", False),
        ("s=1", "https://shop.example.com/", False),
        ("s=1; Path=/", "https://shop.example.com/z?q", True),
        ("s=1; Path=/a/b/", "https://shop.example.com/a/b", False),
        ("s=1; Path=/", "https://shop.example.com:8443/", False),
        ("s=1; Path=/", "https://example.com/", False),
        ("s=1; Path=/", "https://my.shop.example.com/", False),
        ("s=1; Path=/; Domain=.Example.com", "https://example.com/", True),
        ("s=1; Path=/; Domain=example.com", "https://other.example.com/", True),
        ("s=1; Path=/; Domain=example.com", "https://badexample.com/", False),
        ("s=1; Path=/; Domain=other.example.com", "https://other.example.com/", False),
        ("s=1; Path=/; Domain=com", "https://shop.example.com/", False),
        ("s=1; Path=/; Secure", "https://shop.example.com/", True),
        ("s=1; Path=/; Secure", "http://shop.example.com/", False),
        ("s=1; Path=/", "http://shop.example.com/", True),
    ],
)
def test_a_cookie_goes_only_where_it_belongs(line, to, is_sent):
    assert bool(sent(line, to=to)) is is_sent


@pytest.mark.parametrize(
    ("url", "line"),
    [
        ("http://a.github.io/", "s=1; Domain=github.io"),
        ("http://www.bbc.co.uk/", "s=1; Domain=co.uk"),
        ("http://127.0.0.1:8000/", "s=1; Domain=0.0.1"),
        ("http://a.test/", "s=1; Secure"),
    ],
)
def test_a_cookie_that_claims_too_much_is_none(url, line):
    assert jar(line, url=url) == ""


def test_a_later_cookie_of_the_same_name_host_and_path_replaces_it():
    first = jar("s=1; Path=/", "t=1; Path=/")

    assert header_for(jar("s=2; Path=/", before=first), URL) == "s=2; t=1"
    assert header_for(jar("s=2; Path=/a", before=first), URL) == "s=2; s=1; t=1"
    assert header_for(jar("s=; Path=/; Max-Age=0", before=first), URL) == "t=1"


@pytest.mark.parametrize(
    "target", ["https://example.org/", "https://shop.example.net/", "http://127.0.0.1/"]
)
def test_nothing_is_handed_on_to_another_registrable_domain(target):
    assert handed_on(jar("s=1"), URL, target) == ""


def test_all_is_handed_on_within_it():
    kept = jar("s=1")

    assert handed_on(kept, URL, "http://www.example.com/") == kept


def test_a_jar_is_bounded_in_number_and_bytes():
    many = jar(*(f"c{i}=1" for i in range(100)))
    large = jar(*(f"c{i}={'x' * 1500}" for i in range(10)))

    assert header_for(many, URL).count("=") == MAX_COOKIES
    assert len(header_for(large, URL)) < MAX_BYTES
    assert header_for(large, URL).count("=") == 2


@given(st.text(max_size=40))
def test_a_jar_that_is_none_is_empty(text):
    assert header_for(text, URL) == ""


@often(200)
@given(st.lists(st.text(max_size=60) | st.from_regex(r"[a-z]=[a-z0-9;= ,/.-]{0,60}"), max_size=30))
def test_no_lines_break_a_header_or_the_bounds(lines):
    kept = jar(*lines)

    header = header_for(kept, URL)
    assert not any(letter < " " and letter != "\t" for letter in header)
    assert len(header) <= MAX_BYTES + 3 * MAX_COOKIES
    assert jar(*lines, before=kept) == jar(*lines, before=jar(*lines, before=kept))


NAMES = st.sampled_from(["a", "b", "c"])
PATHS = st.sampled_from(["", "/", "/a", "/a/b", "/a/b/"])
LINES = st.builds(
    lambda name, value, path, secure: (
        f"{name}={value}" + (f"; Path={path}" if path else "") + secure
    ),
    NAMES,
    st.sampled_from(["1", "2", "3"]),
    PATHS,
    st.sampled_from(["", "; Secure"]),
)
URLS = st.builds(
    lambda scheme, host, path: f"{scheme}://{host}.example.com{path}",
    st.sampled_from(["http", "https"]),
    st.sampled_from(["www", "shop"]),
    st.sampled_from(["/", "/a", "/a/b", "/a/b/c", "/ab"]),
)


class _Said:
    """A response as the standard library's jar wants it."""

    def __init__(self, lines: list[str]) -> None:
        self._message = email.message.Message()
        for line in lines:
            self._message["Set-Cookie"] = line

    def info(self) -> email.message.Message:
        return self._message


@often(300)
@given(st.lists(st.tuples(st.just("https"), URLS, st.lists(LINES, max_size=3)), max_size=4), URLS)
def test_it_sends_what_the_standard_library_sends(visits, url):
    """An oracle; its policy is told to keep cookies without a Domain on their host."""
    strict = DefaultCookiePolicy(strict_ns_domain=DefaultCookiePolicy.DomainStrictNonDomain)
    theirs, ours = CookieJar(strict), ""
    for _, visited, lines in visits:
        asked = visited.replace("http://", "https://")
        request = urllib.request.Request(asked)
        theirs.extract_cookies(cast("Any", _Said(lines)), request)
        ours = with_set(ours, asked, [("set-cookie", line) for line in lines], NOW)

    asking = urllib.request.Request(url)
    theirs.add_cookie_header(asking)
    header = asking.get_header("Cookie") or ""
    assert sorted(header_for(ours, url).split("; ")) == sorted(header.split("; "))
