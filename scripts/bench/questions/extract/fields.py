"""Are the fields of a site's pages found, learned from three pages on which they are marked?

Real detail pages of four kinds, with the values of their fields as people marked them. A template
is learned from the first three pages of a site and applied to the others. Of each field, values
found are compared with values marked (F1 over the pages); the figure is the mean over all fields of
all sites. Sites are split into two halves, A and B: rules were made on A and are judged on B.

The same pages are asked again with U+00A0 for the blanks of their labels.
"""

import argparse
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gossamer.core.page.templates.extraction import extract
from gossamer.core.page.templates.learning.learner import MarkedPage, learn
from gossamer.core.page.templates.template import Template
from gossamer.core.page.values import each, in_words
from scripts.bench.machine.progress import log
from scripts.bench.questions.extract.judged_fields import FieldPage, FieldSite, field_sites
from scripts.bench.report import Claim, Report, Row, at_least, at_most

DATA = Path("../shared/data/fields")
MARKED = 3  # pages of a site
WANTED = 0.9845  # .985 in three digits: as the pages are, and with U+00A0 in every label
MAX_LEARNING = 1.0  # s of CPU
MAX_EXTRACTION = 10.0  # ms of CPU
ROUNDS = 2  # of timing; the faster counts


@dataclass(frozen=True, slots=True)
class Outcome:
    """How well each field of a site was found, and what that took."""

    site: FieldSite
    f1: dict[str, float]
    learning: float  # s
    extraction: float  # ms a page
    wrong: list[str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--fields", type=Path, default=DATA, help=f"default: {DATA}")
    parser.add_argument("--half", choices=["A", "B"], help="only these sites; default: all")
    parser.add_argument("--worst", type=int, default=10, help="fields to name; default: 10")


def measure(settings: argparse.Namespace) -> Report:
    """Learn every site, and apply what was learned to the rest of its pages."""
    sites = [site for site in field_sites(settings.fields) if settings.half in (None, site.half)]
    outcomes = [_outcome(site) for site in sites]
    log(f"{len(outcomes)} sites learned")
    joined = [_outcome(site.with_no_break_spaces()) for site in sites]
    log(f"{len(joined)} sites learned with U+00A0 in their labels")
    return Report(
        question="fields",
        rows=[*_rows(outcomes), _row("all, U+00A0", joined)],
        claims=[
            *_claims(outcomes),
            at_least("macro F1, U+00A0 in every label", WANTED, _macro(joined), ".3f"),
        ],
        runs=[
            *(_run(outcome) for outcome in outcomes),
            *(_run(outcome) | {"labels": "U+00A0"} for outcome in joined),
        ],
        summary={"macro_f1": _macro(outcomes), "macro_f1_no_break": _macro(joined)},
        notes=[note for outcome in [*outcomes, *joined] for note in outcome.wrong][
            : settings.worst
        ],
    )


def _outcome(site: FieldSite) -> Outcome:
    marked = [MarkedPage(page.url, page.html, page.values) for page in site.pages[:MARKED]]
    kinds = dict.fromkeys(site.pages[0].values, "text")
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        template = learn(site.name, marked, kinds).template  # type: ignore[arg-type]
        times.append(time.process_time() - began)
    rest = site.pages[MARKED:]
    began = time.process_time()
    found = [_found(template, page) for page in rest]
    extraction = 1000 * (time.process_time() - began) / max(1, len(rest))
    names = [name for name in kinds if any(page.values[name] for page in rest)]
    f1 = {name: _f1(name, rest, found) for name in names}
    wrong = [
        f"{site.vertical}/{site.name} {name}: F1 {score:.2f}, {_rule(template, name)}"
        for name, score in f1.items()
        if score < 1
    ]
    return Outcome(site, f1, min(times), extraction, wrong)


def _rule(template: Template, name: str) -> str:
    rule = template.fields.get(name)
    return "not learned" if rule is None else f"{rule.select} {rule.clean}"


def _found(template: Template, page: FieldPage) -> dict[str, set[str]]:
    records = extract(template, page.html, page.url, trace=False)
    return {
        name: {in_words(scalar) for scalar in each(value)}
        for record in records
        for name, value in record.values.items()
    }


def _f1(name: str, pages: Sequence[FieldPage], found: Sequence[dict[str, set[str]]]) -> float:
    right = all_found = all_marked = 0
    for page, values in zip(pages, found, strict=True):
        ours, truth = values.get(name, set()), set(page.values[name])
        right += len(ours & truth)
        all_found += len(ours)
        all_marked += len(truth)
    return 2 * right / max(1, all_found + all_marked)


def _rows(outcomes: Sequence[Outcome]) -> list[Row]:
    verticals = sorted({outcome.site.vertical for outcome in outcomes})
    return [
        *(
            _row(name, [each for each in outcomes if each.site.vertical == name])
            for name in verticals
        ),
        _row("all", outcomes),
    ]


def _row(name: str, outcomes: Sequence[Outcome]) -> Row:
    return {
        "vertical": name,
        "sites": str(len(outcomes)),
        "fields": str(sum(len(outcome.f1) for outcome in outcomes)),
        "F1": f"{_macro(outcomes):.3f}",
        "half A": f"{_macro(_half('A', outcomes)):.3f}",
        "half B": f"{_macro(_half('B', outcomes)):.3f}",
        "perfect": str(sum(score == 1 for outcome in outcomes for score in outcome.f1.values())),
        "learning, s": f"{statistics.fmean(outcome.learning for outcome in outcomes):.2f}",
        "ms a page": f"{statistics.fmean(outcome.extraction for outcome in outcomes):.1f}",
    }


def _claims(outcomes: Sequence[Outcome]) -> list[Claim]:
    learning = max(outcome.learning for outcome in outcomes)
    extraction = statistics.fmean(outcome.extraction for outcome in outcomes)
    return [
        at_least("macro F1", WANTED, _macro(outcomes), ".3f"),
        at_most("CPU of learning, the slowest site", MAX_LEARNING, learning, unit=" s"),
        at_most("CPU of extraction, mean of a page", MAX_EXTRACTION, extraction, unit=" ms"),
    ]


def _run(outcome: Outcome) -> dict[str, object]:
    return {
        "site": f"{outcome.site.vertical}/{outcome.site.name}",
        "half": outcome.site.half,
        "f1": {name: round(score, 4) for name, score in outcome.f1.items()},
        "learning_s": round(outcome.learning, 3),
        "extraction_ms": round(outcome.extraction, 2),
    }


def _half(half: str, outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [outcome for outcome in outcomes if outcome.site.half == half]


def _macro(outcomes: Sequence[Outcome]) -> float:
    scores = [score for outcome in outcomes for score in outcome.f1.values()]
    return statistics.fmean(scores) if scores else 0.0
