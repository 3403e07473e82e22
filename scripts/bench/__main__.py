"""Which benchmark was asked for, with which settings?"""

import argparse
import json
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

from scripts.bench.failure import BenchFailure
from scripts.bench.questions import (
    cloud,
    crawl,
    duplicates,
    freshness,
    growth,
    http,
    imports,
    index,
    known,
    navigational,
    politeness,
    query,
    rank,
    relevance,
)
from scripts.bench.report import Report

QUESTIONS = {
    "crawl": crawl,
    "growth": growth,
    "politeness": politeness,
    "index": index,
    "query": query,
    "http": http,
    "rank": rank,
    "relevance": relevance,
    "known": known,
    "navigational": navigational,
    "duplicates": duplicates,
    "freshness": freshness,
    "cloud": cloud,
    "imports": imports,
}


def parse(arguments: list[str]) -> argparse.Namespace:
    """The settings named on the command line."""
    parser = argparse.ArgumentParser(prog="python -m scripts.bench", description=__doc__)
    commands = parser.add_subparsers(dest="question", required=True)
    for name, module in QUESTIONS.items():
        command = commands.add_parser(name, help=module.__doc__, description=module.__doc__)
        _add_common_arguments(command)
        module.add_arguments(command)
    everything = commands.add_parser("all", help="One after the other, as they come.")
    _add_common_arguments(everything)
    relevance.add_arguments(everything)
    return parser.parse_args(arguments)


def _add_common_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", type=Path, help="also write everything measured here")
    parser.add_argument("--cache", type=Path, default=Path(".bench"), help="default .bench/")
    parser.add_argument("--port", type=int, default=0, help="for nginx; default: a free one")
    parser.add_argument("--gossamer", type=Path, default=Path(".venv/bin/gossamer"))
    parser.add_argument("--limit", type=float, default=1800.0, help="seconds for one crawl")


def answers(settings: argparse.Namespace) -> Iterator[Report]:
    """Run what was asked for."""
    settings.cache = settings.cache.resolve()
    settings.cache.mkdir(parents=True, exist_ok=True)
    # As typed, not resolved: a venv's launcher must be called by its own path.
    settings.gossamer = settings.gossamer.absolute()
    if settings.question != "all":
        yield QUESTIONS[settings.question].measure(settings)
        return
    for name, module in QUESTIONS.items():
        own = vars(parse([name])) | vars(settings)
        yield module.measure(argparse.Namespace(**own))


def main(arguments: list[str]) -> int:
    """0 when every claim held, 1 when one did not, 2 when it could not be tried."""
    # Without this a terminated bench would leave its nginx and its crawler behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    settings = parse(arguments)
    reports: list[Report] = []
    try:
        for report in answers(settings):
            print(report.text(), end="\n\n", flush=True)
            reports.append(report)
    except BenchFailure as failure:
        print(f"bench: {failure}", file=sys.stderr)
        return 2
    finally:
        if settings.json and reports:
            _write(settings.json, reports)
    return 0 if all(report.met for report in reports) else 1


def _write(file: Path, reports: list[Report]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    by_question = {report.question: report.record() for report in reports}
    file.write_text(json.dumps(by_question, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
