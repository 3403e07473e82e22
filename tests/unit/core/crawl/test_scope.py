from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.crawl.scope import Scope, compile_patterns
from gossamer.core.errors import ConfigurationError

HOSTS = Scope(hosts=("a.test", "B.test:8080", "bücher.test", "c.test:443"))
DOMAINS = Scope(domains=("a.test", "*.Docs.b.test"))
PREFIXES = Scope(
    prefixes=("http://a.test/docs", "https://B.test/x/", "http://c.test", "http://d.test/l?cat=3")
)


@pytest.mark.parametrize("url", ["http://a.test/", "https://other.test:81/x?y", "http://[::1]/"])
def test_without_bounds_everything_is_inside(url):
    assert Scope().reject(url, depth=99) == ""


@pytest.mark.parametrize(
    ("scope", "url", "reason"),
    [
        (HOSTS, "http://a.test/", ""),
        (HOSTS, "https://a.test/x", ""),
        (HOSTS, "http://a.test:81/x", ""),
        (HOSTS, "http://www.a.test/", "out-of-scope"),
        (HOSTS, "http://b.test:8080/", ""),
        (HOSTS, "http://b.test/", "out-of-scope"),
        (HOSTS, "http://b.test:81/", "out-of-scope"),
        (HOSTS, "http://xn--bcher-kva.test/", ""),
        (HOSTS, "https://c.test/", ""),
        (HOSTS, "http://other.test/http://a.test/", "out-of-scope"),
        (DOMAINS, "http://a.test/", ""),
        (DOMAINS, "http://a.test:8080/", ""),
        (DOMAINS, "http://www.x.a.test/", ""),
        (DOMAINS, "http://aa.test/", "out-of-scope"),
        (DOMAINS, "http://a.test.other/", "out-of-scope"),
        (DOMAINS, "http://docs.b.test/", ""),
        (DOMAINS, "http://v1.docs.b.test/", ""),
        (DOMAINS, "http://b.test/", "out-of-scope"),
        (PREFIXES, "http://a.test/docs", ""),
        (PREFIXES, "http://a.test/docs/x", ""),
        (PREFIXES, "http://a.test/docs?x", ""),
        (PREFIXES, "http://a.test/docsify", "out-of-scope"),
        (PREFIXES, "https://a.test/docs", "out-of-scope"),
        (PREFIXES, "http://a.test/", "out-of-scope"),
        (PREFIXES, "https://b.test/x/", ""),
        (PREFIXES, "https://b.test/x/y", ""),
        (PREFIXES, "https://b.test/x", "out-of-scope"),
        (PREFIXES, "http://c.test/x", ""),
        (PREFIXES, "http://c.test.other/", "out-of-scope"),
        (PREFIXES, "http://d.test/l?cat=3&page=2", ""),
        (PREFIXES, "http://d.test/l?cat=30", "out-of-scope"),
    ],
)
def test_bounds_are_hosts_domains_and_prefixes(scope, url, reason):
    assert scope.reject(url, depth=1) == reason


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://a.test/", ""),
        ("http://www.b.test/", ""),
        ("http://c.test/docs/x", ""),
        ("http://c.test/other", "out-of-scope"),
        ("http://www.a.test/", "out-of-scope"),
    ],
)
def test_any_bound_that_matches_admits(url, reason):
    scope = Scope(hosts=("a.test",), domains=("b.test",), prefixes=("http://c.test/docs",))

    assert scope.reject(url, depth=1) == reason


def test_two_prefixes_of_one_url_are_both_asked():
    scope = Scope(prefixes=("http://a.test/doc", "http://a.test/docs"))

    assert scope.reject("http://a.test/docs/x", depth=1) == ""


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://a.test/photo.jpg", "file-type"),
        ("http://a.test/PHOTO.JPG?size=big", "file-type"),
        ("http://a.test/x.tar.gz", "file-type"),
        ("http://a.test/paper.doc", "file-type"),
        ("http://a.test/paper.pdf", ""),
        ("http://a.test/table.xlsx", ""),
        ("http://a.test/site.css", "file-type"),
        ("http://a.test/font.woff2", "file-type"),
        ("http://a.test/page.html", ""),
        ("http://a.test/page.php?file=x.pdf", ""),
        ("http://a.test/feed.xml", ""),
        ("http://a.test/feed.rss", ""),
        ("http://a.test/notes.txt", ""),
        ("http://a.test/photo.jpg/comments", ""),
        ("http://a.test/jpg", ""),
        ("http://a.zip/", ""),
        ("http://a.zip/zip", ""),
        ("http://a.test/v1.2", ""),
    ],
)
def test_files_that_hold_no_links_are_known_by_their_extension(url, reason):
    assert Scope().reject(url, depth=1) == reason


