"""Does every learned selector find on the marked pages what it was learned from?"""

import pytest

from gossamer.core.page.templates.extraction import extract
from gossamer.core.page.templates.learning.learner import MIN_F1, MarkedPage, learn


def lesson(number: int, html: str, *values: str) -> MarkedPage:
    return MarkedPage(f"https://a.test/{number}", html, {"price": list(values)})


@pytest.mark.parametrize("blank", ["\x0c", "\x0b", "\x85"])
def test_a_label_that_no_selector_can_name_gives_way(blank):
    """XPath 1.0 cannot name control characters, which Python takes for blanks."""
    pages = [
        lesson(n, f"<div id=a><b>Our{blank}price</b><i>{n + 5} apples</i></div>", f"{n + 5} apples")
        for n in range(3)
    ]

    learned = learn("shop", pages)

    (record,) = extract(learned.template, pages[1].html, pages[1].url)
    assert (record.values, learned.lost) == ({"price": "6 apples"}, [])
    assert "Our" not in learned.template.fields["price"].select[0]


def test_a_rule_that_is_mostly_wrong_is_not_written():
    marked = ["one", "two", "three"]
    pages = [
        lesson(n, f"<h1>{'one' if n == 0 else 'other'}</h1><p>{n} {value}s</p>", value)
        for n, value in enumerate(marked)
    ]

    learned = learn("shop", pages)

    assert (learned.template.fields, learned.lost) == ({}, ["price"])
    assert all(score >= MIN_F1 for score in learned.f1.values())
