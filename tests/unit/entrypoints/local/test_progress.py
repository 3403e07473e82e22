"""Does a running crawl say honestly how much is to come?"""

from __future__ import annotations

import io
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from gossamer.core.crawl.job import JobConfig, Rules
from gossamer.core.crawl.url_state import State
from gossamer.entrypoints.local.progress import Progress
from gossamer.ports.jobs import JobRecord


class Crawl:
    """What the progress display reads of a crawl that fetches ten pages a second."""

    beside = None

    def __init__(self, record: JobRecord, waiting: int, booked: int, pages: int) -> None:
        self.record, self.pages = record, pages
        self.now, self.seconds = 0.0, 100.0
        self.active: dict[str, set[Any]] = {"fetch": set(), "parse": set()}
        states = Counter({State.DISCOVERED: waiting})
        self.home = SimpleNamespace(
            states=lambda: (states, Counter[str]()),
            sums=lambda: Counter({"pages": self.pages}),
            queues=SimpleNamespace(depth=lambda: Counter({"fetch": booked})),
            hosts=SimpleNamespace(troubled=list, waits=lambda _: {}),
        )

    def clock(self) -> float:
        return self.now

    def timer(self) -> float:
        return self.now

    def fetch_pages(self) -> None:
        self.now, self.pages = self.now + 10.0, self.pages + 100


def last_line(record: JobRecord, waiting: int, booked: int = 0, pages: int = 0) -> str:
    out = io.StringIO()
    crawl: Any = Crawl(record, waiting, booked, pages)
    progress = Progress(out, live=False)
    progress.close(crawl)
    crawl.fetch_pages()
    progress.close(crawl)
    return out.getvalue().splitlines()[-1]


def job(left: int | None = None, **limits: Any) -> JobRecord:
    return JobRecord(job="crawl", rules=Rules(JobConfig(**limits)), pages_left=left)


@pytest.mark.parametrize(
    ("record", "waiting", "booked", "told"),
    [
        (job(), 1200, 0, "about 2 min 00 s to go"),
        (job(500, max_pages=600), 1200, 0, "about 50.0 s to go"),
        (job(500, max_pages=600), 1200, 100, "about 1 min 00 s to go"),  # these hold units already
        (job(5000, max_pages=5000), 1200, 0, "about 2 min 00 s to go"),
        (job(max_seconds=130.0), 1200, 0, "about 30.0 s to go"),
    ],
)
def test_what_is_to_come_is_what_waits_within_the_limits(record, waiting, booked, told):
    # The collection has more pages from earlier rounds than the limit of this one.
    assert told in last_line(record, waiting, booked, pages=10_000)


@pytest.mark.parametrize(
    ("record", "waiting"),
    [(job(), 0), (job(0, max_pages=100), 1200), (job(max_seconds=90.0), 1200)],
)
def test_no_time_is_shown_where_none_is_left(record, waiting):
    assert "to go" not in last_line(record, waiting, pages=1000)
