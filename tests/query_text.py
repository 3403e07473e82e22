"""The text of a parsed query: the inverse of `parse_query`."""

from __future__ import annotations

from gossamer.core.search.query import (
    All,
    And,
    Field,
    Node,
    Not,
    Or,
    Phrase,
    Prefix,
    Similar,
    Span,
    Word,
)


def to_text(node: Node) -> str:
    """A query that reads back as this node, if a query can."""
    match node:
        case Field(name, value):
            return f"{name}:{_enclosed(value, And, Or, Not, Field, All)}"
        case Not(part):
            negated = _enclosed(part, And, Or)
            return f"! {negated}" if negated.startswith("=") else f"!{negated}"
        case And(parts):
            return " & ".join([_enclosed(part, And, Or) for part in parts])
        case Or(parts):
            return " | ".join([_enclosed(part, Or) for part in parts])
        case _:
            return _leaf_text(node)


def _leaf_text(leaf: Word | Prefix | Similar | Phrase | All | Span) -> str:
    match leaf:
        case Word(text):
            return text
        case Prefix(text):
            return f"{text}*"
        case Similar(text, edits):
            return f"{text}~{edits or ''}"
        case Phrase(text):
            return f'"{text}"'
        case All():
            return "*"
        case Span(low, high):
            return f"{low:g}..{high:g}"


def _enclosed(node: Node, *loose: type[Node]) -> str:
    text = to_text(node)
    return f"({text})" if isinstance(node, loose) else text
