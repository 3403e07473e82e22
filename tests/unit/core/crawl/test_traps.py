from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.crawl.traps import TrapConfig, is_calendar_like, pattern_of, trap

RULES = TrapConfig()
YEAR = 2026

TRAPS = [
    ("/" + "y" * 2048, "too-long"),
    ("/" + "/".join(f"s{n}" for n in range(21)), "path-too-deep"),
    ("/a/a/a", "repeated-segments"),
    ("/a/b/a/c/a/", "repeated-segments"),
    ("/a/b/a/b/a/b", "repeated-segments"),
    ("/x/1/2/1/2/1/2", "repeated-segments"),
    ("/a//b//c//d", "repeated-segments"),
    ("/l?" + "&".join(f"p{n}=1" for n in range(13)), "query-explosion"),
    ("/l?q=" + "x" * 511, "query-explosion"),
    ("/l?f=1&f=2&F=3&f=4&f=5", "query-explosion"),
    ("/x;jsessionid=0A1B2C", "session-id"),
    ("/x;JSESSIONID=0A1B2C?y=1", "session-id"),
    ("/(S(lit3py55t21z5v55vlm25s55))/x.aspx", "session-id"),
    ("/x?jsessionid=1", "session-id"),
    ("/x?a=1&PHPSESSID=abc", "session-id"),
    ("/x?ASPSESSIONIDQQABC=1", "session-id"),
    ("/x?sid=0123456789abcdef", "session-id"),
    ("/x?sessionid=aZ34567890123456", "session-id"),
    ("/x?session_id=0123456789abcdef0123", "session-id"),
    ("/x?s=0123456789abcdef", "session-id"),
    ("/x?CFID=1&CFTOKEN=2", "session-id"),
    ("/2031/05/", "calendar"),
    ("/2031/5", "calendar"),
    ("/calendar/2028/01/07", "calendar"),
    ("/events/2031-05-07", "calendar"),
    ("/events/2031-05-07-party", "calendar"),
    ("/events/2031-05/", "calendar"),
    ("/1989/12/", "calendar"),
    ("/1950-01-01", "calendar"),
    ("/2019/05/2031/06/", "calendar"),
    ("/c?year=2031&month=5", "calendar"),
    ("/c?month=5&year=1950", "calendar"),
    ("/c?date=2031-05-07", "calendar"),
    ("/c?date=2031-5-7", "calendar"),
    ("/c?eventDate=20310507", "calendar"),
    ("/c?start_date=2031%2F05%2F07", "calendar"),
    ("/c?date=07.05.2031", "calendar"),
    ("/c?month=2031-05", "calendar"),
    ("/?m=203105", "calendar"),
]

PAGES = [
    "/",
    "/x" * 2,
    "/" + "/".join(f"s{n}" for n in range(20)),
    "/a/a/b",
    "/a/b/a/b",
    "/volume/1/issue/1/article/1",
    "/code/1/1/1",
    "/docs/1.2/",
    "/docs/3.11/library/re.html",
    "/python-3.11/",
    "/en/docs/en/x",
    "/2019/",
    "/2019/05/07/a-title",
    "/2026/12/31/",
    "/2027/01/a-plan-for-next-year",
    "/1990/01/01/",
    "/news/2019-05-07-title",
    "/1984/",
    "/books/1984",
    "/report-2031",
    "/report/2031/energy",
    "/item/2500/12",
    "/item/1234/05/",
    "/item/20310507",
    "/isbn/9780134685991",
    "/isbn/978-0-13-468599-1",
    "/issn/2049-3630",
    "/issn/2031-0507",
    "/rfc/rfc2045-12",
    "/v2031.05.07/",
    "/phone/2031-555-0199",
    "/2031-things-to-do",
    "/2031/2032/",
    "/?year=1985",
    "/?year=all&month=5",
    "/?year=last&month=5",
    "/films?year=1985&genre=5",
    "/search?s=internationalization",
    "/search?s=red+shoes+size+42+for+children",
    "/x?sid=12",
    "/x?s=7",
    "/x?cfid=1",
    "/x?inside=0123456789abcdef",
    "/jsessionid-explained",
    "/x;v=1/y",
    "/search?start=2040",
    "/search?from=2031",
    "/x?update=1",
    "/x?date=2019-05-07",
    "/x?id=2031-05-07",
    "/x?t=1699999999&d=1699999999",
    "/l?f=1&f=2&f=3&f=4",
    "/l?" + "&".join(f"p{n}=1" for n in range(12)),
    "/l?q=" + "x" * 510,
    "/%D0%9F%D1%80%D0%B8%D0%B2%D0%B5%D1%82/",
]


