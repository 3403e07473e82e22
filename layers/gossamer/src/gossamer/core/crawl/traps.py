"""Recognise URLs that lead into crawler traps.

A trap is a site that makes new URLs faster than it has pages: calendars, sessions, filters that
combine, links that repeat their own path. What one URL shows is judged here at once (`trap`); what
only numbers show is left to quotas over URLs of one shape (`pattern_of`).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Parameters: TypeAlias = Sequence[tuple[str, str]]

TOO_LONG: Final = "too-long"
REPEATED_SEGMENTS: Final = "repeated-segments"
PATH_TOO_DEEP: Final = "path-too-deep"
QUERY_EXPLOSION: Final = "query-explosion"
SESSION_ID: Final = "session-id"
CALENDAR: Final = "calendar"


@dataclass(frozen=True, slots=True)
class TrapRules:
    """The limits of trap rules. A limit of 0 and a rule set to False are switched off."""

    max_url_length: int = 2048
    max_path_segments: int = 20
    max_segment_repeats: int = 2
    max_parameters: int = 12
    max_query_length: int = 512
    max_parameter_repeats: int = 4
    session_ids: bool = True
    calendars: bool = True
    calendar_first_year: int = 1990
    calendar_years_ahead: int = 1


@dataclass(frozen=True, slots=True)
class Quotas:
    """How many URLs a crawl takes of one host, of one shape, and of one shape with dates.

    Numbered pages of a large site share a shape; combinations of parameters are what explodes.
    The quota of a host that no person named is computed in core/crawl/host_quota.py.
    """

    per_host: int = 1_000_000
    host_start: int = 1_000
    host_growth: int = 4
    per_pattern: int = 250_000
    per_query_pattern: int = 10_000
    per_calendar: int = 100


# A calendar is walked month by month and cannot jump over these years; other numbers of four digits
# are more often a thread, a page or an article than a year.
_YEARS = range(1900, 2200)
_MONTH = r"(?:0?[1-9]|1[0-2])"
_FULL_MONTH = r"(?:0[1-9]|1[0-2])"
_FULL_DAY = r"(?:0[1-9]|[12][0-9]|3[01])"

# /2031/05 and /2031-05 as whole segments, /2031-05-07 also before more text.
_find_dates = re.compile(
    rf"/([0-9]{{4}})(?:/{_MONTH}(?=/|$)|-{_FULL_MONTH}(?:(?=/|$)|-{_FULL_DAY}(?![0-9])))"
).finditer
_ends_with_date = re.compile(
    rf"/[0-9]{{4}}(?:/{_MONTH}(?:/[0-9]{{1,2}})?|-{_FULL_MONTH}(?:-{_FULL_DAY})?)/?(?:\.\w+)?$"
).search
_names_calendar = re.compile(
    r"[/_-](?:calendar|calendario|calendrier|kalender)(?![a-z])", re.IGNORECASE
).search

_SEPARATOR = r"(?:[-./]|%2F)"
_read_date = re.compile(
    rf"([0-9]{{4}}){_SEPARATOR}?{_FULL_MONTH}(?:{_SEPARATOR}?{_FULL_DAY})?(?![0-9])"
    rf"|([0-9]{{4}}){_SEPARATOR}{_MONTH}(?![0-9])"
    rf"|[0-9]{{1,2}}{_SEPARATOR}[0-9]{{1,2}}{_SEPARATOR}([0-9]{{4}})(?![0-9])"
).match
_YEAR_NAMES = frozenset({"year", "yr", "yyyy", "y", "jahr", "annee", "ano", "cal_year"})
_MONTH_NAMES = frozenset({"month", "mon", "mo", "mm", "m", "day", "week", "monat", "mois", "mes"})
_DATE_NAMES = _MONTH_NAMES | {"d", "ym", "cal", "calendar", "when", "from", "to", "start", "end"}

_SESSION_NAMES = frozenset({"jsessionid", "phpsessid", "oscsid", "zenid"})
# Java's and ASP.NET's ways to do without cookies.
_names_session = re.compile(r"(?i:;jsessionid=)|/\(S\([0-9a-z]{20,}\)\)").search
_MAYBE_SESSION_NAMES = frozenset({"s", "sid", "sessid", "session", "sessionid", "session_id"})
_TELLING_NAMES = frozenset().union(
    _YEAR_NAMES, _DATE_NAMES, _SESSION_NAMES, _MAYBE_SESSION_NAMES, {"cfid", "cftoken"}
)
_is_telling = re.compile(r"aspsessionid|.*date$").match
# A digit must be among them: "?s=internationalisation" is a search query.
_is_token = re.compile(r"(?=[A-Za-z]*[0-9])[0-9A-Za-z]{16,}").fullmatch

_has_digit = re.compile(r"[0-9]").search
# A digit of an escape is a letter of another script, not a number.
_VARIABLE = re.compile(
    r"(?<![0-9A-Za-z%])(?:"
    r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
    r"|(?=[a-fA-F]*[0-9])[0-9a-fA-F]{8,})(?![0-9A-Za-z])"
    r"|(?<!%)(?<!%[0-9A-F])[0-9]+"
)


def trap(url: str, rules: TrapRules, year: int) -> str:
    """Why a normalised URL looks like a trap in the given year; "" if it does not."""
    if 0 < rules.max_url_length < len(url):
        return TOO_LONG
    page, _, query = url.partition("?")
    reason = _path_trap(page, rules, year)
    if reason or not query:
        return reason
    return _query_trap(query, rules, year)


def _path_trap(page: str, rules: TrapRules, year: int) -> str:
    segments = _segments(page)
    if 0 < rules.max_path_segments < len(segments):
        return PATH_TOO_DEEP
    if _is_repetitive(segments, rules.max_segment_repeats):
        return REPEATED_SEGMENTS
    if rules.session_ids and (";" in page or "(S(" in page) and _names_session(page):
        return SESSION_ID
    if rules.calendars:
        for found in _find_dates(page, page.find("/", 8)):
            if _is_far(found[1], rules, year):
                return CALENDAR
    return ""


def _segments(page: str) -> list[str]:
    segments = page.split("/")[3:]
    if segments and not segments[-1]:
        segments.pop()
    return segments


def _is_repetitive(segments: list[str], allowed: int) -> bool:
    """Whether a name, or a run of two and more segments, comes more often than allowed.

    Numbers are no names: /volume/1/issue/1/page/1 is a place, /1/2/1/2/1/2 is not.
    """
    if not allowed or len(segments) - len(set(segments)) < allowed:
        return False
    if any(n > allowed and not name.isdigit() for name, n in Counter(segments).items()):
        return True
    longest = len(segments) // (allowed + 1)
    return any(_has_run(segments, length, allowed + 1) for length in range(2, longest + 1))


def _has_run(segments: list[str], length: int, times: int) -> bool:
    """Whether some `length` segments stand `times` times in a row."""
    whole = length * times
    return any(
        segments[at : at + length] * times == segments[at : at + whole]
        for at in range(len(segments) - whole + 1)
    )


def _query_trap(query: str, rules: TrapRules, year: int) -> str:
    parameters = _parameters(query)
    if _is_explosive(query, parameters, rules):
        return QUERY_EXPLOSION
    telling = [pair for pair in parameters if pair[0] in _TELLING_NAMES or _is_telling(pair[0])]
    if not telling:
        return ""
    if rules.session_ids and _has_session(telling):
        return SESSION_ID
    if rules.calendars and any(_is_far(found, rules, year) for found in _years(telling)):
        return CALENDAR
    return ""


def _parameters(query: str) -> Parameters:
    """Lower-case names with their values."""
    pairs = [parameter.partition("=") for parameter in query.split("&")]
    return [(name.lower(), value) for name, _, value in pairs]


def _is_explosive(query: str, parameters: Parameters, rules: TrapRules) -> bool:
    if 0 < rules.max_query_length < len(query) or 0 < rules.max_parameters < len(parameters):
        return True
    if not 0 < rules.max_parameter_repeats < len(parameters):
        return False
    repeats = Counter(name for name, _ in parameters)
    return max(repeats.values()) > rules.max_parameter_repeats


def _has_session(parameters: Parameters) -> bool:
    for name, value in parameters:
        if name in _SESSION_NAMES or name.startswith("aspsessionid"):
            return True
        if name in _MAYBE_SESSION_NAMES and _is_token(value):
            return True
    return {"cfid", "cftoken"} <= {name for name, _ in parameters}


def _years(parameters: Parameters) -> Iterator[str]:
    """The years of the dates among the parameters."""
    for name, value in parameters:
        if name in _YEAR_NAMES:
            # A year alone is a filter over things that exist: films of 1985.
            if any(other in _MONTH_NAMES for other, _ in parameters):
                yield value
        elif (name in _DATE_NAMES or name.endswith("date")) and (found := _read_date(value)):
            yield found[1] or found[2] or found[3]


def _is_far(digits: str, rules: TrapRules, year: int) -> bool:
    if len(digits) != 4 or not (digits.isascii() and digits.isdigit()):
        return False
    found = int(digits)
    near = rules.calendar_first_year <= found <= year + rules.calendar_years_ahead
    return found in _YEARS and not near


def pattern_of(url: str) -> str:
    """The shape of a normalised URL: numbers become "#", parameters keep their names only.

    "" if the shape is the URL itself: where nothing varies there is nothing to count.
    """
    host, _, rest = url.partition("://")[2].partition("/")
    path, _, query = rest.partition("?")
    shape = _shape(path)
    if query:
        names = {_shape(parameter.partition("=")[0]) for parameter in query.split("&")}
        shape = f"{shape}?{'&'.join(sorted(names))}"
    return f"{host}/{shape}" if shape != rest else ""


def _shape(text: str) -> str:
    return _VARIABLE.sub("#", text) if _has_digit(text) else text


def is_calendar_like(url: str) -> bool:
    """Whether a URL is a calendar's or an archive's view of some day or month.

    An article below a date (/2019/05/07/title) is not.
    """
    page, _, query = url.partition("?")
    if _ends_with_date(page) or _names_calendar(page, page.find("/", 8)):
        return True
    return bool(query) and any(_years(_parameters(query)))
