from __future__ import annotations

import pytest
from ada_url import join_url
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.core.urls import (
    MAX_LENGTH,
    UrlRules,
    host_of,
    hostname_of,
    normalise,
    readable,
    robots_url,
    url_id,
)

BASE = "https://a.test/docs/guide/page.html?x=1"

WORDS = r"""
    http:// https:// HTTP: / // . .. ./ ../ /. /.. a.test A.Test a.test. a..test .a user:pw@ @ : :80
    :443 :8080 :99999 ? # & = ; %41 %7e %2f %2F %2e %2E %zz % %C3%A9 é ü ß xn-- xn--bcher-kva xn--a
    bücher.test 1.2.3.4 0x7f.1 127.1 1. [::1] [::FFFF:1] { } | ^ ` \ ' " < > [ ] ! $ ( ) * + , ~ _ -
    page index.html utm_source=x UTM%5Fid=1 gclid=2 a=1 b javascript: mailto: data:, 日本 😀
"""
ODDITIES = " \t\n\r\0\x7f\u200b\u00ad\ud800\u3002\uff0e"
PIECES = st.sampled_from([*WORDS.split(), *ODDITIES])
LINKS = st.lists(PIECES, max_size=9).map("".join) | st.text(max_size=40)
HTTP_LINKS = st.tuples(st.sampled_from(["http://", "https://"]), LINKS).map("".join)
# The parser cannot be asked about text that is not UTF-8.
ASKABLE_LINKS = (HTTP_LINKS | LINKS).filter(lambda link: "\ud800" not in link)
BASES = st.sampled_from(
    [
        BASE,
        "https://a.test/",
        "http://a.test:8080/x/y/",
        "http://b.test/x/../y/z?q=/a/b",
        "https://xn--bcher-kva.test/a/",
        "http://[::1]/a",
        "https://a.test",
        "https://a.test/p#fragment",
        "HTTP://B.test/a/b",
    ]
)


@pytest.mark.parametrize(
    ("given_url", "normal"),
    [
        ("http://a.test", "http://a.test/"),
        ("HTTP://A.Test/Path", "http://a.test/Path"),
        ("  http://a.test/x \n", "http://a.test/x"),
        ("ht\ntp://a.test/x\ty", "http://a.test/xy"),
        ("http:\\\\a.test\\x", "http://a.test/x"),
        ("http://a.test:80/", "http://a.test/"),
        ("https://a.test:443/", "https://a.test/"),
        ("https://a.test:80/", "https://a.test:80/"),
        ("http://a.test:8080/", "http://a.test:8080/"),
        ("http://a.test./x", "http://a.test/x"),
        ("http://a.test.:8080/x", "http://a.test:8080/x"),
        ("http://user:secret@a.test/x", "http://a.test/x"),
        ("http://user@home:secret@a.test/x", "http://a.test/x"),
        ("http://a.test/mail/@user", "http://a.test/mail/@user"),
        ("http://bücher.test/", "http://xn--bcher-kva.test/"),
        ("http://BÜCHER.test/", "http://xn--bcher-kva.test/"),
        ("http://a。test/", "http://a.test/"),
        ("http://under_score.a.test/", "http://under_score.a.test/"),
        ("http://127.1/", "http://127.0.0.1/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://1.2.3.4./", "http://1.2.3.4/"),
        ("http://[::FFFF]:80/", "http://[::ffff]/"),
        ("http://a.test/a/./b/../c", "http://a.test/a/c"),
        ("http://a.test/../../x", "http://a.test/x"),
        ("http://a.test/a/%2e%2E/b", "http://a.test/b"),
        ("http://a.test/.well-known/x", "http://a.test/.well-known/x"),
        ("http://a.test//a//b", "http://a.test//a//b"),
        ("http://a.test/x#part", "http://a.test/x"),
        ("http://a.test/x?#part", "http://a.test/x"),
        ("http://a.test/x?", "http://a.test/x"),
        ("http://a.test?x=1", "http://a.test/?x=1"),
    ],
)
def test_every_spelling_of_an_address_has_one_form(given_url, normal):
    assert normalise(given_url) == normal


