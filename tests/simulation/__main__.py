"""Many worlds, one after another: python -m tests.simulation --seeds 10000

Every seed is a world of its own: hosts, pages, a job, and what goes wrong. A world in which a law
is broken is made as small as possible and printed with its events. Exits 1 if there was one.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from tests.simulation.generator import generate
from tests.simulation.report import report
from tests.simulation.simulation import simulate
from tests.simulation.stages import STAGES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.simulation.spec import World

MOST_REPORTS = 5
CHUNK = 8


@dataclass
class Result:
    """What came of one seed, small enough to be sent from process to process."""

    seed: int
    laws: list[str] = field(default_factory=list)
    told: str = ""
    sums: Counter[str] = field(default_factory=Counter)


def run_seed(seed: int, stage: str, *, small: bool = True) -> Result:
    """One world; whatever the program raises is a broken law too."""
    world = generate(seed, stage)
    try:
        outcome = simulate(world, stage)
    except Exception:  # noqa: BLE001 — of one world among thousands
        return Result(seed, ["no-crash"], f"seed {seed}\n{traceback.format_exc(limit=-8)}")
    laws = [violation.law for violation in outcome.violations]
    told = report(outcome, stage, small=small) if laws else ""
    return Result(seed, laws, told, _sums(world) + Counter(requests=outcome.requests))


def _sums(world: World) -> Counter[str]:
    faults = world.faults
    return Counter(
        worlds=1,
        pages=len(world.pages),
        kills=faults.kills,
        throttles=faults.throttles,
        duplicating=bool(faults.duplicates),
        late=bool(faults.lateness),
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run worlds until all have run, or too many broke."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=1000, help="how many worlds (1000)")
    parser.add_argument("--start", type=int, default=0, help="the first seed (0)")
    parser.add_argument("--stage", choices=STAGES, default="local", help="which home (local)")
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--json", action="store_true", help="the sums as JSON")
    args = parser.parse_args(argv)
    seeds = range(args.start, args.start + args.seeds)
    began, sums, broken = time.monotonic(), Counter[str](), list[Result]()
    work = partial(run_seed, stage=args.stage)
    with multiprocessing.get_context("spawn").Pool(args.processes) as pool:
        for result in pool.imap_unordered(work, seeds, CHUNK):
            sums += result.sums
            if result.laws:
                broken.append(result)
                print(result.told, file=sys.stderr, flush=True)
            _show_progress(sums["worlds"] + len(broken), args.seeds, began)
            if len(broken) >= MOST_REPORTS:
                pool.terminate()
                break
    _conclude(sums, broken, time.monotonic() - began, as_json=args.json)
    return 1 if broken else 0


def _show_progress(done: int, of: int, began: float) -> None:
    if sys.stderr.isatty() and done % 20 == 0:
        rate = done / (time.monotonic() - began)
        left = (of - done) / rate
        told = f"\r{done:,} of {of:,} worlds, {rate:.0f}/s, {left:.0f} s left  "
        print(told, end="", file=sys.stderr)


def _conclude(sums: Counter[str], broken: list[Result], seconds: float, *, as_json: bool) -> None:
    laws = Counter(law for result in broken for law in set(result.laws))
    if as_json:
        facts = dict(sums) | {"seconds": round(seconds, 1), "broken": dict(laws)}
        print(json.dumps(facts | {"seeds": [result.seed for result in broken]}))
        return
    print(
        f"{sums['worlds']:,} worlds in {seconds:.0f} s: {sums['requests']:,} requests, "
        f"{sums['kills']:,} kills, {sums['throttles']:,} throttled calls; "
        + (f"broken: {dict(laws)}" if broken else "no law was broken")
    )


if __name__ == "__main__":
    sys.exit(main())