def test_extensions_may_be_given_with_dots_and_capitals():
    scope = Scope(skip_extensions=frozenset({".HTML"}))

    assert scope.reject("http://a.test/x.html", depth=1) == "file-type"
    assert scope.reject("http://a.test/x.pdf", depth=1) == ""


def test_depth_is_counted_from_the_seeds():
    scope = Scope(max_depth=2)

    assert scope.reject("http://a.test/", depth=2) == ""
    assert scope.reject("http://a.test/", depth=3) == "too-deep"
    assert Scope(max_depth=0).reject("http://a.test/", depth=0) == ""


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://a.test/blog/1", ""),
        ("http://a.test/news/1", ""),
        ("http://a.test/shop/1", "not-included"),
        ("http://a.test/blog/private/1", "excluded-pattern"),
        ("http://a.test/news/1?PRINT=1", "excluded-pattern"),
        ("http://a.test/shop/private/", "excluded-pattern"),
    ],
)
def test_patterns_are_searched_and_exclusion_is_stronger(url, reason):
    scope = Scope(include=("/blog/", r"/news/\d+"), exclude=("/private/", "(?i)print=1"))

    assert scope.reject(url, depth=1) == reason


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("/(unclosed", "missing )"),
        ("(?=ahead)", "invalid perl operator"),
        (r"(a)\1", "invalid escape sequence"),
        ("\ud800", "surrogates"),
    ],
)
def test_a_bad_pattern_is_refused_by_name_when_the_scope_is_made(pattern, said):
    for scope_of in (lambda p: Scope(include=("x", p)), lambda p: Scope(exclude=(p,))):
        with pytest.raises(ConfigurationError) as refusal:
            scope_of(pattern)

        assert repr(pattern) in str(refusal.value)
        assert said in str(refusal.value)


@pytest.mark.parametrize(
    "bounds",
    [
        {"hosts": ("a test",)},
        {"hosts": ("a.test/docs",)},
        {"hosts": ("",)},
        {"domains": ("*.",)},
        {"prefixes": ("a.test/docs",)},
        {"prefixes": ("ftp://a.test/",)},
    ],
)
def test_a_bound_that_could_never_match_is_refused(bounds):
    with pytest.raises(ConfigurationError, match="is not"):
        Scope(**bounds)


def test_patterns_that_share_group_names_are_asked_together():
    matches = compile_patterns([r"/(?P<id>\d+)$", r"\?id=(?P<id>\d+)$"])

    assert matches("http://a.test/12")
    assert matches("http://a.test/?id=12")
    assert not matches("http://a.test/x")


def test_no_patterns_match_nothing():
    assert not compile_patterns([])("http://a.test/")


def test_around_seeds_are_their_hosts_once_each():
    scope = Scope.around(["http://A.test/x", "https://a.test/y", "http://b.test:8080/"])

    assert scope == Scope(hosts=("a.test", "b.test:8080"))


@pytest.mark.parametrize("seeds", [[], ["a.test"], ["http://a.test/", "mailto:me@a.test"]])
def test_a_scope_around_no_usable_seed_would_be_the_whole_web_and_is_refused(seeds):
    with pytest.raises(ConfigurationError, match="seed"):
        Scope.around(seeds)


def test_a_used_scope_is_equal_to_its_pickled_copy_which_works():
    scope = Scope(hosts=("a.test",), exclude=("/private/",), max_depth=3)
    scope.reject("http://a.test/", depth=1)

    copy = pickle.loads(pickle.dumps(scope))  # noqa: S301 - our own bytes

    assert copy == scope
    assert hash(copy) == hash(scope)
    assert copy.reject("http://a.test/private/", depth=1) == "excluded-pattern"
    assert copy.reject("http://b.test/", depth=1) == "out-of-scope"


@given(st.text(max_size=60) | st.text(max_size=60).map("http://a.test/{}".format), st.integers())
def test_rejecting_never_raises(url, depth):
    scope = Scope(("a.test",), ("b.test",), ("http://c.test/x",), ("a",), ("z",), 3)
    reasons = {"", "out-of-scope", "excluded-pattern", "not-included", "too-deep", "file-type"}

    assert scope.reject(url, depth) in reasons
