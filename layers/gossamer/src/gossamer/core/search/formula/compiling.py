"""Compiles a formula for the columns of a collection: a tree becomes closures over arrays."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

import numpy as np

from gossamer.core.search.formula.arithmetic import FUNCTIONS, SIGNS, Floats, finite
from gossamer.core.search.formula.reading import Apply, Name, Node, Number, read_formula
from gossamer.core.search.formula.tokens import FormulaError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gossamer.core.index.declared import Column, DeclaredType

# number: money too; truth: 1 or 0; keyword: only has() can ask for it; score: a part of the score.
NameKind: TypeAlias = Literal["number", "date", "truth", "keyword", "score"]
TEXT, RANK, DATE, FETCHED = "text", "rank", "date", "fetched"
# What every collection has: the score of the words, PageRank from 0 to 1, two dates.
STANDARD: Final[dict[str, NameKind]] = {
    TEXT: "score",
    RANK: "score",
    DATE: "date",
    FETCHED: "date",
}
# A score is a whole number of 2^-40 in 64 bits; nothing that makes sense comes near.
MOST: Final = 1_000_000.0
AGE, HAS = "age_days", "has"
_ZERO: Final = np.zeros(())


_KINDS: Final[dict[DeclaredType, NameKind]] = {
    "number": "number",
    "money": "number",
    "date": "date",
    "bool": "truth",
    "keyword": "keyword",
    "keywords": "keyword",
}


def kinds_of(columns: Mapping[str, Column]) -> dict[str, NameKind]:
    """What a formula may ask of the columns that a collection declares."""
    return {name: _KINDS[column.type] for name, column in columns.items()}


class Values(Protocol):
    """What a formula reads of some documents."""

    def number(self, name: str) -> Floats:
        """A column, days of a date since 1970; 0 where it is missing."""

    def has(self, name: str) -> Floats:
        """1 where a document has a value, else 0."""

    def age(self, name: str) -> Floats:
        """The days since a date, not below 0; 0 where it is missing."""


_Compute: TypeAlias = "Callable[[Values], Floats]"


@dataclass(frozen=True)
class Formula:
    """A formula that can be computed."""

    text: str
    columns: frozenset[str]  # that it reads, by the names that queries use; not parts of the score
    names: frozenset[str]  # that it computes with: columns and parts of the score
    _compute: Callable[[Values], Floats]

    def evaluate(self, values: Values, count: int) -> Floats:
        """What it adds to the scores of `count` documents."""
        with np.errstate(all="ignore"):
            found = np.broadcast_to(self._compute(values), count)
            return np.clip(found, -MOST, MOST)


@lru_cache(maxsize=16)
def _compiled(text: str, names: frozenset[tuple[str, NameKind]]) -> Formula:
    compiler = _Compiler(dict(names))
    compute = compiler.compile(read_formula(text))
    read = frozenset(compiler.read)
    columns = read - {name for name, kind in names if kind == "score"}
    return Formula(text, columns, read, compute)


def compile_formula(text: str, declared: Mapping[str, NameKind]) -> Formula | None:
    """The formula in a text; None if there is none. Raises FormulaError."""
    if not text.strip():
        return None
    return _compiled(text, frozenset({**declared, **STANDARD}.items()))


class _Compiler:
    """Checks names and arguments, and notes what is read."""

    def __init__(self, names: Mapping[str, NameKind]) -> None:
        self._names = names
        self.read: set[str] = set()

    def compile(self, node: Node) -> _Compute:
        """What computes a node."""
        match node:
            case Number(value):
                constant = np.asarray(value, np.float64)
                return lambda values: constant
            case Name():
                return self._number(node)
            case Apply(is_call=True):
                return self._call(node)
            case Apply(what="not", parts=parts):
                return self._applied("not", [self.compile(parts[0]), lambda values: _ZERO])
            case Apply(what, parts):
                return self._applied(what, [self.compile(part) for part in parts])

    def _applied(self, what: str, parts: list[_Compute]) -> _Compute:
        return _on_parts(SIGNS[what], parts)

    def _number(self, node: Name) -> _Compute:
        kind = self._kind(node)
        if kind == "keyword":
            raise FormulaError(
                f"{node.name!r} has words, no numbers: only has({node.name}) can be asked", node.at
            )
        return lambda values: values.number(node.name)

    def _kind(self, node: Name) -> NameKind:
        if node.name not in self._names:
            raise FormulaError(
                f"unknown name {node.name!r}{_near(node.name, self._names)}", node.at
            )
        self.read.add(node.name)
        return self._names[node.name]

    def _call(self, node: Apply) -> _Compute:
        if node.what == HAS:
            column = self._column(node, "has(price)")
            return lambda values: values.has(column.name)
        if node.what == AGE:
            return self._age(node)
        if node.what not in FUNCTIONS:
            known = (*FUNCTIONS, AGE, HAS)
            raise FormulaError(f"unknown function {node.what!r}{_near(node.what, known)}", node.at)
        function, given = FUNCTIONS[node.what], len(node.parts)
        if not function.least <= given <= function.most:
            wanted = f"{function.least}" if function.most == function.least else "2 or more"
            raise FormulaError(f"{node.what} takes {wanted} arguments, not {given}", node.at)
        return _on_parts(function.compute, [self.compile(part) for part in node.parts])

    def _age(self, node: Apply) -> _Compute:
        column = self._column(node, "age_days(date)")
        if self._kind(column) != "date":
            raise FormulaError(f"{column.name!r} is no date, and has no age", column.at)
        return lambda values: values.age(column.name)

    def _column(self, node: Apply, example: str) -> Name:
        """The one argument of a function that must be a column."""
        part = node.parts[0] if len(node.parts) == 1 else None
        if not isinstance(part, Name) or self._kind(part) == "score":
            raise FormulaError(f"{node.what} takes the name of one column: {example}", node.at)
        return part


def _on_parts(compute: Callable[..., Floats], parts: list[_Compute]) -> _Compute:
    return partial(_evaluate, compute, parts)


def _evaluate(compute: Callable[..., Floats], parts: list[_Compute], values: Values) -> Floats:
    return finite(compute(*[part(values) for part in parts]))


def _near(name: str, known: Mapping[str, object] | tuple[str, ...]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; known: {', '.join(sorted(known))}"
