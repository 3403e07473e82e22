from gossamer.core.page.headers.alternates import MAX_ALTERNATES, alternates
from gossamer.core.urls import DEFAULT_RULES

BASE = "http://a.test/en/"


def read(*links):
    return alternates(links, BASE, DEFAULT_RULES)


def test_a_page_in_another_language_is_kept_by_its_language():
    assert read(("de-AT", "/de"), ("x-default", ""), ("de-at", "/other")) == {
        "de-at": "http://a.test/de",
        "x-default": BASE,
    }


def test_what_is_no_language_or_no_address_is_not_kept():
    assert read(("German language", "/de"), ("fr", "javascript:x"), ("", "/x")) == {}


def test_only_so_many_are_kept():
    many = [(f"de-{a}{b}", "/x") for a in "abcdefghijklmnop" for b in "abcdefghijklmnop"]

    assert len(read(*many)) == MAX_ALTERNATES
