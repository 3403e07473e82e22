"""Replacements that make a value of a text: "pattern" is removed, "pattern -> text" replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

import re2

from gossamer.core.errors import ConfigurationError
from gossamer.core.page.templates.matching import compile_expression
from gossamer.core.page.values import MAX_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_REPLACED = 1_000  # in one text: each takes 10 µs
_ARROW = " -> "


def clean(text: str, replacements: Iterable[str]) -> str:
    """A text after replacements in order; `\\1` in one is what the first group found."""
    for replacement in replacements:
        pattern, _, by = replacement.partition(_ARROW)
        text = compile_expression(pattern).sub(by, text, MAX_REPLACED)[:MAX_TEXT]
    return text


def check_replacement(replacement: str) -> None:
    """Raise ConfigurationError for what cannot be replaced."""
    pattern, _, by = replacement.partition(_ARROW)
    try:
        compile_expression(pattern)
        compile_expression(f"(?:{pattern})?").sub(by, "")  # finds something in every text
    except (re2.error, IndexError, ValueError) as error:  # no such group; a stray backslash
        raise ConfigurationError(f"{replacement!r} is not usable: {error}") from error
