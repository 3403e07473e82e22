"""Formulas as Python evaluates them, number by number: the oracle of the compiler."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from gossamer.core.search.formula.reading import MAX_NODES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Safe(float):
    """A number that is 0 where it would be none; that of a missing column knows that it is."""

    present = True

    @classmethod
    def column(cls, value: float | None) -> Safe:
        made = cls(0.0 if value is None else value)
        made.present = value is not None
        return made

    def __neg__(self) -> Safe:
        return Safe(-float(self))

    def __hash__(self) -> int:
        return hash(float(self))


def safely(compute: Callable[..., Any]) -> Callable[..., Safe]:
    def computed(*given: float) -> Safe:
        try:
            found = compute(*map(float, given))
        except (ZeroDivisionError, ValueError, OverflowError):
            return Safe(0)
        is_number = not isinstance(found, complex) and math.isfinite(found)
        return Safe(found if is_number else 0)

    return computed


SIGNS: dict[str, Callable[[float, float], Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "truediv": lambda a, b: a / b,
    "mod": lambda a, b: a % b,
    "pow": lambda a, b: a**b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}
for _name, _compute in SIGNS.items():
    setattr(Safe, f"__{_name}__", safely(_compute))

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "log": safely(math.log),
    "log1p": safely(math.log1p),
    "sqrt": safely(math.sqrt),
    "abs": safely(abs),
    "min": safely(min),
    "max": safely(max),
    "clip": safely(lambda value, low, high: min(max(value, low), high)),
    "saturation": safely(lambda value, half: max(value, 0.0) / (max(value, 0.0) + half)),
    "sigmoid": safely(lambda value: 1 / (1 + math.exp(-value))),
}


def evaluated(text: str, values: Mapping[str, float | None], today: int = 0) -> float:
    """What Python makes of a formula; numbers of it are written as calls of N."""
    known: dict[str, Any] = {name: Safe.column(value) for name, value in values.items()}
    known |= FUNCTIONS | {"__builtins__": {}, "N": Safe}
    known["has"] = lambda value: Safe(value.present)
    known["age_days"] = lambda value: Safe(max(0.0, today - value // 1) * value.present)
    return float(eval(text, known))  # noqa: S307 an expression of ours


numbers = st.sampled_from(("0", "1", "2", ".5", "3.25", "10", "1e3", "7."))


def formulas(names: tuple[str, ...], dates: tuple[str, ...], owned: tuple[str, ...]) -> Any:
    """Formulas over columns, some of which are dates, and `owned` ones that has() is asked of.

    As the oracle reads them: `readable` says what people write. Only leaves are compared and
    divided with a rest, or the last digit of a logarithm would decide.
    """
    leaves = st.one_of(
        numbers.map("N({})".format),
        st.sampled_from(names),
        st.sampled_from(owned).map("has({})".format),
        *([st.sampled_from(dates).map("age_days({})".format)] if dates else []),
    )
    compared = st.builds(
        "({} {} {})".format, leaves, st.sampled_from(("<", "<=", ">", ">=", "==", "!=")), leaves
    ) | st.builds("({} < {} <= {})".format, leaves, leaves, leaves)
    rests = st.builds("({} % {})".format, leaves, leaves)
    tests = st.one_of(
        compared,
        st.builds("(not {})".format, compared),
        st.builds("({} and {} or {})".format, compared, compared, compared),
    )

    def larger(inner: Any) -> Any:
        one = st.sampled_from(("log", "log1p", "sqrt", "abs", "sigmoid"))
        two = st.sampled_from(("saturation", "min", "max"))
        return st.one_of(
            st.builds("({} {} {})".format, inner, st.sampled_from("+-*/"), inner),
            st.builds("(-{})".format, inner),
            st.builds("({} ** {})".format, inner, st.sampled_from(("2", "3", "0.5"))),
            st.builds("{}({})".format, one, inner),
            st.builds("{}({}, {})".format, two, inner, inner),
            st.builds("clip({}, {}, {})".format, inner, leaves, leaves),
            st.builds("({} if {} else {})".format, inner, tests, inner),
        )

    any_size = st.recursive(leaves | compared | rests, larger, max_leaves=8)
    return any_size.filter(lambda text: parts(readable(text)) <= MAX_NODES)


def parts(text: str) -> int:
    """At least as many as a formula has: its numbers, words and signs."""
    return len(re.findall(r"[\w.]+|[-+*/%<>=!]+", text))


def readable(text: str) -> str:
    """A formula as people write it."""
    for number in ("0", "1", "2", ".5", "3.25", "10", "1e3", "7."):
        text = text.replace(f"N({number})", number)
    return text
