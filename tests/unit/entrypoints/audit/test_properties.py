from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.crawl.politeness import CLOUD_GRACE, EMBEDDED_GRACE, Pace, book, slot_times
from gossamer.entrypoints.audit.command import audit
from tests.effort import often
from tests.unit.entrypoints.audit.test_command import DAY, ask, rules, warc_of

HOSTS = ("a.test", "b.test", "c.test")
RULES = "User-agent: *\nDisallow: /no\nCrawl-delay: 3"


class Schedule:
    """A polite schedule as SCHEDULE and FETCH would make it: rows of keyword arguments of `ask`."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.rows: list[dict[str, object]] = []
        for host in HOSTS:
            self._visit(host)

    def _visit(self, host: str) -> None:
        policy = self.chance.choice([EMBEDDED_GRACE, CLOUD_GRACE])
        slot = 2 * DAY + self.chance.random()
        delay = self.chance.choice([3.0, 4.5])
        self._ask(f"http://{host}/robots.txt", slot, Pace(1.0, policy.grace(1.0)))
        for number in range(self.chance.randint(2, 12)):
            if self.chance.random() < 0.2:
                delay = self.chance.choice([3.0, 5.0, 10.0])
            pace = Pace(delay, policy.grace(delay))
            # Farther than any slot before it was apart, as the host's record would have it.
            now = slot + 15.0 + self.chance.random() * 9
            (slot,) = slot_times(book(0.0, 1, now, pace.spacing, 10.0), pace.spacing)
            self._ask(f"http://{host}/{number}", slot, pace)
            slot = self._maybe_refused(f"http://{host}/{number}", slot, pace)

    def _ask(self, url: str, slot: float, pace: Pace, **more: object) -> None:
        self.rows.append(
            {
                "url": url,
                "at": slot + self.chance.random() * pace.grace,
                "slot": slot,
                "delay": pace.delay,
                "grace": pace.grace,
                "max_delay": 60.0,
                "seconds": self.chance.random(),
            }
            | more
        )

    def _maybe_refused(self, url: str, slot: float, pace: Pace) -> float:
        """Sometimes the host says 429, is left alone, and is asked again."""
        if self.chance.random() > 0.2:
            return slot
        refusal = self.rows[-1]
        refusal |= {"code": 429, "headers": [("Retry-After", "40")], "seconds": 1.0}
        again = slot + pace.grace + 41.0
        self._ask(url, again, pace, tries=1)
        return again

    def pages(self) -> list[dict[str, object]]:
        return [row for row in self.rows if "robots" not in str(row["url"])]

    def certify(self):
        with TemporaryDirectory() as folder:
            requests = [self._request(row) for row in self.rows]
            self.chance.shuffle(requests)
            return audit([warc_of(Path(folder), *requests)])

    def _request(self, row):
        if not str(row["url"]).endswith("robots.txt"):
            return ask(**row)
        given = dict(row)
        host = str(given["url"]).split("/")[2]
        return rules(str(given.pop("text", RULES)), host=host, **given)


def too_early(schedule: Schedule) -> str:
    """A request moves to just less than its delay after the one before it, slot and all."""
    after = schedule.chance.choice(schedule.pages())
    host = str(after["url"]).split("/")[2]
    before = max(
        float(row["at"])  # type: ignore[arg-type]
        for row in schedule.rows
        if str(row["url"]).split("/")[2] == host and row["at"] < after["at"]  # type: ignore[operator]
    )
    after["at"] = after["slot"] = before + 0.999 * float(after["delay"])  # type: ignore[arg-type]
    return "gap"


def disallowed(schedule: Schedule) -> str:
    row = schedule.chance.choice([row for row in schedule.pages() if not row.get("tries")])
    row["url"] = str(row["url"]).replace(".test/", ".test/no/")
    return "disallowed"


def robots_dropped(schedule: Schedule) -> str:
    schedule.rows.remove(next(row for row in schedule.rows if "robots" in str(row["url"])))
    return "robots-unread"


def robots_broken(schedule: Schedule) -> str:
    next(row for row in schedule.rows if "robots" in str(row["url"]))["code"] = 500
    return "robots-unavailable"


def robots_old(schedule: Schedule) -> str:
    row = next(row for row in schedule.rows if "robots" in str(row["url"]))
    row["at"] = row["slot"] = float(row["at"]) - DAY  # type: ignore[arg-type]
    return "robots-stale"


def slot_shared(schedule: Schedule) -> str:
    row = schedule.chance.choice(schedule.pages())
    copy = dict(row) | {"url": f"{row['url']}-too", "tries": 0}
    schedule.rows.append(copy)
    return "slot-reuse"


def late(schedule: Schedule) -> str:
    row = schedule.chance.choice(schedule.pages())
    row["at"] = float(row["slot"]) + float(row["grace"]) + 0.001  # type: ignore[arg-type]
    return "slot-window"


def early(schedule: Schedule) -> str:
    row = schedule.chance.choice(schedule.pages())
    row["at"] = float(row["slot"]) - 0.001  # type: ignore[arg-type]
    return "slot-window"


def hurried(schedule: Schedule) -> str:
    schedule.chance.choice(schedule.pages())["delay"] = 2.9
    return "crawl-delay"


def deaf(schedule: Schedule) -> str:
    """A host refuses, for longer than it is left alone."""
    row = next(row for row in schedule.pages())
    row |= {"code": 503, "headers": [("Retry-After", "290")], "seconds": 0.5}
    return "retry-after"


def tried_again(schedule: Schedule) -> str:
    row = schedule.chance.choice([row for row in schedule.pages() if not row.get("tries")])
    row["tries"] = 2
    return "retry"


MUTATIONS = (
    too_early,
    disallowed,
    robots_dropped,
    robots_broken,
    robots_old,
    slot_shared,
    late,
    early,
    hurried,
    deaf,
    tried_again,
)


@often(100)
@given(st.integers(0, 2**32))
def test_a_polite_schedule_passes(seed):
    certificate = Schedule(Random(seed)).certify()

    assert certificate.violations == 0, certificate.listed
    assert certificate.notes == []


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
@often(40)
@given(seed=st.integers(0, 2**32))
def test_any_single_change_for_the_worse_is_found(mutation, seed):
    schedule = Schedule(Random(seed))

    kind = mutation(schedule)

    certificate = schedule.certify()
    assert kind in {check.name for check in certificate.checks if check.violations}
