"""Real pages with their main text, title and date, as people judged them."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zlib import crc32

from scripts.bench.failure import BenchFailure


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """A page and what should be read from it; an absent date is empty."""

    kind: str
    number: str
    url: str
    html: str
    text: str
    date: str

    @property
    def half(self) -> str:
        """The half of the sites that it is of: what was tuned on one is judged by the other."""
        host = (urlsplit(self.url).hostname or "").removeprefix("www.")
        return "AB"[crc32(host.encode()) & 1]


def judged_pages(folder: Path) -> list[JudgedPage]:
    """The pages in `*.jsonl.gz` that have a text; the name of a file is the type of its pages."""
    files = sorted(folder.glob("*.jsonl.gz"))
    if not files:
        raise BenchFailure(f"there are no pages in {folder}; --pages names their folder")
    return [page for file in files for page in _read(file) if page.text]


def _read(file: Path) -> Iterator[JudgedPage]:
    kind = file.name.partition(".")[0]
    # Some lines hold U+2028, at which str.splitlines would cut.
    with gzip.open(file, "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield _judged(kind, json.loads(line))


def _judged(kind: str, row: dict[str, Any]) -> JudgedPage:
    truth = row["truth"]
    said = truth["ground_truth"]
    return JudgedPage(
        kind=kind,
        number=row["page"],
        url=truth["url"],
        html=row["html"],
        text=said["main_content"] or "",
        date=(said.get("publish_date") or "")[:10],
    )
