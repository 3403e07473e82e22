from __future__ import annotations

import pytest

from gossamer.core.errors import ConfigurationError
from gossamer.core.page.templates.selecting import compile_selector, page_tree, select

PAGE = """<html><body><table>
<tr class="item"><td><a href="/1" title="One">First</a><td>x
<tr><td class="votes">12
<tr class="item"><td><a href="/2">Second</a>
<tr><td class="votes">7
</table>"""


def texts(found: list[object]) -> list[str]:
    return [" ".join(str(getattr(each, "text", each)).split()) for each in found]


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("tr.item a", ["First"]),
        ("a::attr(href)", ["/1"]),
        ("a::text", ["First"]),
        ("a:contains('First')", ["First"]),
        ("+ tr .votes", ["12"]),
        (":scope + tr .votes", ["12"]),
        ("> td > a", ["First"]),
        ("~ tr .votes", ["12", "7"]),
        (".//a", ["First"]),
        ("following-sibling::tr[1]/td", ["12"]),
        ("following-sibling::tr[1]/td/descendant::text()", ["12"]),
        ("(.//a | .//b)[1]", ["First"]),
        ("//a", ["First", "Second"]),
        ("(count(.//a) + 1)", ["2.0"]),
        ("@class", ["item"]),
        ("b, a", ["First"]),
    ],
)
def test_css_and_xpath_are_asked_from_an_element_on(selector: str, found: list[str]):
    row = select("tr.item", page_tree(PAGE))[0]

    assert texts(select(selector, row)) == found


@pytest.mark.parametrize(
    ("selector", "said"),
    [
        ("", "a selector has 1 to 2,000 characters"),
        ("a" * 2001, "a selector has 1 to 2,000 characters"),
        ("a[", "'a[' is no selector"),
        ("a::before", "::before is not known"),
        ("a::attr(b c)", "is not known"),
        ("//a[", "'//a[' is no selector"),
        ("//a\x00", "is no selector"),
        ("//a[re:test(., 'b')]", "XPath 1.0 has no function re:test()"),
        ("//a[document('x')]", "XPath 1.0 has no function document()"),
        ("//b[$c]", "there are no variables"),
        ("//svg:path", "is no selector"),
    ],
)
def test_a_selector_that_cannot_work_is_refused_before_it_is_used(selector: str, said: str):
    with pytest.raises(ConfigurationError) as raised:
        compile_selector(selector)

    assert said in str(raised.value)


def test_a_word_in_quotes_is_no_function():
    assert compile_selector("//a[contains(., 'call(me) $5')]")


def test_a_selector_is_compiled_once():
    assert compile_selector("a.once") is compile_selector("a.once")


def test_a_page_of_nothing_has_a_root():
    assert page_tree("").tag == "html"
    assert page_tree("<!-- -->").tag == "html"
