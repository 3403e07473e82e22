"""Can an address be written that is not seen for what it is?"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from ada_url import URL
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.core.crawl.scope import Scope
from gossamer.core.crawl.traps import TrapConfig, is_calendar_like, pattern_of, trap
from gossamer.core.errors import ConfigurationError
from gossamer.core.urls import (
    MAX_LENGTH,
    host_of,
    hostname_of,
    normalise,
)
from tests.effort import often
from tests.fuzz.bounds import SIZE, within

HOSTS = [
    "a.test", "A.TEST.", "[::1]", "0x7f.1", "127.1", "xn--a", "ü.test", "a..b", "%61.test",
    "user@a.test", "user:pw@a.test", "a.test@b.test", "a.test\\@b.test", "a.test%00.b",
    "a.test:80", "a.test:080", "a.test:99999", "", "-", "\u202ea.test", "\uff41.test", "a_b.c",
    "a.test%23@b.test", "[::ffff:127.0.0.1]", "\uff11\uff12\uff17.0.0.1", "a\u00ad.test",
]  # fmt: skip
PIECES = [
    "http://", "HTTPS:", "https:\\\\", "//", "/", "\\", "..", "%2e%2E", "%", "%zz", "%00",
    "%0d%0a", "#", "?", "&", "=", ";", "@", ":", "\t", "\n", "\r", "\0", " ", "\u2028", "é", "🕸",
    "\ud800", "\u202e", "javascript:", "data:", "ftp://", "x", "utm_a=1", "[", "]", "{", "|", "`",
]  # fmt: skip
HOSTILE = st.one_of(
    st.lists(st.sampled_from(PIECES) | st.sampled_from(HOSTS), max_size=12).map("".join),
    st.tuples(
        st.sampled_from(["http://", "https://", "//", "http:/", "https:"]),
        st.sampled_from(HOSTS),
        st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
    ).map("".join),
    st.text(max_size=60),
)
BASES = st.sampled_from([None, "http://b.test/x/y?z", "https://u:p@b.test:8443/#f"]) | HOSTILE
WORST = {
    "one letter": "http://a.test/" + "a" * SIZE,
    "steps up": "http://a.test/" + "../" * 21_000,
    "steps down and up": "http://a.test/" + "a/" * 16_000 + "../" * 10_000,
    "escapes": "http://a.test/" + "%41" * 21_000,
    "half escapes": "http://a.test/" + "%" * 21_000,
    "parameters": "http://a.test/?" + "&".join(f"a{n}" for n in range(100_000)),
    "parameters that fit": "http://a.test/?" + "a&" * 32_000,
    "labels": "http://" + "a." * 32_000 + "/",
    "a long label": "http://" + "a" * 65_000 + "/",
    "users": "http://" + "a@" * 32_000 + "a.test/",
    "international labels": "http://" + "ü." * 3_000 + "test/",
    "one bracket after another": "http://" + "[" * 65_000,
    "digits": "http://a.test/" + "1/" * 32_000,
    "dates": "http://a.test/" + "2031/05/" * 8_000,
    "hex": "http://a.test/" + "a1" * 32_000 + "g",
    "colons": ":" * 65_000,
}


@often(300)
@given(HOSTILE, BASES)
@example("http://a.test@b.test/", None)
@example("http://a.test\\@b.test/", None)
@example("/\\b.test/x", "http://a.test/")
@example("http://a.test%23@b.test/", None)
def test_a_normal_url_is_read_alike_by_everyone(url, base):
    with within():
        normal = normalise(url, base)

    if normal is None:
        return
    for other in (urlsplit(normal), URL(normal)):
        assert (other.hostname or "").strip("[]") == hostname_of(normal).strip("[]")
        assert not other.username
        assert not other.password
    assert urlsplit(normal).fragment == ""
    assert re.fullmatch(r"https?://[!-~]+", normal)
    assert "@" not in host_of(normal)
    assert "#" not in normal
    assert len(normal) <= MAX_LENGTH
    assert "/../" not in normal.partition("?")[0] + "/"


@pytest.mark.parametrize("url", WORST.values(), ids=WORST)
def test_the_worst_addresses_are_judged_in_time(url):
    scope = Scope(domains=("a.test",), exclude=(r"(a+)+$", r"(.*a){20}", r"(?:/[^/]*)*x"))

    with within():
        normal = normalise(url) or normalise("http://a.test/")
        joined = normalise(url[14:], "http://a.test/x/")
        for found in filter(None, (normal, joined, url)):
            scope.reject(found, 0)
            trap(found, TrapConfig(), 2026)
            pattern_of(found)
            is_calendar_like(found)


@often(150)
@given(HOSTILE)
def test_judging_an_address_never_raises(url):
    for found in filter(None, (url, normalise(url))):
        trap(found, TrapConfig(max_url_length=10**9), 2026)
        pattern_of(found)
        is_calendar_like(found)


PATTERN_PIECES = [
    "(", ")", "a", "+", "*", "{1000}", "|", "[", "]", "\\", "^", "$", ".", "?", "(?i)", "(?=a)",
    "\\1", "\\p{L}", "\0", "é", "\ud800", "(?P<n>", "\\C", "-",
]  # fmt: skip


@often(100)
@given(st.lists(st.sampled_from(PATTERN_PIECES), max_size=12).map("".join))
@example("(((a{30}){30}){30})")
@example("(" * 5000)
@example("a" * SIZE)
@example("(a|b" * 2000 + ")" * 2000)
def test_a_pattern_is_refused_or_answers_in_time(pattern):
    try:
        with within():
            scope = Scope(exclude=(pattern,))
    except ConfigurationError:
        return
    with within():
        scope.reject("http://a.test/" + "a" * 60_000, 0)
