"""What fills up a boolean answer that has few results: its words as a ranked query.

Conditions on columns and exclusions stay where every match must meet them: who asks for a site or
without a word gets nothing else. Words that were required, in quotes or in the title need not be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gossamer.core.search.query import (
    And,
    Field,
    Not,
    Or,
    Phrase,
    Prefix,
    Query,
    Similar,
    Word,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.core.search.query import Node

MIN_RESULTS = 10  # of a boolean answer; one with fewer is filled up to as many
FILLED = "results that have only some of the words"  # the line above them


class Loosened(NamedTuple):
    """A boolean query of which words are wanted and conditions are required."""

    words: list[Node]
    conditions: list[Node]

    def to_query(self, text: str) -> Query:
        """Return the words as a ranked query."""
        return Query(Or(tuple(self.words)), "ranked", text)


def loosen(node: Node, is_column: Callable[[str], bool]) -> Loosened:
    """Return the words that a boolean query looks for, and the conditions that all must meet.

    `is_column` tells whether the values of a field are compared as they are, and not as words.
    """
    match node:
        case And(parts):
            loosened = [loosen(part, is_column) for part in parts]
            return Loosened(
                [word for each in loosened for word in each.words],
                [condition for each in loosened for condition in each.conditions],
            )
        case Or(parts):
            words = [word for part in parts for word in loosen(part, is_column).words]
            return Loosened(words, [] if words else [node])
        case Field(name, inner) if not is_column(name):
            return loosen(inner, is_column)
        case Word() | Phrase() | Prefix() | Similar():
            return Loosened([node], [])
        case _:
            return Loosened([], [node])


def has_column(node: Node, is_column: Callable[[str], bool]) -> bool:
    """Whether a query has a condition on a column."""
    match node:
        case And(parts) | Or(parts):
            return any(has_column(part, is_column) for part in parts)
        case Not(part):
            return has_column(part, is_column)
        case Field(name, inner):
            return is_column(name) or has_column(inner, is_column)
        case _:
            return False
