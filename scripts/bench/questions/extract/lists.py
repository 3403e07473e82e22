"""Are the records of a page found that lists something, without any mark?

Result pages of real sites, with their records as people judged them. A record counts as found if
one of ours shares most of its words with it, each of ours once (F1; the figure is the mean over the
pages). A page below .2 is lost. Sites are split into two halves, A and B: rules were made on A and
are judged on B.
"""

import argparse
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gossamer.core.page.templates.learning.lists.records import best_group
from gossamer.core.page.templates.learning.page_view import view_of
from gossamer.core.page.templates.selecting import page_tree
from scripts.bench.machine.progress import log
from scripts.bench.questions.extract.judged_lists import ListPage, list_pages, record_f1
from scripts.bench.report import Report, Row, at_least, at_most

DATA = Path("../shared/data/lists")
WANTED = 0.92
LOST = 0.2
MAX_LOST = 5.0  # % of the pages


@dataclass(frozen=True, slots=True)
class Finding:
    """How well the records of a page were found."""

    page: ListPage
    f1: float
    found: int
    ms: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--lists", type=Path, default=DATA, help=f"default: {DATA}")
    parser.add_argument("--half", choices=["A", "B"], help="only these sites; default: all")
    parser.add_argument("--worst", type=int, default=10, help="pages to name; default: 10")


def measure(settings: argparse.Namespace) -> Report:
    """Find the records of every page."""
    pages = [page for page in list_pages(settings.lists) if settings.half in (None, page.half)]
    findings = [_finding(page) for page in pages]
    log(f"{len(pages)} lists read")
    lost = 100 * _lost(findings) / len(findings)
    topics = sorted({page.topic for page in pages})
    by_topic = [
        _row(name, [each for each in findings if each.page.topic == name]) for name in topics
    ]
    worst = sorted(findings, key=lambda each: each.f1)[: settings.worst]
    return Report(
        question="lists",
        rows=[*by_topic, _row("all", findings)],
        claims=[
            at_least("F1 of records, mean of the pages", WANTED, _mean(findings), ".3f"),
            at_most("pages below .2", MAX_LOST, lost, ".1f", " %"),
        ],
        runs=[_run(each) for each in findings],
        summary={"f1": _mean(findings), "lost_percent": lost},
        notes=[f"{each.page.site[:60]}: F1 {each.f1:.2f}, {each.found} found" for each in worst],
    )


def _finding(page: ListPage) -> Finding:
    began = time.process_time()
    view = view_of(page_tree(page.html))
    group = best_group(view)
    ms = 1000 * (time.process_time() - began)
    found = [view.text(member) for member in group.members] if group else []
    return Finding(page, record_f1(found, page.records), len(found), ms)


def _row(name: str, findings: Sequence[Finding]) -> Row:
    halves = {half: [each for each in findings if each.page.half == half] for half in "AB"}
    return {
        "topic": name,
        "pages": str(len(findings)),
        "F1": f"{_mean(findings):.3f}",
        "half A": f"{_mean(halves['A']):.3f}",
        "half B": f"{_mean(halves['B']):.3f}",
        "lost": str(_lost(findings)),
        "ms": f"{statistics.fmean(each.ms for each in findings):.0f}",
    }


def _run(finding: Finding) -> dict[str, object]:
    page = finding.page
    return {"site": page.site, "half": page.half, "f1": round(finding.f1, 4), "ms": finding.ms}


def _mean(findings: Sequence[Finding]) -> float:
    return statistics.fmean(each.f1 for each in findings) if findings else 0.0


def _lost(findings: Sequence[Finding]) -> int:
    return sum(each.f1 < LOST for each in findings)
