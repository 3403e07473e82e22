"""Are lists of synonyms read as Solr reads them, and refused with the line where they cannot be?"""

from __future__ import annotations

import pytest

from gossamer.core.errors import ConfigurationError
from gossamer.core.search.synonyms.rules import (
    MAX_RULES,
    Rule,
    rule_lines,
    rule_of,
    stored_lines,
    to_line,
)


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("car, automobile", Rule(("car", "automobile"), ("car", "automobile"))),
        ("a b ,c", Rule(("a b", "c"), ("a b", "c"))),
        ("tv => television, telly", Rule(("tv",), ("television", "telly"))),
        ("a,b=>c", Rule(("a", "b"), ("c",))),
        (r"3\,5 inch, floppy", Rule(("3,5 inch", "floppy"), ("3,5 inch", "floppy"))),
        (r"a\=>b, c", Rule(("a=>b", "c"), ("a=>b", "c"))),
        ("a = b, c", Rule(("a = b", "c"), ("a = b", "c"))),
        (r"back\\slash, c", Rule((r"back\slash", "c"), (r"back\slash", "c"))),
    ],
)
def test_a_line_is_read_as_solr_reads_it(line: str, rule: Rule):
    assert rule_lines(line, "f") == [line]
    assert rule_of(line) == rule


def test_comments_and_empty_lines_are_no_rules():
    text = "\ufeff# a comment\n\n   \n  # another\r\ncar, auto\r\n"

    assert rule_lines(text, "f") == stored_lines(text) == ["car, auto"]


def test_a_rule_that_is_written_is_read_as_it_was():
    left, right = ["#1, or so", "a=>b", "back\\slash"], ["x", "=>"]

    assert rule_of(to_line(left, right)) == Rule(tuple(left), tuple(right))
    assert stored_lines(to_line(left)) == [to_line(left)]
    assert rule_of(to_line(left)) == Rule(tuple(left), tuple(left))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("alone", "needs two words"),
        ("a =>", "nothing before or after"),
        ("=> a", "nothing before or after"),
        ("a,,b", "nothing before or after"),
        ("a, b,", "nothing before or after"),
        ("a => b => c", "one"),
        ("x" * 10_000 + ", b", "at most 4,000 characters"),
        ("x" * 300 + ", b", "too long"),
        ("a b c d e f g h i j k, b", "at most 10 words"),
        (", ".join(f"w{n}" for n in range(101)), "at most 100"),
        ("car, !!", "no letter"),
    ],
)
def test_what_is_no_rule_is_refused_with_its_line(line: str, message: str):
    with pytest.raises(ConfigurationError, match=message) as error:
        rule_lines(f"# ok\na, b\n{line}\n", "list.txt")

    assert "list.txt, line 3:" in str(error.value)


def test_too_many_rules_are_refused_at_the_first_that_is_too_much():
    text = "a, b\n" * MAX_RULES

    assert len(rule_lines(text, "f")) == MAX_RULES
    with pytest.raises(ConfigurationError, match=f"line {MAX_RULES + 1}: "):
        rule_lines(text + "a, b\n", "f")


def test_a_list_of_any_length_is_bounded():
    with pytest.raises(ConfigurationError, match="at most 20,000,000 characters"):
        rule_lines("#" * 20_000_001, "f")
