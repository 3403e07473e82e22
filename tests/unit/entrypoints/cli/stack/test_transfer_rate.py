"""Does a person see how much is copied, how fast, and how long it takes?"""

from __future__ import annotations

from gossamer.batch.transfer.collection import Step
from gossamer.entrypoints.cli.stack.transfer_rate import Rate


def lines(*steps: tuple[float, Step]) -> list[str]:
    """What is shown of steps, each at its second."""
    now, shown = [0.0], list[str]()
    rate = Rate(shown.append, lambda: now[0])
    for at, step in steps:
        now[0] = at
        rate(step)
    return shown


def test_rate_and_time_left_follow_from_what_was_done():
    assert lines((10.0, Step("urls", 5_000, 20_000))) == ["urls: 5,000 of 20,000, 500/s, 30 s left"]


def test_bytes_are_told_as_sizes_and_long_times_in_hours():
    step = Step("pages", 2_000_000, 40_000_000_000, "bytes")

    assert lines((1.0, step)) == ["pages: 2.0 MB of 40.0 GB, 2.0 MB/s, 5 h 33 min left"]


def test_without_a_total_no_time_is_promised():
    assert lines((2.0, Step("edges", 10))) == ["edges: 10, 5/s"]


def test_what_an_earlier_run_did_is_not_counted_as_speed():
    assert lines((2.0, Step("urls", 110, 210, before=100))) == ["urls: 110 of 210, 5/s, 20 s left"]


def test_every_part_is_measured_from_the_end_of_the_one_before():
    shown = lines((100.0, Step("hosts", 10)), (102.0, Step("urls", 40, 40)))

    assert shown[1] == "urls: 40 of 40, 20/s"


def test_minutes_are_told_with_their_seconds():
    assert lines((1.0, Step("urls", 1, 100)))[0].endswith("1 min 39 s left")