@pytest.mark.parametrize(
    ("given_url", "normal"),
    [
        ("http://a.test/%7Euser/%41", "http://a.test/~user/A"),
        ("http://a.test/a%2fb", "http://a.test/a%2Fb"),
        ("http://a.test/a%3fb%23c", "http://a.test/a%3Fb%23c"),
        ("http://a.test/?a=1%262&b=%3d", "http://a.test/?a=1%262&b=%3D"),
        ("http://a.test/é", "http://a.test/%C3%A9"),
        ("http://a.test/%c3%a9", "http://a.test/%C3%A9"),
        ("http://a.test/a b?c d", "http://a.test/a%20b?c%20d"),
        ("http://a.test/100%", "http://a.test/100%25"),
        ("http://a.test/%4%31", "http://a.test/%2541"),
        ("http://a.test/%%41", "http://a.test/%25A"),
        ("http://a.test/%2541", "http://a.test/%2541"),
        ("http://a.test/a|b^c`{d}", "http://a.test/a%7Cb%5Ec%60%7Bd%7D"),
        ("http://a.test/?a|b\\c{d}", "http://a.test/?a%7Cb%5Cc%7Bd%7D"),
        ("http://a.test/?q='x'", "http://a.test/?q=%27x%27"),
        ("http://a.test/?a[]=1&a[b]=2", "http://a.test/?a[]=1&a[b]=2"),
        ("http://a.test/?q=a+b%20c", "http://a.test/?q=a+b%20c"),
    ],
)
def test_escapes_are_upper_case_and_stand_only_where_they_must(given_url, normal):
    assert normalise(given_url) == normal


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("?utm_source=x", ""),
        ("?utm_source=x&utm_medium=y&id=3", "?id=3"),
        ("?id=3&gclid=x", "?id=3"),
        ("?fbclid=1&msclkid=2&mc_cid=3&mc_eid=4&_ga=5&yclid=6&igshid=7", ""),
        ("?UTM_Source=x&id=3", "?id=3"),
        ("?utm%5Fsource=x&id=3", "?id=3"),
        ("?utm_source", ""),
        ("?b=1&a=2", "?b=1&a=2"),
        ("?&&a=1&", "?a=1"),
        ("?utm=1&my_utm_source=2&gclidx=3", "?utm=1&my_utm_source=2&gclidx=3"),
        ("?a=utm_source=x", "?a=utm_source=x"),
        ("?=1", "?=1"),
    ],
)
def test_tracking_parameters_go_and_the_others_keep_their_order(query, kept):
    assert normalise(f"http://a.test/x{query}") == f"http://a.test/x{kept}"


def test_rules_name_what_is_stripped_in_any_case():
    rules = UrlRules(strip_parameters=frozenset({"Ref"}), strip_prefixes=("X_",))

    assert normalise("http://a.test/?ref=1&x_y=2&gclid=3", rules=rules) == "http://a.test/?gclid=3"


def test_sorting_by_name_keeps_the_order_of_one_names_values():
    rules = UrlRules(sort_parameters=True)

    normal = normalise("http://a.test/?c=1&a=2&b&a=1&a-b=0", rules=rules)

    assert normal == "http://a.test/?a=2&a=1&a-b=0&b&c=1"


