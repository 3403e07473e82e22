"""Numbers, names and signs of a formula, each with its place in the text."""

from __future__ import annotations

import math
import re
from typing import Final, NamedTuple

from gossamer.core.errors import SettingError

MAX_TEXT: Final = 2_000  # characters
END: Final = ""  # the text of the token behind the last one
_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign>\*\*|<=|>=|==|!=|[-+*/%<>()?:,])|(?P<end>$))",
    re.ASCII,
)


class FormulaError(SettingError):
    """A formula cannot be used; the message names the column of its text, from 1."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(f"formula, column {at + 1}: {message}", ["formula"], at)
        self.at = at  # from 0


class Token(NamedTuple):
    """A piece of the text, and where it begins."""

    kind: str  # number, name, sign or end
    text: str
    at: int


def tokens_of(text: str) -> list[Token]:
    """The tokens of a formula; the last one is its end."""
    if len(text) > MAX_TEXT:
        raise FormulaError(f"a formula has at most {MAX_TEXT:,} characters", MAX_TEXT)
    found: list[Token] = []
    at = 0
    while not found or found[-1].kind != "end":
        found.append(_token(text, at))
        at = found[-1].at + len(found[-1].text)
    return found


def _token(text: str, at: int) -> Token:
    match = _TOKEN.match(text, at)
    if match is None or match.lastgroup is None:
        at = len(text) - len(text[at:].lstrip())
        raise FormulaError(f"{text[at]!r} means nothing here{_advice(text, at)}", at)
    token = Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup))
    if token.kind == "number" and not math.isfinite(float(token.text)):
        raise FormulaError("this number is too large", token.at)
    return token


def _advice(text: str, at: int) -> str:
    if text[at] in "&|!":
        return "; write and, or, not"
    if text[at] in "\"'":
        return "; a formula has no texts, only numbers and columns"
    if text[at] == "=":
        return "; to compare, write =="
    return ""
