"""How often does a page change, judged by what its visits found?

Changes are taken to come as a Poisson process. A visit after `I` seconds that finds nothing new
has the likelihood exp(-rI); one that finds a change, 1 - exp(-rI), because several changes look
like one; and if the server says that the last was `t` seconds ago, r exp(-rt). Cho and
Garcia-Molina ("Estimating frequency of change", 2003) maximise each of these alone. Here they stand
in one equation, with a log-normal prior that few visits cannot outvote, and it has one root:

    dated - rate * (quiet + ages) + sum over undated changes of x / (e^x - 1), x = rate * I
        = (log rate - log prior) / spread^2

The third term would need every interval. It is interpolated between powers of two of an hour, which
keeps a history small. It puts the rate off by at most 1.7 % while up to 90 % of the visits find a
change, by 4.2 % at 95 % and by 8.3 % at 98 %, where chance does more.
"""

from __future__ import annotations

from math import exp, expm1, floor, inf, log, log2
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

HOUR = 3600.0
DAY = 24 * HOUR
FASTEST = 1 / 60.0  # changes per second: what changes more often is not worth telling apart
SLOWEST = 1 / (100 * 365 * DAY)

FIRST_WEB_PAGE = 662_688_000.0  # 1991; older dates come from archives and unset clocks
JUST_NOW = 60.0  # seconds: a page "modified" at the moment of the request was made for it
FIRST_AGE_CAP = 90 * DAY  # what was before says little about what is now
PROBES = (
    6  # visits that looked for the first quiet interval; a quarter each: of 100 days half an hour
)
ABSENCES = 2  # visits in a row without a page: then it is gone
NODES = range(-4, 15)  # intervals from 4 minutes to 2 years, as powers of two of an hour


class Prior(msgspec.Struct, frozen=True):
    """What is believed of a page before it was visited twice."""

    rate: float = 1 / (30 * DAY)
    spread: float = 2.0  # of log rate: two thirds of all pages within a factor of e^2

    def of_site(self, rates: Iterable[float], weight: float = 5.0) -> Prior:
        """This one, moved toward what other pages of the site do; `weight` pages hold it back."""
        logs = [log(rate) for rate in rates]
        mean = (weight * log(self.rate) + sum(logs)) / (weight + len(logs))
        return Prior(exp(mean), self.spread)


