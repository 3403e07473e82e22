"""Decide what a response means for its URL and for its host."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Literal

Kind = Literal["page", "unchanged", "redirect", "gone", "retry", "throttled", "excluded", "failed"]

EXCLUDING_FAULTS = frozenset({"content-type", "too-large", "unsafe-address"})
BAD_FAULTS = frozenset({"connection-refused", "dns", "tls-certificate", "malformed-response"})
REDIRECT_CODES = frozenset({301, 302, 303, 307, 308})
THROTTLE_CODES = frozenset({429, 503})
RETRY_CODES = frozenset({408, 425, 500, 502, 504, 520, 521, 522, 523, 524})
WITHOUT_BODY = frozenset({204, 205})
# Longer waits are not worth it in this crawl.
MAX_RETRY_AFTER = 300.0
# Ten bad responses, and four of five, are no accident. A long run is enough too: a host with
# a good record of years would otherwise need years of bad responses.
SET_ASIDE_AFTER = 10
SET_ASIDE_SHARE = 0.8
SET_ASIDE_ROW = 50
REMEMBERED = SET_ASIDE_AFTER // 2  # bad answers at most, of a host that gets another chance
FIRST_SPELL = 24 * 3600.0  # seconds that a host is set aside; the next time four times longer
LONGEST_SPELL = 30 * 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What to do with a URL after one request, and why."""

    kind: Kind
    reason: str

    @property
    def is_bad(self) -> bool:
        """Whether it counts against the host."""
        return self.kind in ("retry", "throttled") or self.reason in BAD_FAULTS


def judge(code: int, fault: str, transient: bool) -> Outcome:
    """The outcome of a request from its status code and its fault.

    Of an error or a redirect only the code matters, whatever was wrong with its body.
    """
    if fault and code < 300:
        return _judge_fault(fault, transient)
    if 200 <= code < 300:
        is_bare = code in WITHOUT_BODY
        return Outcome("excluded", f"http-{code}") if is_bare else Outcome("page", "document")
    if code == 304:
        return Outcome("unchanged", "not-modified")
    if code in REDIRECT_CODES:
        return Outcome("redirect", "redirect")
    return _judge_error(code)


def _judge_fault(fault: str, transient: bool) -> Outcome:
    if transient:
        return Outcome("retry", fault)
    return Outcome("excluded" if fault in EXCLUDING_FAULTS else "failed", fault)


def _judge_error(code: int) -> Outcome:
    reason = f"http-{code}"
    if code in (404, 410):
        return Outcome("gone", reason)
    if code in THROTTLE_CODES:
        return Outcome("throttled", reason)
    return Outcome("retry" if code in RETRY_CODES else "failed", reason)


def retry_after(header: str, now: float) -> float:
    """Seconds that a Retry-After header asks for; 0 when it says nothing usable."""
    text = header.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return 0.0


def http_date(header: str) -> float | None:
    """The time in a header such as Last-Modified; None if there is none."""
    try:
        moment = parsedate_to_datetime(header)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return aware.timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def is_ill(requests: int, bad: int, in_a_row: int = 0) -> bool:
    """Whether a host has given too many bad responses to go on."""
    is_bad = bad >= SET_ASIDE_AFTER and bad > SET_ASIDE_SHARE * requests
    return is_bad or in_a_row >= SET_ASIDE_ROW


def forgotten(requests: int, bad: int) -> tuple[int, int]:
    """What is remembered of these when a host gets another chance.

    Half, and so few that it takes a handful of bad responses to be ill again, not one.
    """
    kept = min(bad // 2, REMEMBERED)
    return (requests * kept // bad if bad else requests // 2), kept


def next_spell(last: float) -> float:
    """How long a failing host is set aside, if it was for `last` seconds the time before."""
    return min(max(FIRST_SPELL, 4 * last), LONGEST_SPELL)


def retry_wait(first: float, tries: int) -> float:
    """How long to wait before the next try, after `tries` requests."""
    return float(first * 4 ** max(0, tries - 1))
