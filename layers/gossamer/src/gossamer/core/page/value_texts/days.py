"""Read a day as people and programs write it; a month alone, or "yesterday", is none."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Final

from gossamer.core.page.value_texts.months import month_of
from gossamer.core.page.value_texts.numerals import main_language
from gossamer.core.page.value_texts.plain_digits import plain
from gossamer.core.page.values import Date

if TYPE_CHECKING:
    from collections.abc import Iterator

EARLIEST, LATEST = 1000, 2999  # years; other numbers of four digits are none
_PIVOT: Final = 69  # of two digits: 69 is 1969, 68 is 2068, as POSIX has it
_BUDDHIST: Final = 543  # years that Thai dates are ahead
# English dates have the month first, except in these regions.
_DAY_FIRST_REGIONS: Final = frozenset(str.split("gb uk au nz ie in za sg my hk mt ng ke pk"))

_find_iso = re.compile(r"(?<!\d)(\d{4})([-/.]\s?)(\d{1,2})\2(\d{1,2})(?!\d)").search
_is_basic = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T\d{4,6}Z?)?").fullmatch
_find_signs = re.compile(r"(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일号號]?").search
_find_vietnamese = re.compile(r"(\d{1,2})\s+tháng\s+(\d{1,2})[,\s]+(?:năm\s+)?(\d{4})").search
_find_numeric = re.compile(
    r"(?<![\d./-])(\d{1,2})(\.\s?|[-/])(\d{1,2})\2(\d{4}|\d\d)(?![\d/-]|\.\d)"
).search
_CLOCK: Final = re.compile(r"\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?:\s?[ap]\.?m\b\.?)?", re.IGNORECASE)
_find_tokens = re.compile(
    r"\d+|[^\W\d_][^\W\d_\u0300-\u036f]*(?:\.[^\W\d_]+(?=\.))?|[^\W\d_]+"
).findall
# What stands between the parts of a date, in any of the languages.
_BETWEEN: Final = frozenset(
    str.split(
        "de del of the st nd rd th er di da den dnia ten a º ª г р року a. le el il le o lo в от"
        " ngày năm م"
    )
)


def read_day(text: str, language: str = "") -> Date | None:
    """The first day that a text names; whether 5/6 is in May or in June says its language."""
    text = plain(text)
    found = next(_days(text, language.lower()), None)
    return None if found is None else Date(found.isoformat())


def _days(text: str, language: str) -> Iterator[date]:
    """Readings of a text as a day, the surest first."""
    if iso := _find_iso(text) or None:
        yield from _valid(iso[1], iso[3], iso[4])
    if parts := _is_basic(text) or _find_signs(text):
        yield from _valid(*parts.groups())
    if parts := _find_vietnamese(text):
        yield from _valid(parts[3], parts[2], parts[1])
    if numeric := _find_numeric(text):
        yield from _numeric(numeric[1], numeric[2], numeric[3], numeric[4], language)
        return
    yield from _with_names(_find_tokens(_CLOCK.sub(" ", text)), main_language(language))


def _numeric(first: str, mark: str, second: str, year: str, language: str) -> Iterator[date]:
    """31.05.2024, 31/05/2024 or 05/31/2024."""
    if mark.startswith(".") or int(first) > 12 or first == second:
        yield from _valid(year, second, first)
    elif int(second) > 12 or _has_month_first(language):
        yield from _valid(year, first, second)
    elif language:
        yield from _valid(year, second, first)


def _has_month_first(language: str) -> bool:
    main, _, region = language.replace("_", "-").partition("-")
    return main == "en" and region not in _DAY_FIRST_REGIONS


def _with_names(tokens: list[str], language: str) -> Iterator[date]:
    """31 May 2024, May 31st, 2024, 2024 May 31, 31-May-24, Fri May 31 2024."""
    words = [word for word in tokens if word.casefold() not in _BETWEEN]
    for at, word in enumerate(words):
        month = None if word.isdecimal() else month_of(word, language)
        if month is None:
            continue
        before, after = words[max(0, at - 2) : at], words[at + 1 : at + 3]
        for year, day in _around(before, after):
            yield from _valid(year, str(month), day)


def _around(before: list[str], after: list[str]) -> Iterator[tuple[str, str]]:
    """Year and day as they may stand around the name of a month."""
    previous, following = before[-1] if before else "", after[0] if after else ""
    if _is_day(previous) and (_is_year(following) or _is_day(following)):
        yield following, previous  # 31 May 2024, 31-May-24
    if _is_day(following) and len(after) > 1 and _is_year(after[1]):
        yield after[1], following  # May 31, 2024
    if _is_year(previous) and _is_day(following):
        yield previous, following  # 2024 May 31


def _is_day(word: str) -> bool:
    return word.isdecimal() and len(word) <= 2


def _is_year(word: str) -> bool:
    return word.isdecimal() and len(word) == 4


def _valid(year: str, month: str, day: str) -> Iterator[date]:
    """The day, if there is such a one."""
    number = int(year)
    if len(year) == 2:
        number += 1900 if number >= _PIVOT else 2000
    elif 2400 < number < 2700:
        number -= _BUDDHIST
    if EARLIEST <= number <= LATEST and 1 <= int(month) <= 12 and 1 <= int(day) <= 31:
        try:
            yield date(number, int(month), int(day))
        except ValueError:
            return