@pytest.mark.parametrize(
    "url",
    [
        "",
        " ",
        "/no/base",
        "a.test/x",
        "mailto:me@a.test",
        "javascript:void(0)",
        "data:text/html,x",
        "ftp://a.test/",
        "ws://a.test/",
        "file:///etc/passwd",
        "http:",
        "http://",
        "http:///",
        "http://./",
        "http://a..test/",
        "http://.a.test/",
        "http://a.test../",
        "http://a b/",
        "http://a\0b/",
        "http://{{host}}/",
        "http://$host/",
        "http://a.test:99999/",
        "http://1.2.3.4.5/",
        "http://a.1./",
        "http://[::1/",
        "http://[fe80::1%25eth0]/",
        "http://" + "a" * 64 + ".test/",
        "http://" + "a." * 127 + "test/",
        "http://a.test/" + "x" * MAX_LENGTH,
        "http://a.test/" + "é" * (MAX_LENGTH // 2),
        "http://a.test/" + "é" * MAX_LENGTH,
        "http://a.test/\ud800",
        "\udfff",
    ],
    ids=lambda url: ascii(url[:30]),
)
def test_what_http_cannot_fetch_is_none(url):
    assert normalise(url) is None


@pytest.mark.parametrize(
    ("link", "normal"),
    [
        ("", "https://a.test/docs/guide/page.html?x=1"),
        ("#top", "https://a.test/docs/guide/page.html?x=1"),
        ("?y=2", "https://a.test/docs/guide/page.html?y=2"),
        ("other.html", "https://a.test/docs/guide/other.html"),
        ("a/b?c=/d", "https://a.test/docs/guide/a/b?c=/d"),
        ("./other.html", "https://a.test/docs/guide/other.html"),
        ("../api", "https://a.test/docs/api"),
        ("../../../api", "https://a.test/api"),
        ("a/../b", "https://a.test/docs/guide/b"),
        ("/", "https://a.test/"),
        ("/x/y#z", "https://a.test/x/y"),
        ("/x/../y", "https://a.test/y"),
        ("//b.test/x", "https://b.test/x"),
        ("///b.test/x", "https://b.test/x"),
        ("/\\b.test/x", "https://b.test/x"),
        ("/\t/b.test/x", "https://b.test/x"),
        ("http://b.test/x", "http://b.test/x"),
        ("https:x", "https://a.test/docs/guide/x"),
        ("http:x", "http://x/"),
        ("x:y", None),
        ("x%3Ay", "https://a.test/docs/guide/x%3Ay"),
        ("mailto:me@a.test", None),
        ("other.html #x", "https://a.test/docs/guide/other.html%20"),
    ],
)
def test_links_are_read_against_the_page_they_stand_on(link, normal):
    assert normalise(link, BASE) == normal


@pytest.mark.parametrize("base", ["", "nonsense", "mailto:me@a.test", "\ud800"])
def test_a_bad_base_loses_only_the_links_that_need_it(base):
    assert normalise("x.html", base) is None
    assert normalise("/x.html", base) is None
    assert normalise("http://b.test/x", base) == "http://b.test/x"
    assert normalise("http://b.test/é", base) == "http://b.test/%C3%A9"


@given(HTTP_LINKS | LINKS, st.booleans())
@example("http://a.test/%%41%4%31", False)
@example("http://a.test.:80/?&utm_a&", False)
@example("http://x葶n-/", False)
def test_normalising_twice_changes_nothing(url, sort):
    rules = UrlRules(sort_parameters=sort)

    normal = normalise(url, rules=rules)

    if normal is not None:
        assert normalise(normal, rules=rules) == normal
        assert normalise(normal, BASE, rules) == normal


@given(ASKABLE_LINKS, BASES)
@example("a:b", "https://a.test/p")
@example("/.", "http://b.test/x/../y/z?q=/a/b")
def test_joining_agrees_with_the_whatwg_parser(link, base):
    try:
        joined = join_url(base, link)
    except ValueError:
        joined = ""

    assert normalise(link, base) == normalise(joined)


@given(HTTP_LINKS)
def test_the_parts_of_a_normal_url_make_it_whole_again(url):
    normal = normalise(url)

    if normal is not None:
        assert normal.partition("://")[2].startswith(f"{host_of(normal)}/")
        assert host_of(normal).startswith(hostname_of(normal))
        assert normal.isascii()
        assert "#" not in normal


@pytest.mark.parametrize(
    ("url", "host", "hostname"),
    [
        ("http://a.test/", "a.test", "a.test"),
        ("https://a.test/x/y?z=/1", "a.test", "a.test"),
        ("http://a.test:8080/x", "a.test:8080", "a.test"),
        ("http://[::1]/x", "[::1]", "[::1]"),
        ("http://[::1]:81/x", "[::1]:81", "[::1]"),
        ("http://a.test/?u=http://b.test/", "a.test", "a.test"),
    ],
)
def test_the_host_of_a_url_has_its_port_and_its_name_has_none(url, host, hostname):
    assert (host_of(url), hostname_of(url)) == (host, hostname)


def test_a_url_is_identified_by_sixteen_stable_bytes():
    assert url_id("http://a.test/").hex() == "d452f67801f98504b3f0334bb2a5c123"
    assert url_id("http://a.test/") != url_id("https://a.test/")


def test_robots_txt_is_asked_for_at_the_root_of_the_authority():
    assert robots_url("a.test:8080", "http") == "http://a.test:8080/robots.txt"


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("http://a.test/%E6%9D%B1%E4%BA%AC?q=caf%C3%A9", "http://a.test/\u6771\u4eac?q=caf\xe9"),
        (
            "http://a.test/a%2Fb%3Fc%20d%25",
            "http://a.test/a%2Fb%3Fc%20d%25",
        ),  # which mean more
        ("http://a.test/%E6%9D", "http://a.test/%E6%9D"),  # half a letter
        (
            "http://a.test/%E2%80%AEfdp.exe",
            "http://a.test/%E2%80%AEfdp.exe",
        ),  # turns letters round
        ("http://a.test/plain", "http://a.test/plain"),
    ],
)
def test_an_address_is_shown_in_letters_that_lead_back_to_it(url, text):
    assert readable(url) == text
    assert normalise(text) == url