class History(msgspec.Struct, frozen=True, omit_defaults=True):
    """All that visits to a page have shown, in a size that does not grow with them."""

    first_at: float = 0.0
    last_at: float = 0.0
    changed_at: float = 0.0  # of the last change seen: the server's date, or when it was found
    visits: int = 0  # with an interval before them: the first is none
    changes: int = 0
    quiet: float = 0.0  # seconds that unchanged visits looked back on
    first_age: float = 0.0  # how old the page said it was at the first visit
    dated: int = 0  # changes with a date,
    dated_ages: float = 0.0  # how long ago they were, together,
    dated_span: float = 0.0  # and the intervals in which they were found
    undated: dict[int, float] = {}  # changes without a date, by interval (NODES)
    lied: bool = False  # a later date for the same bytes: its dates tell nothing
    absences: int = 0  # how often in a row there was no page (404 or 410)
    told: int = 0  # visits after a sitemap or feed had said that it changed,
    misled: int = 0  # and those that found nothing new
    content: bytes = b""  # of a sitemap or feed, its fingerprint; of a page the record has it

    def visited(
        self, at: float, changed: bool, modified: float | None = None, hinted_at: float = 0.0
    ) -> History:
        """After one more visit; `modified` is what the server said, and `hinted_at` what a sitemap
        or feed had said of the page. The same visit counts once."""
        if not self.last_at:
            return self._first(at, modified)
        interval = at - self.last_at
        if interval <= 0:
            return self
        after = msgspec.structs.replace(
            self._was_told(hinted_at, changed),
            last_at=at,
            visits=self.visits + 1,
            changes=self.changes + changed,
            absences=0,
        )
        return after._changed(interval, modified) if changed else after._quiet(interval, modified)

    def absent(self, hinted_at: float = 0.0) -> History:
        """After a visit that found no page. It says nothing of how often the page changes."""
        after = self._was_told(hinted_at, changed=False)
        return msgspec.structs.replace(after, absences=self.absences + 1)

    def _was_told(self, hinted_at: float, changed: bool) -> History:
        """If it was said to have changed since it was last seen: was that true?"""
        if not self.last_at < hinted_at:
            return self
        misled = self.misled + (not changed)
        return msgspec.structs.replace(self, told=self.told + 1, misled=misled)

    @property
    def heeds_hints(self) -> bool:
        """Whether the next hint is believed: dates were no lies, and hints not mostly wrong."""
        return not self.lied and 2 * self.misled <= self.told

    @property
    def is_vanished(self) -> bool:
        """Whether a page that was there is gone: once may be a mistake, twice is not."""
        return self.absences >= ABSENCES

    @property
    def probe(self) -> float:
        """After how long a look would tell most about a page that has changed whenever we came.

        Without dates that means only that it changes more often than it was visited, be it twice as
        often or a hundred times. Quarter by quarter, the first interval without a change tells.
        Infinite for a page of which more is known, or that took too many looks already.
        """
        is_open = 0 < self.visits == self.changes <= PROBES and not self.dated
        return HOUR * 2.0 ** min(self.undated) / 4 if is_open else inf

    def _first(self, at: float, modified: float | None) -> History:
        age = _credible_age(at, modified, inf) or 0.0
        return History(first_at=at, last_at=at, changed_at=at - age, first_age=age)

    def _changed(self, interval: float, modified: float | None) -> History:
        age = None if self.lied else _credible_age(self.last_at, modified, interval)
        if age is None:
            undated = _with_changes(self.undated, interval, 1.0)
            return msgspec.structs.replace(self, changed_at=self.last_at, undated=undated)
        return msgspec.structs.replace(
            self,
            changed_at=self.last_at - age,
            dated=self.dated + 1,
            dated_ages=self.dated_ages + age,
            dated_span=self.dated_span + interval,
        )

    def _quiet(self, interval: float, modified: float | None) -> History:
        after = msgspec.structs.replace(self, quiet=self.quiet + interval)
        before = self.last_at - interval
        lies = modified is not None and modified > before + JUST_NOW
        return after._undated() if lies else after

    def _undated(self) -> History:
        """Without the dates of a server that was caught; its changes were real."""
        undated = self.undated
        if self.dated:
            undated = _with_changes(undated, self.dated_span / self.dated, float(self.dated))
        return msgspec.structs.replace(
            self,
            first_age=0.0,
            dated=0,
            dated_ages=0.0,
            dated_span=0.0,
            undated=undated,
            lied=True,
        )

    def rate(self, prior: Prior = Prior()) -> float:  # noqa: B008 frozen
        """Changes per second, the likeliest; the prior's if nothing is known."""
        low, high = log(SLOWEST), log(FASTEST)
        at = min(max(log(prior.rate), low), high)
        while high - low > 1e-9:
            surplus, slope = self._surplus(at, prior)
            low, high = (at, high) if surplus > 0 else (low, at)
            newton = at - surplus / slope
            if abs(newton - at) < 1e-9:
                break
            at = newton if low < newton < high else (low + high) / 2
        return exp(at)

    def _surplus(self, log_rate: float, prior: Prior) -> tuple[float, float]:
        """By how much the changes seen exceed those expected at this rate, and its slope."""
        rate, precision = exp(log_rate), prior.spread**-2
        dated = self.dated + (0.0 < self.first_age < FIRST_AGE_CAP)
        still = rate * (self.quiet + self.dated_ages + min(self.first_age, FIRST_AGE_CAP))
        surplus = dated - still - precision * (log_rate - log(prior.rate))
        slope = -still - precision
        for node, count in self.undated.items():
            x = rate * HOUR * 2.0**node
            share = x / expm1(x) if x < 700 else 0.0
            surplus += count * share
            slope += count * share * (1 - x - share)
        return surplus, slope


_DECODER = msgspec.msgpack.Decoder(History)
_ENCODER = msgspec.msgpack.Encoder()


def remembered(body: bytes) -> History:
    """A history as a record keeps it; of a page that was never visited it is empty."""
    return _DECODER.decode(body) if body else History()


def packed(history: History) -> bytes:
    """A history in some 100 bytes: a record must stay within a write unit."""
    return _ENCODER.encode(history)


def _credible_age(at: float, modified: float | None, interval: float) -> float | None:
    """How long before the visit the page was modified, if that can be believed.

    Not in the future, not made up for the request, not before the visit that saw another version.
    """
    if modified is None or modified < FIRST_WEB_PAGE:
        return None
    age = at - modified
    return age if JUST_NOW <= age < interval else None


def _with_changes(undated: dict[int, float], interval: float, count: float) -> dict[int, float]:
    """Changes between two nodes are shared by both: then sooner always means more often."""
    place = min(max(log2(interval / HOUR), NODES[0]), NODES[-1])
    node = floor(place)
    after = dict(undated)
    for near, part in ((node, node + 1 - place), (node + 1, place - node)):
        if part:
            after[near] = after.get(near, 0.0) + count * part
    return after


def regular_rate(visits: int, changes: int, interval: float) -> float:
    """The rate of a page visited at equal intervals, without a prior.

    Half a quiet visit is added: otherwise a page that changed each time had an infinite rate, and
    all others are overrated.
    """
    return -log((visits - changes + 0.5) / (visits + 0.5)) / interval


def dated_rate(visits: int, changes: int, known_quiet: float) -> float:
    """The rate of a page whose every change has a date, without a prior.

    `known_quiet` is the time before each visit that is known to be without a change. Changes over
    time overrates a page; by how much depends on the share of visits that found one.
    """
    if not changes:
        return 0.0
    unseen = changes / (visits * log(1 - changes / visits)) if changes < visits else 0.0
    return (changes - 1 - unseen) / known_quiet
