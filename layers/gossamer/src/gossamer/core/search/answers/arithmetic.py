"""Arithmetic, read by a parser of our own: nothing is executed, and everything is bounded.

    sum     = product { ("+" | "-") product }
    product = power { ("*" | "/" | "%") power }           a % b is what is left of a
    power   = sign [ ("^" | "**") power ]
    sign    = "-" power | "+" power | value [ "%" "of" power ]
    value   = number | "pi" | "e" | name "(" sum ")" | "(" sum ")"

Numbers are fractions, so 0.1 + 0.2 is 0.3; what functions give is rounded.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_CHARS: Final = 200
MAX_DEPTH: Final = 32
MAX_BITS: Final = 4_096  # of a numerator or denominator
MAX_EXPONENT: Final = 1_000
DIGITS: Final = 12  # significant, of what is not whole
WHOLE_DIGITS: Final = 21  # longer whole numbers are rounded

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?|\.\d+)"
    r"|(?P<name>[a-z]+[0-9]*)|(?P<sign>\*\*|[-+*/^%()×÷·\u2212]))",
    re.ASCII,
)
_SAME: Final = {"×": "*", "·": "*", "÷": "/", "\u2212": "-", "**": "^"}
# 24/7, 9/11, 555-1234 and 2024-05-01 are names, numbers of phones and days.
_NAMES: Final = re.compile(r"[\d.,]+(?:[-/][\d.,]+)+", re.ASCII)
_FUNCTIONS: Final[dict[str, Callable[[float], float]]] = {
    "sqrt": math.sqrt,
    "ln": math.log,
    "log": math.log10,
    "log2": math.log2,
    "exp": math.exp,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
}
_EXACT: Final[dict[str, Callable[[Fraction], Fraction]]] = {
    "abs": abs,
    "round": lambda value: Fraction(round(value)),
    "floor": lambda value: Fraction(math.floor(value)),
    "ceil": lambda value: Fraction(math.ceil(value)),
}
_CONSTANTS: Final = {"pi": Fraction(math.pi), "e": Fraction(math.e)}


class NoArithmetic(ValueError):
    """This is no arithmetic, or has no result."""


def result_of(text: str) -> str | None:
    """What a text that is clearly arithmetic comes to; None for anything else."""
    text = text.strip().removesuffix("=").strip().lower()
    if len(text) > MAX_CHARS or _NAMES.fullmatch(text) or not any(map(str.isdigit, text)):
        return None
    try:
        parser = _Parser(text)
        value = parser.parse()
        return shown(value) if parser.has_operator else None
    except (NoArithmetic, ZeroDivisionError, OverflowError, ValueError):
        return None


def shown(value: Fraction) -> str:
    """A number as people read it."""
    if value.denominator == 1 and len(str(abs(value.numerator))) <= WHOLE_DIGITS:
        return str(value.numerator)
    try:
        return f"{float(value):.{DIGITS}g}"
    except OverflowError:
        raise NoArithmetic("too large") from None


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._at = 0
        self._depth = 0
        self.has_operator = False  # a number alone is no arithmetic

    def parse(self) -> Fraction:
        value = self._sum()
        if self._at < len(self._tokens):
            _refuse()
        return value

    def _sum(self) -> Fraction:
        value = self._product()
        while sign := self._take("+", "-"):
            other = self._product()
            value = _checked(value + other if sign == "+" else value - other)
        return value

    def _product(self) -> Fraction:
        value = self._power()
        while sign := self._take("*", "/", "%"):
            other = self._power()
            value = _checked(_OPERATIONS[sign](value, other))
        return value

    def _power(self) -> Fraction:
        base = self._sign()
        if not self._take("^"):
            return base
        exponent = self._deeper(self._power)
        return _power(base, exponent)

    def _sign(self) -> Fraction:
        if self._peek() in ("-", "+"):
            sign = self._next()
            value = self._deeper(self._power)
            return -value if sign == "-" else value
        value = self._value()
        if self._tokens[self._at : self._at + 2] == ["%", "of"]:
            self._at += 2
            self.has_operator = True
            return _checked(value * self._deeper(self._power) / 100)
        return value

    def _value(self) -> Fraction:
        token = self._next()
        if token[:1].isdigit() or token[:1] == ".":
            return _checked(Fraction(token.replace(",", "")))
        if token.startswith("("):
            return self._closed()
        if token in _CONSTANTS:
            return _CONSTANTS[token]
        if token not in (*_FUNCTIONS, *_EXACT) or self._next() != "(":
            _refuse()
        self.has_operator = True
        return _called(token, self._closed())

    def _closed(self) -> Fraction:
        value = self._deeper(self._sum)
        if self._next() != ")":
            _refuse()
        return value

    def _deeper(self, rule: Callable[[], Fraction]) -> Fraction:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            _refuse()
        value = rule()
        self._depth -= 1
        return value

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        self._at += 1
        return token

    def _take(self, *signs: str) -> str:
        if self._peek() not in signs:
            return ""
        self.has_operator = True
        return self._next()


def _tokens(text: str) -> list[str]:
    tokens, at = [], 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            _refuse()
        token = found[0].strip()
        tokens.append(_SAME.get(token, token))
        at = found.end()
    return tokens


def _called(name: str, value: Fraction) -> Fraction:
    if name in _EXACT:
        return _checked(_EXACT[name](value))
    return _rounded(_FUNCTIONS[name](float(value)))


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    """Bounded before it is computed: 9^9^9 has 370 million digits."""
    if abs(exponent) > MAX_EXPONENT:
        _refuse()
    if exponent.denominator != 1:
        if base < 0:
            _refuse()
        return _rounded(float(base) ** float(exponent))
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if bits * abs(exponent.numerator) > MAX_BITS:
        _refuse()
    return Fraction(base**exponent.numerator)


def _rounded(value: float) -> Fraction:
    """Without the noise of binary fractions: sqrt(16) is 4 and sin(pi) is 0."""
    if not math.isfinite(value):
        _refuse()
    return Fraction(f"{value:.{DIGITS}g}") if abs(value) > 1e-12 else Fraction(0)


def _checked(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        _refuse()
    return value


def _refuse() -> NoReturn:
    raise NoArithmetic("no arithmetic")


_OPERATIONS: Final[dict[str, Callable[[Fraction, Fraction], Fraction]]] = {
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": lambda a, b: a % b,
}
