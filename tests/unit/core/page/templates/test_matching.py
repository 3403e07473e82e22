from __future__ import annotations

import pytest

from gossamer.core.errors import ConfigurationError
from gossamer.core.page.templates.matching import compile_pattern, matches, template_for
from gossamer.core.page.templates.template import Template


@pytest.mark.parametrize(
    ("pattern", "url"),
    [
        ("https://shop.test/c/*", "https://shop.test/c/wool/2?page=3"),
        ("https://SHOP.test/c/*", "https://shop.test/c/"),
        ("shop.test/*", "http://shop.test/"),
        ("*.shop.test/*", "https://www.shop.test/x"),
        ("https://shop.test/p?id=*", "https://shop.test/p?id=7"),
        (r"re:https://shop\.test/p/[0-9]+", "https://shop.test/p/7"),
        ("https://shop.test/*/é", "https://shop.test/a/é"),
    ],
)
def test_a_pattern_matches_whole_urls(pattern: str, url: str):
    assert matches(pattern, url)


@pytest.mark.parametrize(
    ("pattern", "url"),
    [
        ("https://shop.test/c", "https://shop.test/c/wool"),
        ("https://shop.test/c/*", "https://other.test/?u=https://shop.test/c/x"),
        ("https://shop.test/p?id=*", "https://shop.test/pXid=7"),
        (r"re:https://shop\.test/p/[0-9]+", "https://shop.test/p/7/comments"),
        ("shop.test/*", "ftp://shop.test/"),
    ],
)
def test_a_pattern_does_not_match_what_only_looks_like_it(pattern: str, url: str):
    assert not matches(pattern, url)


def template(name: str, *match: str) -> Template:
    return Template(name=name, match=list(match))


def test_the_most_specific_template_wins_whatever_its_name():
    site = template("a", "https://shop.test/*")
    list_ = template("b", "https://shop.test/c/*", "https://other.test/*")
    detail = template("c", r"re:https://shop\.test/c/x/[0-9]+")

    def chosen(url: str) -> str:
        found = template_for(url, [site, list_, detail])
        return found.name if found else ""

    assert chosen("https://shop.test/") == "a"
    assert chosen("https://shop.test/c/x") == "b"
    assert chosen("https://shop.test/c/x/7") == "c"
    assert chosen("https://elsewhere.test/") == ""


def test_of_equally_specific_templates_the_first_name_wins():
    one, two = template("one", "a.test/*"), template("two", "a.test/*")

    assert template_for("http://a.test/", [two, one]) is one


def test_a_pattern_for_every_page_is_refused():
    with pytest.raises(ConfigurationError, match="matches every page"):
        compile_pattern("https://*/*")
