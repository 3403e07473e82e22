"""Are files read fast enough, in little memory, and do bombs end with a reason?

Each file is read in a process of its own, as the folder index reads it, and its CPU is measured.
"""

import argparse
import json
import multiprocessing
import resource
import time
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing.connection import Connection

from gossamer.adapters.native_reader import NATIVE_TYPES, read_in_child
from gossamer.core.crawl.job import JobConfig, Rules
from gossamer.core.page.document import ParsedPage
from gossamer.core.page.read_response import read_response
from scripts.bench.machine.progress import log
from scripts.bench.report import Claim, Report, Row, at_least, at_most
from scripts.bench.worlds.hostile_files import PDF, HostileFile, hostile_files, text_pdf

MIN_PAGES_PER_SECOND = 100  # of CPU, of a PDF with text
MAX_MB = 300.0  # of the process that reads 1,000 pages
MAX_SECONDS = 10.0  # for a bomb
LONG = 120.0  # seconds of a busy machine; the limit is on CPU
ENDED = "parser-gave-up"


@dataclass(frozen=True, slots=True)
class Read:
    """What one file cost."""

    name: str
    bytes: int
    seconds: float  # of CPU
    peak_mb: float
    pages: int
    characters: int
    reason: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pages", type=int, default=1_000, help="pages of the PDF with text")
    parser.add_argument("--repeat", type=int, default=3)


def measure(settings: argparse.Namespace) -> Report:
    """Read a long PDF several times, and every bomb once."""
    text = HostileFile(f"PDF, {settings.pages:,} pages of text", PDF, text_pdf(settings.pages))
    best = min((_read(text) for _ in range(settings.repeat)), key=lambda read: read.seconds)
    bombs = [_read(bomb) for bomb in hostile_files()]
    rate = best.pages / best.seconds
    return Report(
        question="files",
        rows=[_row(read) for read in (best, *bombs)],
        claims=[
            at_least("pages of text a second and core", MIN_PAGES_PER_SECOND, rate),
            at_most(f"MB for {settings.pages:,} pages", MAX_MB, best.peak_mb),
            at_most("seconds of CPU for a bomb", MAX_SECONDS, max(b.seconds for b in bombs)),
            _all_have_ends(bombs),
        ],
        runs=[asdict(read) for read in (best, *bombs)],
        summary={"pages_per_second": round(rate, 1), "peak_mb": best.peak_mb},
        notes=[
            "CPU of a process that reads one file; memory is the most that it had, the"
            f" interpreter and the file with it; the text is the best of {settings.repeat}"
        ],
    )


def _all_have_ends(bombs: list[Read]) -> Claim:
    """A bomb has a reason, or what could be read of it before a limit."""
    ended = sum(bomb.reason != "no end" and bomb.seconds > 0 for bomb in bombs)
    return at_least("bombs that end with a reason, or with a part", len(bombs), ended)


def _read(file: HostileFile) -> Read:
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs, file), daemon=True)
    process.start()
    theirs.close()
    began = time.monotonic()
    said = json.loads(ours.recv_bytes()) if ours.poll(2 * LONG) else {}
    process.kill()
    process.join()
    read = Read(
        name=file.name,
        bytes=len(file.body),
        seconds=said.get("seconds", time.monotonic() - began),
        peak_mb=said.get("peak_mb", 0.0),
        pages=said.get("pages", 0),
        characters=said.get("characters", 0),
        reason=said.get("reason", "" if said else "no end"),
    )
    log(f"{read.name}: {read.seconds:.2f} s, {read.peak_mb:.0f} MB, {read.reason or 'read'}")
    return read


def _work(pipe: Connection, file: HostileFile) -> None:
    """Read the file here; memory that a fork inherited counts, as it does where it is read."""
    rules, headers = Rules(JobConfig()), (("Content-Type", file.media_type),)
    read = partial(read_response, "page", file.body, "http://a.test/file", headers, rules)
    before = _cpu_seconds()
    native = file.media_type in NATIVE_TYPES
    parsed = (read_in_child(read, LONG) if native else read()) or ParsedPage([], [], reason=ENDED)
    seconds = _cpu_seconds() - before
    document = parsed.documents[0] if parsed.documents else None
    said = {
        "seconds": seconds,
        "peak_mb": max(usage.ru_maxrss for usage in _usages()) / 1024,
        "pages": document.text.count("\f") + 1 if document else 0,
        "characters": len(document.text) if document else 0,
        "reason": parsed.reason,
    }
    pipe.send_bytes(json.dumps(said).encode())


def _usages() -> list[resource.struct_rusage]:
    """What this process has used, and the child that read a PDF."""
    return [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]


def _cpu_seconds() -> float:
    return sum(usage.ru_utime + usage.ru_stime for usage in _usages())


def _row(read: Read) -> Row:
    return {
        "file": read.name,
        "KB": f"{read.bytes / 1000:,.0f}",
        "CPU s": f"{read.seconds:.2f}",
        "peak MB": f"{read.peak_mb:.0f}",
        "pages": f"{read.pages:,}",
        "characters": f"{read.characters:,}",
        "ends": read.reason or "read",
    }
