"""What a terminal can show: how wide it is, and whether it obeys control sequences and colours."""

from __future__ import annotations

import os
from typing import TextIO

WIDTH = 80  # columns of a terminal that does not say


def is_live(out: TextIO) -> bool:
    """Whether lines can be drawn again in place."""
    return out.isatty() and os.environ.get("TERM") != "dumb"


def has_colours(out: TextIO) -> bool:
    """Whether words may be bold or faint; NO_COLOR says that a person wants none."""
    return is_live(out) and not os.environ.get("NO_COLOR")


def harmless(text: str) -> str:
    """Without control characters: pages are written by strangers, and a terminal obeys them."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def fitted(line: str, out: TextIO) -> str:
    """A line cut to the width of the terminal: one that wraps could not be drawn again."""
    try:
        width = os.get_terminal_size(out.fileno()).columns or WIDTH
    except (OSError, ValueError):
        width = WIDTH
    return line if len(line) < width else f"{line[: width - 2]}…"
