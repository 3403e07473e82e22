"""Simulate a week of a whole stack: pages, cost, ages of queues, and what breaks first.

    python -m scripts.scale                            1, 10 and 100 million pages and a billion
    python -m scripts.scale --pages 1000000 --delay 0
    python -m scripts.scale --pages 5e6 --set FetchConcurrency=40 --set IndexWindow=300
    python -m scripts.scale --measure                  measure the functions over moto again

Every size is run twice: as the template deploys a stack by default, and with the parameters that
docs/scale.md advises for it. Numbers are estimates: docs/scale.md says what they are made of.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.scale import plan, report
from scripts.scale.week import Week

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The settings given on the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m scripts.scale",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--pages", type=_count, nargs="+", default=sorted(plan.ADVISED), help="sizes of the web")
    add("--hosts", type=_count, help="that they are on; default: by size, see plan.py")
    add("--delay", type=float, default=1.0, help="of the job, in seconds; default: 1")
    add("--recrawl", type=float, default=0.0, help="share of the pages visited again each day")
    add("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the stack")
    add("--quiet-week", action="store_true", help="no deployment and no crash in the week")
    add("--until-done", action="store_true", help="end when all is crawled, not after the week")
    add("--json", type=Path, help="also write everything to this file")
    add("--measure", action="store_true", help="measure the functions again, into profile.json")
    return parser.parse_args(arguments)


def _count(text: str) -> int:
    return int(float(text))


def plans(args: argparse.Namespace) -> Iterator[tuple[str, plan.Plan]]:
    """What is to be run, each with its name."""
    given = dict(each.split("=", 1) for each in args.set)
    for pages in args.pages:
        if given:
            yield "as given", replace(plan.by_default(pages), parameters=given)
        else:
            yield "by default", plan.by_default(pages)
            yield "as advised", plan.advised(pages)


def adapted(args: argparse.Namespace, chosen: plan.Plan) -> plan.Plan:
    """A plan with what was asked for."""
    incidents = plan.QUIET if args.quiet_week else chosen.incidents
    hosts = args.hosts or chosen.hosts
    given = {"delay": args.delay, "recrawl": args.recrawl, "until_done": args.until_done}
    return replace(chosen, hosts=hosts, incidents=incidents, **given)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the weeks and print what came of them."""
    args = parse(arguments)
    if args.measure:
        return _measure()
    rows, records = [], []
    for named, chosen in plans(args):
        try:
            week = Week(adapted(args, chosen))
        except KeyError as error:
            print(f"scale: {error.args[0]}", file=sys.stderr)
            return 2
        week.run()
        print(report.text(week, named), end="\n\n", flush=True)
        rows.append(report.row(week, named))
        records.append(report.record(week, named))
    print(report.table(rows))
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(records, indent=1) + "\n")
    return 0


def _measure() -> int:
    from scripts.scale import measuring, profile

    profile.save(measuring.measure())
    print(f"measured; {profile.FILE.name} is written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
