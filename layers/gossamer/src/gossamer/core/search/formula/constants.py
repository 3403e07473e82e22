"""Finds what is wrong with the numbers of a formula, whatever documents there are.

For a document without a value a division by zero is 0, and the rest of its formula counts. What
divides by zero for every document is a mistake, and refused when the formula is stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from gossamer.core.search.formula.arithmetic import FUNCTIONS, SIGNS
from gossamer.core.search.formula.reading import Apply, Number, read_formula
from gossamer.core.search.formula.tokens import FormulaError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.search.formula.reading import Node

_DIVIDING: Final = ("/", "%")


def check_constants(text: str) -> None:
    """Raise FormulaError for a part that has no result for any document, as `votes / 0`."""
    if text.strip():
        with np.errstate(all="ignore"):
            _value(read_formula(text))


def _value(node: Node) -> float | None:
    """What a node is for all documents, or None if it may differ."""
    if isinstance(node, Number):
        return node.value
    if not isinstance(node, Apply):
        return None
    parts = [_value(part) for part in node.parts]
    if node.what in _DIVIDING and parts[1] == 0:
        raise FormulaError("this divides by zero, whatever the document", node.at)
    known = [part for part in parts if part is not None]
    return _computed(node, known) if parts and len(known) == len(parts) else None


def _computed(node: Apply, parts: Sequence[float]) -> float:
    compute = FUNCTIONS[node.what].compute if node.is_call else SIGNS[node.what]
    given = [np.float64(part) for part in parts]
    found = compute(*given, np.float64(0)) if node.what == "not" else compute(*given)
    if not np.isfinite(found):
        raise FormulaError(f"{node.what!r} has no result for these numbers", node.at)
    return float(found)
