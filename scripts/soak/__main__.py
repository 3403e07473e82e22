"""Soak test: crawl, recrawl, search, kill and restart for a long time on one machine.

Exit codes: 0 if every bound is met, 1 if not, 2 if the soak could not run.
"""

import argparse
import json
import signal
import sys
import tempfile
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from scripts.bench.failure import BenchFailure
from scripts.bench.machine import hardware
from scripts.bench.machine.percentiles import times
from scripts.bench.report import Claim, are_met, table
from scripts.soak.ending import Ending
from scripts.soak.plan import Plan
from scripts.soak.plot import draw
from scripts.soak.record import Record
from scripts.soak.running import run
from scripts.soak.serving import Outage
from scripts.soak.verdicts import JUDGED_FROM, verdicts

MINUTES = 30.0
SHORTEST = 0.4  # minutes; less leaves no time for a kill


def parse(arguments: list[str]) -> argparse.Namespace:
    """The settings given on the command line."""
    parser = argparse.ArgumentParser(prog="python -m scripts.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=MINUTES, help="default 30")
    parser.add_argument("--seed", type=int, default=1, help="of the site, the kills, the queries")
    parser.add_argument("--out", type=Path, help="write all measurements to this JSON file")
    parser.add_argument("--plot", type=Path, help="draw a PNG to this file (needs matplotlib)")
    parser.add_argument("--data", type=Path, help="a new folder to crawl into; default: temporary")
    beside = Path(sys.executable).with_name("gossamer")
    parser.add_argument("--gossamer", type=Path, default=beside, help=f"default {beside}")
    settings = parser.parse_args(arguments)
    if settings.minutes < SHORTEST:
        parser.error(f"--minutes must be {SHORTEST:g} or more")
    if settings.data is not None and settings.data.exists():
        parser.error(f"{settings.data} exists: name a new folder")
    return settings


def main(arguments: list[str]) -> int:
    """Run the soak, print and write the results; returns the exit code."""
    # Without this, SIGTERM would leave the child processes running.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    settings = parse(arguments)
    plan = Plan(60 * settings.minutes, settings.seed)
    where = hardware.describe()
    try:
        with tempfile.TemporaryDirectory(prefix="gossamer-soak-") as folder:
            data = settings.data or Path(folder) / "data"
            record, ending = run(plan, settings.gossamer.absolute(), data)
    except BenchFailure as failure:
        print(f"soak: {failure}", file=sys.stderr)
        return 2
    found = verdicts(record, ending)
    _print(where, record, ending, found)
    if settings.out:
        settings.out.parent.mkdir(parents=True, exist_ok=True)
        settings.out.write_text(json.dumps(_all(where, record, ending, found), indent=2) + "\n")
    if settings.plot and not draw(record, settings.plot):
        print("soak: no plot: matplotlib is not installed (`make soak` installs it)")
    return 0 if are_met(found) else 1


def _print(where: dict[str, object], record: Record, ending: Ending, found: list[Claim]) -> None:
    print("\nsoak: {cores} cores, {cpu}, load {load}, Python {python}, {date}".format(**where))
    print(f"{_summary(record)}\n\n{table([verdict.row() for verdict in found])}")
    for difference in [*ending.index_differs, *ending.site_differs]:
        print(f"  {difference}")
    if any(verdict.met is None for verdict in found):
        print(f"Not judged: needs {JUDGED_FROM / 60:g} minutes or more.")


def _summary(record: Record) -> str:
    last = record.samples[-1]
    searches = sum(answer.is_search for answer in record.answers)
    return (
        f"{record.plan.seconds / 60:g} minutes, {record.rounds} rounds, {last.requests:,} requests,"
        f" {len(record.kills)} kills, {len(record.outages)} restarts of the server,"
        f" {searches:,} searches"
    )


def _all(
    where: dict[str, object], record: Record, ending: Ending, found: list[Claim]
) -> dict[str, Any]:
    began_at = record.began_at
    return {
        "machine": where,
        "minutes": record.plan.seconds / 60,
        "seed": record.plan.seed,
        "met": are_met(found),
        "verdicts": [asdict(verdict) for verdict in found],
        "rounds": record.rounds,
        "kills": [round(at - began_at, 2) for at in record.kills],
        "restarts": [_outage(outage, began_at) for outage in record.outages],
        "lives": Counter(f"{life.task} {life.end}" for life in record.lives),
        "codes": Counter(str(answer.code) for answer in record.answers),
        "searches": {
            phase.name: times(ms).record()
            for phase in record.phases
            if (ms := [answer.ms for answer in record.searches(phase.name)])
        },
        "ending": asdict(ending),
        "windows": list(record.windows()),
    }


def _outage(outage: Outage, began_at: float) -> dict[str, Any]:
    seconds = round(outage.ended_at - outage.began_at, 2)
    return {"how": outage.how, "at": round(outage.began_at - began_at, 2), "seconds": seconds}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
