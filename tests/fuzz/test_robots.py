"""What can the robots.txt of a hostile host do to us?"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.crawl.robots import MAX_ROBOTS_BYTES, Robots, parse_robots
from tests.effort import often
from tests.fuzz.bounds import within

AGENT = "Gossamer/0.1 (+https://us.test)"
URLS = st.sampled_from(
    ["http://a.test/", "http://a.test/" + "a" * 200, "http://a.test/%2A?*$", "http://[::1]:81/x",
     "http://a.test/robots.txt", "http://a.test/a/b/c?d=e&f"]
)  # fmt: skip
FIELDS = ["User-agent", "user agent", "Allow", "Disallow", "Crawl-delay", "Request-rate", "Sitemap",
          "Disalow", "Host", "", "\ufeff"]  # fmt: skip
VALUES = st.sampled_from(
    ["*", "/", "/*", "/$", "*$*$", "/%", "/%zz", "/a*b*c*", "gossamer", "Gossamer/2", "nan", "inf",
     "-inf", "1e999", "-1", "1/0", "0/1", "1/5d", "9" * 400 + "/1s", "1/1 0000-2400", "٣", "", "\0",
     "\ud800"]
) | st.text(max_size=12)  # fmt: skip
LINES = st.tuples(
    st.sampled_from(FIELDS), st.sampled_from([":", " : ", " ", "::", ""]), VALUES
).map("".join)
TEXTS = st.lists(LINES | st.text(max_size=20), max_size=12).map("\n".join)
WORST = {
    "stars": "/" + "*" * 90_000 + "b$",
    "stars and letters": "/" + "*a" * 45_000 + "*b",
    "dollars": "/" + "$" * 90_000,
    "percents": "/" + "%" * 90_000,
    "spaces": " " * 90_000 + "x",
    "brackets": "/" + "(" * 45_000 + ")" * 45_000,
}


def robots(text: str) -> Robots:
    return parse_robots(text.encode(errors="replace"), 200)


@often(300)
@given(TEXTS, URLS, st.sampled_from([AGENT, "", "*", "\ud800", "x" * 300]))
def test_any_rules_give_an_answer_that_can_be_obeyed(text, url, agent):
    with within():
        found = robots(text)
        allowed, delay, sitemaps = (
            found.allows(url, agent),
            found.crawl_delay(agent),
            found.sitemaps(),
        )

    assert isinstance(allowed, bool)
    assert delay is None or (math.isfinite(delay) and delay >= 0)
    assert len(sitemaps) == len(set(sitemaps))


@often(150)
@given(st.lists(LINES, max_size=8), st.integers(0, 8), URLS)
def test_a_line_that_means_nothing_changes_nothing(lines, at, url):
    lines = [line for line in lines if "\n" not in line and "\r" not in line]
    with_more = [*lines[:at], "# Disallow: /", "Nonsense: /", "\x00\x01", *lines[at:]]

    plain, noisy = robots("\n".join(lines)), robots("\n".join(with_more))

    assert noisy.allows(url, AGENT) == plain.allows(url, AGENT)
    assert noisy.crawl_delay(AGENT) == plain.crawl_delay(AGENT)


@pytest.mark.parametrize("value", WORST.values(), ids=WORST)
@pytest.mark.parametrize("field", ["Disallow", "Allow", "User-agent", "Crawl-delay", "Sitemap"])
def test_the_worst_values_are_read_in_time(field, value):
    found = robots(f"User-agent: *\n{field}: {value}\nDisallow: /x")

    with within():
        found.allows("http://a.test/" + "a" * 2_000, AGENT)
        found.allows("http://a.test/" + "a*" * 30_000, AGENT)
        found.crawl_delay(AGENT)
        found.sitemaps()


@pytest.mark.parametrize(
    "line",
    ["Disallow: /*a*b*c*d*e*f*g\n", "User-agent: x\n", "User-agent: gossamer\nDisallow:\n",
     "Sitemap: /\n", "Crawl-delay: 1\n", ":\n", "\r", "Allow: /%41%zz*$\n"],
)  # fmt: skip
def test_as_many_lines_as_there_may_be_are_read_in_time(line):
    body = ("User-agent: *\n" + line * (MAX_ROBOTS_BYTES // len(line))).encode()

    with within(3 * len(body) / 100_000):
        found = parse_robots(body, 200)
        found.allows("http://a.test/" + "abcdef" * 300, AGENT)
        found.crawl_delay(AGENT)
