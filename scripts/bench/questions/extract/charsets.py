"""Is a text read in the encoding that it is in, with a label and without?

Texts in many languages are written by Python's codecs, each under every label that browsers know
for its encoding, and with no label at all: whole, and short. What is read must be what was
written. Times are CPU.
"""

import argparse
import statistics
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gossamer.core.page.charset import decode
from scripts.bench.report import Claim, Report, Row, at_least, at_most

TEXTS = Path("tests/golden/languages.toml")
SHORT = 60  # characters
WESTERN = "cp1252 iso8859-15 mac_roman"
CENTRAL = "cp1250 iso8859-2"
CODECS = {
    **dict.fromkeys(str.split("de es fr it nl pt sv da fi ca"), WESTERN),
    **dict.fromkeys(str.split("pl cs sk hu ro hr sl"), CENTRAL),
    "ru": "cp1251 koi8-r iso8859-5 cp866 mac_cyrillic",
    "uk": "cp1251 koi8-u",
    "bg": "cp1251 koi8-r iso8859-5",
    "el": "cp1253 iso8859-7",
    "he": "cp1255 iso8859-8",
    "ar": "cp1256 iso8859-6",
    "th": "cp874",
    "tr": "cp1254",
    **dict.fromkeys(("lt", "lv"), "cp1257"),
    "et": "cp1257 cp1252",
    "ja": "shift_jis cp932 euc_jp iso2022_jp utf-16-le",
    "ko": "euc_kr cp949 iso2022_kr",
    "zh": "gb2312 gbk gb18030 hz",
}
WIDE = "utf-8 utf-16 utf-16-le utf-16-be"
LABELS = {
    "cp932": "windows-31j",
    "cp949": "windows-949",
    "mac_roman": "macintosh",
    "mac_cyrillic": "x-mac-cyrillic",
    "cp874": "windows-874",
    "hz": "hz-gb-2312",
}
MAX_MS = 8.0


@dataclass(frozen=True, slots=True)
class Case:
    """A text in an encoding."""

    language: str
    codec: str
    text: str

    @property
    def label(self) -> str:
        """What a page writes to say its encoding."""
        name = LABELS.get(self.codec, self.codec)
        return f"windows-{name[2:]}" if name.startswith("cp125") else name.replace("_", "-")


@dataclass(frozen=True, slots=True)
class Reading:
    """Whether a case was read right, in some way of telling its encoding."""

    case: Case
    way: str
    right: bool
    ms: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--texts", type=Path, default=TEXTS, help=f"default: {TEXTS}")


def measure(settings: argparse.Namespace) -> Report:
    """Read every text in every encoding, in every way of telling it."""
    readings = [found for case in _cases(settings.texts) for found in _read_all_ways(case)]
    ways = list(dict.fromkeys(reading.way for reading in readings))
    rows = [_row(way, [each for each in readings if each.way == way]) for way in ways]
    wrong = [each for each in readings if not each.right]
    return Report(
        question="charsets",
        rows=rows,
        claims=_claims(readings, ways),
        runs=[_run(reading) for reading in readings],
        summary={"cases": len(readings), "wrong": len(wrong)},
        notes=[f"wrong: {each.case.language} in {each.case.codec}, {each.way}" for each in wrong],
    )


def _cases(file: Path) -> Iterator[Case]:
    texts = tomllib.loads(file.read_text(encoding="utf-8"))
    for language, text in texts.items():
        for codec in f"{CODECS.get(language, '')} {WIDE}".split():
            body = " ".join(text.split()).encode(codec, "ignore")
            yield Case(language, codec, body.decode(codec))


def _read_all_ways(case: Case) -> Iterator[Reading]:
    page = f"<html><head><title>{{}}</title></head><body><p>{case.text}</p></body></html>"
    meta = f'<meta charset="{case.label}">'
    yield _read(case, "header", case.text, f"text/html; charset={case.label}")
    if not case.codec.startswith("utf-16"):  # which no page can say of itself
        yield _read(case, "meta", meta + page, "text/html")
        yield _read(case, "late meta", " " * 1024 + meta + page, "text/html")
    if case.text.isascii() and not case.codec.startswith("utf-16"):
        return
    yield _read(case, "page without a label", page, "text/html")
    yield _read(case, "text without a label", case.text, "text/plain")
    yield _read(case, f"first {SHORT} characters", case.text[:SHORT], "text/plain")


def _read(case: Case, way: str, text: str, content_type: str) -> Reading:
    body = text.encode(case.codec)
    began = time.process_time()
    found = decode(body, content_type)
    ms = 1000 * (time.process_time() - began)
    return Reading(case, way, found == text, ms)


def _row(way: str, readings: Sequence[Reading]) -> Row:
    return {
        "told by": way,
        "cases": str(len(readings)),
        "right": str(sum(each.right for each in readings)),
        "ms": f"{statistics.fmean(each.ms for each in readings):.2f}",
    }


def _claims(readings: Sequence[Reading], ways: Sequence[str]) -> list[Claim]:
    claims = []
    for way in ways:
        if way.startswith("first"):  # may be read in several ways, all of them plausible
            continue
        own = [each.right for each in readings if each.way == way]
        claims.append(at_least(f"right, {way}", 1.0, statistics.fmean(own), ".3f"))
    slowest = statistics.fmean(each.ms for each in readings)
    return [*claims, at_most("CPU of a page, mean", MAX_MS, slowest, unit=" ms")]


def _run(reading: Reading) -> dict[str, object]:
    case = reading.case
    return {
        "language": case.language,
        "codec": case.codec,
        "way": reading.way,
        "right": reading.right,
        "ms": round(reading.ms, 2),
    }