@pytest.mark.parametrize(("path", "reason"), TRAPS, ids=[f"{p[:40]}:{r}" for p, r in TRAPS])
def test_a_trap_is_named(path, reason):
    assert trap(f"http://a.test{path}", RULES, YEAR) == reason


@pytest.mark.parametrize("path", PAGES, ids=[path[:40] for path in PAGES])
def test_an_ordinary_page_is_no_trap(path):
    assert trap(f"https://www.a.test{path}", RULES, YEAR) == ""


def test_a_date_in_the_name_of_a_host_is_no_calendar():
    assert trap("http://1985-05-07.a.test/x", RULES, YEAR) == ""
    assert not is_calendar_like("http://my-calendar.test/x")


def test_how_far_a_calendar_goes_is_a_rule():
    rules = TrapConfig(calendar_years_ahead=5)

    assert trap("http://a.test/2031/05/", rules, YEAR) == ""
    assert trap("http://a.test/2032/05/", rules, YEAR) == "calendar"


def test_next_year_is_near_when_the_year_has_come():
    assert trap("http://a.test/2028/05/", RULES, 2026) == "calendar"
    assert trap("http://a.test/2028/05/", RULES, 2027) == ""


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("/item/12", "/item/#"),
        ("/item/12/", "/item/#/"),
        ("/2019/05/07/title", "/#/#/#/title"),
        ("/page-3.html", "/page-#.html"),
        ("/v1.22/x", "/v#.#/x"),
        ("/commit/0123abcdef4567", "/commit/#"),
        ("/commit/abcdef0123ABCDEF", "/commit/#"),
        ("/id/550e8400-e29b-41d4-a716-446655440000", "/id/#"),
        ("/list?page=2", "/list?page"),
        ("/list?b=2&a=1&b=3", "/list?a&b"),
        ("/7?f[3]=x", "/#?f[#]"),
        ("/%D0%9F/5%20x", "/%D0%9F/#%20x"),
    ],
)
def test_the_pattern_of_a_url_is_its_shape(path, pattern):
    assert pattern_of(f"http://a1.test:8080{path}") == f"a1.test:8080{pattern}"


@pytest.mark.parametrize(
    "path", ["/", "/about", "/a/b/", "/facade/decade", "/defaced-feedface", "/%D0%9F", "/x?a&b"]
)
def test_a_url_in_which_nothing_varies_has_no_pattern(path):
    assert pattern_of(f"http://a1.test:8080{path}") == ""


@pytest.mark.parametrize(
    ("path", "likeness"),
    [
        ("/2019/05/", True),
        ("/2019/05/07", True),
        ("/archive/2019-05-07", True),
        ("/archive/2019-05.html", True),
        ("/calendar/week", True),
        ("/events-calendar/", True),
        ("/c?year=2019&month=5", True),
        ("/c?date=2019-05-07", True),
        ("/2019/05/07/title", False),
        ("/2019/05/07/12345.html", False),
        ("/2019/", False),
        ("/calendars-of-the-world", False),
        ("/films?year=1985", False),
        ("/docs/1.2/", False),
        ("/list?page=2", False),
    ],
)
def test_views_of_a_day_or_month_are_calendar_like_and_articles_are_not(path, likeness):
    assert is_calendar_like(f"http://a.test{path}") is likeness


def test_quotas_are_smaller_the_more_a_shape_is_suspected():
    quotas = TrapConfig()

    assert quotas.per_host > quotas.per_pattern > quotas.per_calendar


PATHS = st.text(alphabet="ab/-._0159?=&[]", max_size=40)


@given(PATHS, st.randoms(use_true_random=False))
def test_other_digits_give_the_same_pattern(path, random):
    url = f"http://a.test/x0{path}"

    other = re.sub("[0-9]", lambda _: random.choice("0123456789"), url)

    assert pattern_of(other) == pattern_of(url) != ""


@given(st.text(max_size=80) | PATHS.map("http://a.test/{}".format), st.integers(1990, 2100))
def test_no_text_can_break_the_rules(url, year):
    assert isinstance(trap(url, RULES, year), str)
    assert isinstance(pattern_of(url), str)
    assert isinstance(is_calendar_like(url), bool)
