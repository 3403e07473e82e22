"""Reads a formula: a text becomes a tree of numbers, names and operations.

The rules are those of arithmetic in Python, with `c ? a : b` beside `a if c else b`. What the
grammar does not have cannot be written, so there is nothing to forbid: no attributes, no texts, no
calls but those of known functions. Nodes and nesting are counted while the text is read, so no text
can exhaust the stack.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from gossamer.core.search.formula.tokens import END, FormulaError, Token, tokens_of

MAX_NODES: Final = 100
MAX_DEPTH: Final = 20  # of brackets, calls, conditions, signs and powers in one another
MAX_EXPONENT: Final = 8
COMPARED: Final = ("<", "<=", ">", ">=", "==", "!=")
_WORDS: Final = ("if", "else", "and", "or", "not")


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written."""

    value: float


@dataclass(frozen=True, slots=True)
class Name:
    """A column, or a part of the score."""

    name: str
    at: int


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation or a function on some parts."""

    what: str  # a sign, a function, "and", "or", "not", "negative" or "if"
    parts: tuple[Node, ...]
    at: int
    is_call: bool = False


Node: TypeAlias = Number | Name | Apply


def read_formula(text: str) -> Node:
    """The tree of a formula. Raises FormulaError."""
    reader = _Reader(tokens_of(text))
    tree = reader.conditional()
    reader.expect_end()
    return tree


class _Reader:
    """Recursive descent; each method reads what binds as tightly as its name says."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens, self._next = tokens, 0
        self._nodes = self._depth = 0

    @property
    def _token(self) -> Token:
        return self._tokens[self._next]

    def _take(self, *texts: str) -> Token | None:
        """The next token, if it is one of these."""
        token = self._token
        if token.text not in texts:
            return None
        self._next += 1
        return token

    def _expect(self, text: str, what: str) -> None:
        if self._take(text) is None:
            raise FormulaError(f"{text!r} is missing {what}", self._token.at)

    def expect_end(self) -> None:
        """Nothing may follow."""
        if self._token.text != END:
            raise FormulaError(f"an operator is missing before {self._token.text!r}", self._at())

    def _at(self) -> int:
        return self._token.at

    def _counted(self, node: Node, at: int) -> Node:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise FormulaError(f"a formula has at most {MAX_NODES} parts", at)
        return node

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise FormulaError(f"a formula is nested at most {MAX_DEPTH} deep", self._at())

    def conditional(self) -> Node:
        """`a if c else b`, `c ? a : b`, or what has no condition."""
        self._deeper()
        first = self._either()
        if asked := self._take("?"):
            chosen = self.conditional()
            self._expect(":", "after ?")
            first = self._if(first, chosen, self.conditional(), asked.at)
        elif asked := self._take("if"):
            condition = self._either()
            self._expect("else", "after if")
            first = self._if(condition, first, self.conditional(), asked.at)
        self._depth -= 1
        return first

    def _if(self, condition: Node, chosen: Node, other: Node, at: int) -> Node:
        return self._counted(Apply("if", (condition, chosen, other), at), at)

    def _either(self) -> Node:
        parts = [self._both()]
        at = self._at()
        while self._take("or"):
            parts.append(self._both())
        return self._joined("or", parts, at)

    def _both(self) -> Node:
        parts = [self._negated()]
        at = self._at()
        while self._take("and"):
            parts.append(self._negated())
        return self._joined("and", parts, at)

    def _joined(self, what: str, parts: list[Node], at: int) -> Node:
        return parts[0] if len(parts) == 1 else self._counted(Apply(what, tuple(parts), at), at)

    def _negated(self) -> Node:
        found = self._take("not")
        if found is None:
            return self._compared()
        self._deeper()
        part = self._negated()
        self._depth -= 1
        return self._counted(Apply("not", (part,), found.at), found.at)

    def _compared(self) -> Node:
        """Comparisons; of several in a row, as in `1 < a < 5`, all must hold."""
        left, found = self._sum(), []
        at = self._at()
        while sign := self._take(*COMPARED):
            right = self._sum()
            found.append(self._counted(Apply(sign.text, (left, right), sign.at), sign.at))
            left = right
        return self._joined("and", found, at) if found else left

    def _sum(self) -> Node:
        left = self._product()
        while sign := self._take("+", "-"):
            left = self._counted(Apply(sign.text, (left, self._product()), sign.at), sign.at)
        return left

    def _product(self) -> Node:
        left = self._signed()
        while sign := self._take("*", "/", "%"):
            left = self._counted(Apply(sign.text, (left, self._signed()), sign.at), sign.at)
        return left

    def _signed(self) -> Node:
        sign = self._take("-", "+")
        if sign is None:
            return self._power()
        self._deeper()
        part = self._signed()
        self._depth -= 1
        return part if sign.text == "+" else self._negative(part, sign.at)

    def _negative(self, part: Node, at: int) -> Node:
        return self._counted(Apply("negative", (part,), at), at)

    def _power(self) -> Node:
        base = self._atom()
        sign = self._take("**")
        if sign is None:
            return base
        return self._counted(Apply("**", (base, self._exponent()), sign.at), sign.at)

    def _exponent(self) -> Node:
        """A number; what is computed could be any, and a power of it take any time and room."""
        minus = self._take("-")
        token = self._token
        value = float(token.text) if token.kind == "number" else MAX_EXPONENT + 1.0
        if value > MAX_EXPONENT:
            raise FormulaError(f"an exponent is a number up to {MAX_EXPONENT}", token.at)
        self._next += 1
        if self._token.text == "**":
            raise FormulaError("a power of a power needs brackets", self._at())
        return self._counted(Number(-value if minus else value), token.at)

    def _atom(self) -> Node:
        token = self._token
        if token.kind == "end":
            raise FormulaError("the formula ends where a number or a name is missing", token.at)
        if token.text in _WORDS or (token.kind == "sign" and token.text != "("):
            raise FormulaError(f"a number or a name is missing before {token.text!r}", token.at)
        self._next += 1
        if token.text == "(":
            inner = self.conditional()
            self._expect(")", f"for the bracket of column {token.at + 1}")
            return inner
        if token.kind == "number":
            return self._counted(Number(float(token.text)), token.at)
        if self._take("("):
            call = Apply(token.text, self._arguments(token), token.at, is_call=True)
            return self._counted(call, token.at)
        return self._counted(Name(token.text, token.at), token.at)

    def _arguments(self, function: Token) -> tuple[Node, ...]:
        found: list[Node] = []
        while not self._take(")"):
            if found:
                self._expect(",", f"or ) in the call of {function.text}")
            found.append(self.conditional())
        return tuple(found)
