"""Recognise URLs that lead into crawler traps.

A trap is a site that makes new URLs faster than it has pages: calendars, sessions, filters that
combine, links that repeat their own path. What one URL shows is judged here at once (`trap`); what
only numbers show is left to quotas over URLs of one shape (`pattern_of`).
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Parameters: TypeAlias = Sequence[tuple[str, str]]

TOO_LONG: Final = "too-long"
REPEATED_SEGMENTS: Final = "repeated-segments"
PATH_TOO_DEEP: Final = "path-too-deep"
QUERY_EXPLOSION: Final = "query-explosion"
SESSION_ID: Final = "session-id"
CALENDAR: Final = "calendar"


MAX_SEGMENT_REPEATS: Final = 2
MAX_QUERY_LENGTH: Final = 512
MAX_PARAMETER_REPEATS: Final = 4
CALENDAR_FIRST_YEAR: Final = 1990

Count = Annotated[int, msgspec.Meta(ge=1)]


class TrapConfig(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """How endless parts of a site are recognised."""

    enabled: bool = True
    max_url_length: Count = 2048
    max_segments: Count = 20
    max_parameters: Count = 12
    calendar_years_ahead: Annotated[int, msgspec.Meta(ge=0)] = 1
    # Quotas of a host, of a shape of URL, and of one with dates. Numbered pages of a large site
    # share a shape; combinations of parameters are what explodes.
    per_host: Count = 1_000_000
    host_start: Count = 1_000  # the initial quota of a host that no person named
    # How fast it earns more (core/crawl/host_quota.py)
    host_growth: Annotated[int, msgspec.Meta(ge=0)] = 4
    per_pattern: Count = 250_000
    per_query_pattern: Count = 10_000
    per_calendar: Count = 100


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


def trap(url: str, rules: TrapConfig, year: int) -> str:
    """Why a normalised URL looks like a trap in the given year; "" if it does not."""
    if len(url) > rules.max_url_length:
        return TOO_LONG
    page, _, query = url.partition("?")
    reason = _path_trap(page, rules, year)
    if reason or not query:
        return reason
    return _query_trap(query, rules, year)


def _path_trap(page: str, rules: TrapConfig, year: int) -> str:
    segments = _segments(page)
    if len(segments) > rules.max_segments:
        return PATH_TOO_DEEP
    if _is_repetitive(segments):
        return REPEATED_SEGMENTS
    if (";" in page or "(S(" in page) and _names_session(page):
        return SESSION_ID
    dates = _find_dates(page, page.find("/", 8))
    return CALENDAR if any(_is_far(found[1], rules, year) for found in dates) else ""


def _segments(page: str) -> list[str]:
    segments = page.split("/")[3:]
    if segments and not segments[-1]:
        segments.pop()
    return segments


def _is_repetitive(segments: list[str], allowed: int = MAX_SEGMENT_REPEATS) -> bool:
    """Whether a name, or a run of two and more segments, comes more often than allowed.

    Numbers are no names: /volume/1/issue/1/page/1 is a place, /1/2/1/2/1/2 is not.
    """
    if len(segments) - len(set(segments)) < allowed:
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


def _query_trap(query: str, rules: TrapConfig, year: int) -> str:
    parameters = _parameters(query)
    if _is_explosive(query, parameters, rules):
        return QUERY_EXPLOSION
    telling = [pair for pair in parameters if pair[0] in _TELLING_NAMES or _is_telling(pair[0])]
    if not telling:
        return ""
    if _has_session(telling):
        return SESSION_ID
    return CALENDAR if any(_is_far(found, rules, year) for found in _years(telling)) else ""


def _parameters(query: str) -> Parameters:
    """Lower-case names with their values."""
    pairs = [parameter.partition("=") for parameter in query.split("&")]
    return [(name.lower(), value) for name, _, value in pairs]


def _is_explosive(query: str, parameters: Parameters, rules: TrapConfig) -> bool:
    if len(query) > MAX_QUERY_LENGTH or len(parameters) > rules.max_parameters:
        return True
    if len(parameters) <= MAX_PARAMETER_REPEATS:
        return False
    return max(Counter(name for name, _ in parameters).values()) > MAX_PARAMETER_REPEATS


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


def _is_far(digits: str, rules: TrapConfig, year: int) -> bool:
    if len(digits) != 4 or not (digits.isascii() and digits.isdigit()):
        return False
    found = int(digits)
    near = CALENDAR_FIRST_YEAR <= found <= year + rules.calendar_years_ahead
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
