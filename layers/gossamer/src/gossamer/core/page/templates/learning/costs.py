"""How likely a path breaks when a site changes a little: the dearer, the likelier."""

from __future__ import annotations

import re
from typing import Final

from gossamer.core.page.templates.learning.paths import (
    TEXT,
    Label,
    Mark,
    Opening,
    Path,
    Start,
    Step,
    Top,
)

NUMBER: Final = 1.5  # of a step: a row more before it, and it leads elsewhere
CUT: Final = 2.5
CHOICE: Final = 2.0  # several are found, of which the first is taken
_MARKS: Final = {"itemprop": 0.5, "id": 1.0, "class": 1.3, "": 2.0}
_has_digit = re.compile(r"\d").search


def cost_of(path: Path) -> float:
    """The cost of a path as a whole."""
    steps = sum(map(_step_cost, path.steps))
    return _start_cost(path.start) + steps + _end_cost(path)


def _start_cost(start: Start) -> float:
    match start:
        case Top():
            return 9.0
        case Mark():
            return _mark_cost(start)
        case Label(follows=follows, nth=nth):
            return 1.3 + (0.2 if follows == TEXT else 0.0) + (nth - 1) * 0.5
        case Opening():
            return 1.7


def _mark_cost(mark: Mark) -> float:
    return _MARKS.get(mark.name, 1.5) + (0.7 if _has_digit(mark.value) else 0.0)


def _step_cost(step: Step) -> float:
    if step.below is not None:
        return 0.3 + _mark_cost(step.below) / 2
    return 0.4 + (NUMBER if step.nth else 0.0)


def _end_cost(path: Path) -> float:
    if path.end.startswith("@"):
        return 1.0
    return 0.2 + (NUMBER if path.nth else 0.0) if path.end == TEXT else 0.0
