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
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from tests.simulation.seeds import (
    LEAST_TOGETHER,
    MAX_PASSES,
    Result,
    passes,
    run_seed,
    together,
)
from tests.simulation.stages import STAGES

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_REPORTS = 5
CHUNK = 8


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
    apart = sums["similar_pairs"] and together(sums) < LEAST_TOGETHER
    return 1 if broken or passes(sums) > MAX_PASSES or apart else 0


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
        f"{sums['kills']:,} kills, {sums['throttles']:,} throttled calls, "
        f"{passes(sums):.3f} passes a request, "
        f"{sums['similar_together']:,} of {sums['similar_pairs']:,} similar pairs together; "
        + (f"broken: {dict(laws)}" if broken else "no law was broken")
    )


if __name__ == "__main__":
    sys.exit(main())
