"""Is the main text of a page found, whatever type of page it is, and its date?

Real pages of seven types, with main text and date as people judged them, are read by Gossamer and
by trafilatura. The text is compared by its words, without regard to order (F1). A page of which
less than half of the words were found is lost. Sites are split into two halves, A and B: rules
must not be better on the half that they were made on. Times are CPU.

Then pages of real documentation sites are only timed, as a crawl reads them.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gossamer.core.page.document import Document
from gossamer.core.page.html import parse_page
from scripts.bench.machine.progress import log
from scripts.bench.questions.extract.judged_pages import JudgedPage, judged_pages
from scripts.bench.questions.extract.word_overlap import Overlap, overlap
from scripts.bench.report import Claim, Report, Row, at_least, at_most
from scripts.bench.worlds import debian_sites

DATA = Path("../shared/data/pages")
WANTED = {"article": 0.93, "product": 0.75, "collection": 0.72, "forum": 0.78, "listing": 0.72}
WANTED_MEAN = 0.88
LOST = 0.5  # recall
MAX_MS = 8.0  # a page of the documentation sites
TIMED = 400  # pages of each
WORST = 10

Reader = Callable[[JudgedPage], Document]


@dataclass(frozen=True, slots=True)
class Reading:
    """What one program read from one page."""

    page: JudgedPage
    found: Overlap
    date: str
    ms: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pages", type=Path, default=DATA, help=f"default: {DATA}")
    parser.add_argument("--extractor", default="auto", choices=["fast", "article", "auto"])
    parser.add_argument("--no-peer", action="store_true", help="without trafilatura")
    parser.add_argument("--worst", type=int, default=WORST, help="pages to name; default: 10")
    debian_sites.add_sites(parser)


def measure(settings: argparse.Namespace) -> Report:
    """Read all pages with each program, then time the documentation sites."""
    pages = judged_pages(settings.pages)
    ours = _read_all(pages, _our_reader(settings.extractor))
    log(f"{len(pages)} pages read")
    theirs = [] if settings.no_peer else _read_all(pages, _read_by_trafilatura)
    sites = {
        site.name: _site_ms(site.root, settings.extractor)
        for site in debian_sites.find(settings.sites, settings.cache)
    }
    return Report(
        question="pages",
        rows=_rows(ours, theirs),
        claims=[*_claims(ours, theirs), *_time_claims(sites)],
        runs=[_run(reading) for reading in ours],
        summary={"sites_ms": sites, "mean": _mean(ours)},
        notes=_notes(ours, sites, settings.worst),
    )


def _our_reader(extractor: str) -> Reader:
    def read(page: JudgedPage) -> Document:
        body = page.html.encode("utf-8", "replace")
        kind = "text/html; charset=utf-8"
        parsed = parse_page(body, page.url, content_type=kind, extractor=extractor)
        return parsed.documents[0]

    return read


def _read_by_trafilatura(page: JudgedPage) -> Document:
    from trafilatura import bare_extraction

    read = bare_extraction(page.html, url=page.url, with_metadata=True)
    said = read if isinstance(read, dict) else read.as_dict() if read else {}
    return Document(
        url=page.url, title="", text=said.get("text") or "", date=said.get("date") or ""
    )


def _read_all(pages: Sequence[JudgedPage], reader: Reader) -> list[Reading]:
    reader(pages[0])  # so that imports are in no measurement
    return [_read(page, reader) for page in pages]


def _read(page: JudgedPage, reader: Reader) -> Reading:
    began = time.process_time()
    document = reader(page)
    ms = 1000 * (time.process_time() - began)
    return Reading(page, overlap(document.text, page.text), document.date[:10], ms)


def _rows(ours: Sequence[Reading], theirs: Sequence[Reading]) -> list[Row]:
    kinds = sorted({reading.page.kind for reading in ours})
    return [_row(kind, _of(kind, ours), _of(kind, theirs)) for kind in kinds] + [
        _row("all", ours, theirs)
    ]


def _row(kind: str, ours: Sequence[Reading], theirs: Sequence[Reading]) -> Row:
    return {
        "type": kind,
        "pages": str(len(ours)),
        "F1": f"{_mean(ours):.3f}",
        "half A": f"{_mean(_half('A', ours)):.3f}",
        "half B": f"{_mean(_half('B', ours)):.3f}",
        "precision": f"{statistics.fmean(each.found.precision for each in ours):.3f}",
        "recall": f"{statistics.fmean(each.found.recall for each in ours):.3f}",
        "lost": str(_lost(ours)),
        "dates": _dates(ours),
        "ms": f"{statistics.fmean(each.ms for each in ours):.1f}",
        "trafilatura": f"{_mean(theirs):.3f}",
        "its lost": str(_lost(theirs)),
        "its dates": _dates(theirs),
        "its ms": f"{statistics.fmean(each.ms for each in theirs or ours):.1f}" if theirs else "-",
    }


def _claims(ours: Sequence[Reading], theirs: Sequence[Reading]) -> list[Claim]:
    claims = [at_least("F1, mean over all", WANTED_MEAN, _mean(ours), ".3f")]
    kinds = sorted({reading.page.kind for reading in ours})
    claims += [
        at_least(f"F1, {kind}", WANTED[kind], _mean(_of(kind, ours)), ".3f")
        for kind in kinds
        if kind in WANTED
    ]
    if theirs:
        claims += [_not_below(kind, _of(kind, ours), _of(kind, theirs)) for kind in kinds]
        claims.append(at_least("dates that are right", _right(theirs), _right(ours), ".0f"))
    return claims


def _not_below(kind: str, ours: Sequence[Reading], theirs: Sequence[Reading]) -> Claim:
    least = round(_mean(theirs), 4)
    return at_least(f"F1, {kind}, beside trafilatura", least, _mean(ours), ".3f")


def _time_claims(sites: dict[str, float]) -> list[Claim]:
    if not sites:
        return []
    mean = statistics.fmean(sites.values())
    return [at_most("CPU of a page, mean of the doc sites", MAX_MS, mean, unit=" ms")]


def _notes(ours: Sequence[Reading], sites: dict[str, float], worst: int) -> list[str]:
    times = ", ".join(f"{name} {ms:.2f}" for name, ms in sites.items())
    lowest = sorted(ours, key=lambda reading: reading.found.f1)[:worst]
    return [f"ms a page: {times}", *map(_worst_note, lowest)]


def _worst_note(reading: Reading) -> str:
    page, found = reading.page, reading.found
    figures = f"F1 {found.f1:.2f}, P {found.precision:.2f}, R {found.recall:.2f}"
    return f"{page.kind} {page.number}: {figures}, {page.url[:80]}"


def _run(reading: Reading) -> dict[str, object]:
    page, found = reading.page, reading.found
    return {
        "type": page.kind,
        "page": page.number,
        "half": page.half,
        "f1": round(found.f1, 4),
        "precision": round(found.precision, 4),
        "recall": round(found.recall, 4),
        "date": reading.date,
        "ms": round(reading.ms, 2),
    }


def _site_ms(root: Path, extractor: str) -> float:
    """CPU for each of the pages of a site, evenly chosen, the faster of two rounds."""
    files = sorted(root.rglob("*.html"))
    chosen = [file.read_bytes() for file in files[:: max(1, len(files) // TIMED)]]
    rounds = []
    for _ in range(2):
        began = time.process_time()
        for number, body in enumerate(chosen):
            parse_page(body, f"https://docs.test/{number}.html", extractor=extractor)
        rounds.append(1000 * (time.process_time() - began) / len(chosen))
    return min(rounds)


def _of(kind: str, readings: Sequence[Reading]) -> list[Reading]:
    return [reading for reading in readings if reading.page.kind == kind]


def _half(half: str, readings: Sequence[Reading]) -> list[Reading]:
    return [reading for reading in readings if reading.page.half == half]


def _mean(readings: Sequence[Reading]) -> float:
    return statistics.fmean(each.found.f1 for each in readings) if readings else 0.0


def _lost(readings: Sequence[Reading]) -> int:
    return sum(reading.found.recall < LOST for reading in readings)


def _dates(readings: Sequence[Reading]) -> str:
    return f"{_right(readings)} of {sum(bool(each.page.date) for each in readings)}"


def _right(readings: Sequence[Reading]) -> int:
    return sum(bool(each.page.date) and each.date == each.page.date for each in readings)
