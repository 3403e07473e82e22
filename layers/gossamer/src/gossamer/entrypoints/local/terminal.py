"""What a terminal can show: how wide it is, and whether it obeys control sequences and colours."""

from __future__ import annotations

import os
import re
from typing import TextIO

WIDTH = 80  # columns of a terminal that does not say

# C0, DEL and C1 but for tabs and ends of lines, and what changes the direction of writing.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def is_live(out: TextIO) -> bool:
    """Whether lines can be drawn again in place."""
    return out.isatty() and os.environ.get("TERM") != "dumb"


def has_colours(out: TextIO) -> bool:
    """Whether words may be bold or faint; NO_COLOR says that a person wants none."""
    return is_live(out) and not os.environ.get("NO_COLOR")


def harmless(text: str) -> str:
    """Without control characters: pages are written by strangers, and a terminal obeys them."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def without_controls(text: str, out: TextIO) -> str:
    """Return `text` with blanks for control characters if `out` is a terminal; a file gets all."""
    return _CONTROLS.sub(" ", text) if out.isatty() else text


def with_escaped_controls(line: str, out: TextIO) -> str:
    """Return JSON with escapes for control characters if `out` is a terminal."""
    return _CONTROLS.sub(_json_escape, line) if out.isatty() else line


def _json_escape(control: re.Match[str]) -> str:
    return f"\\u{ord(control[0]):04x}"


class Display:
    """A stream that writes to another, and keeps control characters from a terminal."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def write(self, text: str) -> int:
        """Write `text`, cleaned if a terminal reads it."""
        return self._out.write(without_controls(text, self._out))


def fitted(line: str, out: TextIO) -> str:
    """A line cut to the width of the terminal: one that wraps could not be drawn again."""
    try:
        width = os.get_terminal_size(out.fileno()).columns or WIDTH
    except (OSError, ValueError):
        width = WIDTH
    return line if len(line) < width else f"{line[: width - 2]}…"
