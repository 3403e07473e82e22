"""The command line of the benchmarks."""

import argparse
import json
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from scripts.bench.failure import BenchFailure
from scripts.bench.questions import (
    cloud,
    cloud_index,
    cloud_queries,
    cloud_urls,
    crawl,
    duplicates,
    files,
    freshness,
    growth,
    imports,
    index,
    live,
    million,
    politeness,
    rank,
    url_layouts,
    warc,
)
from scripts.bench.questions.extract import charsets, fields, lists, pages, values
from scripts.bench.questions.search import (
    beside,
    cjk,
    columns,
    formula,
    http,
    known,
    navigational,
    prefixes,
    query,
    relevance,
    spelling,
    suggest,
    typed,
)
from scripts.bench.report import Report

NOTES = """\
Sites and the programs compared with are downloaded into the cache on first use; most questions
need nginx. The exit code is 0 if all targets are met, 1 if not, 2 if a benchmark could not run.
Results are in docs/performance.md; `python -m scripts.bench QUESTION --help` lists the options."""


class Question(Protocol):
    """What every module in `questions` has."""

    __name__: str

    def add_arguments(self, parser: argparse.ArgumentParser, /) -> None:
        """Declare the options of this benchmark."""

    def measure(self, settings: argparse.Namespace, /) -> Report:
        """Run the benchmark."""


_IN_ORDER: tuple[Question, ...] = (
    *(crawl, live, growth, politeness, index, warc, query, prefixes, columns, suggest),
    *(million, http, beside, rank),
    *(relevance, typed, formula, known, navigational, spelling, cjk),
    *(pages, charsets, values, fields, lists),
    *(duplicates, files, freshness),
    *(cloud, cloud_index, cloud_queries, cloud_urls, url_layouts, imports),
)
# Several that belong together: `python -m scripts.bench search` asks them one after the other.
GROUPS: dict[str, tuple[Question, ...]] = {
    "search": (spelling, cjk, formula, suggest),
    "extract": (pages, charsets, values, fields, lists),
}
_ABOUT_GROUPS = {
    "search": "What makes searching comfortable.",
    "extract": "How well pages are read.",
}
QUESTIONS = {question.__name__.rpartition(".")[2]: question for question in _IN_ORDER}


class Help(argparse.RawDescriptionHelpFormatter):
    """Descriptions as they are written, and one line for each question."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=18)


def parse(arguments: list[str]) -> argparse.Namespace:
    """The settings given on the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m scripts.bench",
        description="Measure Gossamer beside other programs.",
        epilog=NOTES,
        formatter_class=Help,
    )
    commands = parser.add_subparsers(
        dest="question", required=True, title="questions", metavar="QUESTION [OPTIONS]"
    )
    for name, question in QUESTIONS.items():
        about = question.__doc__ or ""
        command = commands.add_parser(
            name, help=about.splitlines()[0], description=about, formatter_class=Help
        )
        _add_common_arguments(command)
        question.add_arguments(command)
    everything = commands.add_parser("all", help="Every question, in this order.")
    _add_common_arguments(everything)
    relevance.add_arguments(everything)
    for name, about in _ABOUT_GROUPS.items():
        _add_common_arguments(commands.add_parser(name, help=about))
    return parser.parse_args(arguments)


def _add_common_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", type=Path, help="also write every single run to this file")
    parser.add_argument("--cache", type=Path, default=Path(".bench"), help="default: .bench")
    parser.add_argument("--port", type=int, default=0, help="of the servers; default: a free one")
    parser.add_argument("--gossamer", type=Path, default=Path(".venv/bin/gossamer"))
    parser.add_argument("--limit", type=float, default=1800.0, help="seconds for one program")


def answers(settings: argparse.Namespace) -> Iterator[Report]:
    """Run the question, or all of them one after the other."""
    settings.cache = settings.cache.resolve()
    settings.cache.mkdir(parents=True, exist_ok=True)
    # As typed, not resolved: a venv's launcher must be called by its own path.
    settings.gossamer = settings.gossamer.absolute()
    if settings.question in QUESTIONS:
        yield QUESTIONS[settings.question].measure(settings)
        return
    asked = GROUPS.get(settings.question, _IN_ORDER)
    for name, question in QUESTIONS.items():
        if question not in asked:
            continue
        own = vars(parse([name])) | vars(settings)
        yield question.measure(argparse.Namespace(**own))


def main(arguments: list[str]) -> int:
    """Print the reports; returns the exit code."""
    # Without this, SIGTERM would leave nginx and the crawler running.
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
