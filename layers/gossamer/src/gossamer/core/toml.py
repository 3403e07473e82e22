"""TOML with a bound on dotted keys: the parser's time grows with the square of their parts."""

from __future__ import annotations

import re
import tomllib
from typing import Any, Final

MAX_KEY_PARTS: Final = 16  # a file of ours has four at most

_STRING = r'"(?:[^"\\\n]|\\.)*+"?|\'[^\'\n]*+\'?'
_PART = rf"(?:{_STRING}|[\w-]++)"
# Comments and texts of several lines hold no keys; one without an end goes on to that of the file.
_find_tokens = re.compile(
    r"#[^\n]*+"
    r'|"""(?:[^"\\]|\\.|"{1,2}+(?!"))*+"*+'
    r"|'''(?:[^']|'{1,2}+(?!'))*+'*+"
    rf"|(?P<key>{_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{MAX_KEY_PARTS},}}+)"
    rf"|{_STRING}|[\w-]++",
    re.DOTALL,
).finditer


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML. Raises ValueError, with line and column, or RecursionError for what is none."""
    for token in _find_tokens(text):
        if token["key"] is not None:
            line = text.count("\n", 0, token.start()) + 1
            column = token.start() - text.rfind("\n", 0, token.start())
            raise ValueError(
                f"a key has more than {MAX_KEY_PARTS} parts; shorten it"
                f" (at line {line}, column {column})"
            )
    return tomllib.loads(text)
