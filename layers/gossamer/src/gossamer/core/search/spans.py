"""Days, numbers and truths as the query language writes them: single ones, and ranges."""

from __future__ import annotations

import math
import re
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_day = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?", re.ASCII).fullmatch
_EPOCH: Final = date(1970, 1, 1)


def span_of(
    field: str, text: str, read: Callable[[str], tuple[float, float]]
) -> tuple[float, float]:
    """The range that a value means; ValueError says what is wrong."""
    if field == "before":
        return -math.inf, read(text)[0] - 1
    if field == "after":
        return read(text)[0], math.inf
    low, dots, high = text.partition("..")
    if dots:
        first, last = (read(low)[0] if low else -math.inf), (read(high)[1] if high else math.inf)
        if first > last:
            raise ValueError("a range begins with its lower end")
        return first, last
    sign = next((sign for sign in ("<=", ">=", "<", ">") if text.startswith(sign)), "")
    first, last = read(text.removeprefix(sign))
    # What is just below or above: a day has neighbours, a number has floating ones.
    below, above = (first - 1, last + 1) if read is day_range else _beside(first, last)
    ranges = {"": (first, last), "<": (-math.inf, below), ">": (above, math.inf)}
    ranges |= {"<=": (-math.inf, last), ">=": (first, math.inf)}
    return ranges[sign]


def _beside(first: float, last: float) -> tuple[float, float]:
    return math.nextafter(first, -math.inf), math.nextafter(last, math.inf)


def day_range(text: str) -> tuple[float, float]:
    """The first and the last day of a year, a month or a day, counted from 1970."""
    found = _day(text)
    if not found:
        raise ValueError("a day is written 2024-05-31, a month 2024-05, a year 2024")
    year, month, day = (int(part) if part else 0 for part in found.groups())
    try:
        first = date(year, month or 1, day or 1)
        if day:
            last = first
        elif month:
            last = date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
        else:
            last = date(year, 12, 31)
    except ValueError as error:
        raise ValueError("there is no such day") from error
    return (first - _EPOCH).days, (last - _EPOCH).days


def number_range(text: str) -> tuple[float, float]:
    """A number as a range of one."""
    try:
        value = float(text)
    except ValueError as error:
        raise ValueError("this is no number") from error
    if not math.isfinite(value):
        raise ValueError("this is no number")
    return value, value


def truth_of(text: str) -> str:
    """What a word says of a column of truths: "true" or "false"."""
    found = _TRUTHS.get(text.casefold())
    if found is None:
        raise ValueError("this is true or false")
    return found


_TRUTHS: Final = dict.fromkeys(("true", "yes", "1"), "true") | dict.fromkeys(
    ("false", "no", "0"), "false"
)
