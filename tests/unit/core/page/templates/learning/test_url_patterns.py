"""Patterns for URLs of pages that are made alike."""

import pytest

from gossamer.core.page.templates.learning.url_patterns import patterns_of, patterns_of_list
from gossamer.core.page.templates.matching import matches


@pytest.mark.parametrize(
    ("urls", "pattern"),
    [
        (["https://a.test/p/1", "https://a.test/p/2"], "https://a.test/p/*"),
        (["https://a.test/p/1.html", "https://a.test/p/22.html"], "https://a.test/p/*.html"),
        (["https://a.test/p/1"], "https://a.test/p/*"),
        (["https://a.test/item?id=1", "https://a.test/item?id=2"], "https://a.test/item*"),
        (["https://a.test/x/1/a", "https://a.test/x/2"], "https://a.test/x/*"),
        (["https://a.test/"], "https://a.test/*"),
    ],
)
def test_a_pattern_is_that_of_all_the_pages(urls: list[str], pattern: str):
    assert patterns_of(urls) == [pattern]
    assert all(matches(pattern, url) for url in urls)


def test_each_host_has_its_own():
    urls = ["https://a.test/p/1", "https://b.test/q/1"]

    assert patterns_of(urls) == ["https://a.test/p/*", "https://b.test/q/*"]


HOME, LISTED = "https://a.test/", "https://a.test/c/scarves"


@pytest.mark.parametrize(
    ("url", "following", "items", "patterns"),
    [
        (LISTED, [f"{LISTED}?page=2"], ["https://a.test/p/1"], [f"{LISTED}*"]),
        (HOME, [f"{HOME}?page=2"], ["https://a.test/p/1"], [HOME, f"{HOME}?page=*"]),
        (HOME, [f"{HOME}list/2"], ["https://a.test/p/1"], [HOME, f"{HOME}list/*"]),
        (LISTED, [f"{LISTED}/2"], [f"{LISTED}/blue"], [LISTED, f"{LISTED}/2"]),
        (HOME, [f"{HOME}more"], ["https://a.test/p/1"], [HOME, f"{HOME}more"]),
        (HOME, [], ["https://a.test/p/1"], [HOME]),
        (HOME, [f"{HOME}2"], ["https://a.test/17", "https://a.test/18"], [HOME, f"{HOME}2"]),
    ],
)
def test_pages_of_items_are_none_of_their_list(url, following, items, patterns):
    found = patterns_of_list(url, following, items)

    assert found == patterns
    assert all(any(matches(each, page) for each in found) for page in [url, *following])
    assert not any(matches(each, page) for each in found for page in items)
