"""Pages of real sites that list something, with their records as people judged them."""

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

from scripts.bench.failure import BenchFailure

SHARED = 0.5  # of the words of a record, so that it counts as found
_find_words = re.compile(r"\w+").findall


@dataclass(frozen=True, slots=True)
class ListPage:
    """A page and its records, each a list of cells."""

    topic: str
    site: str
    html: str
    records: list[list[str]]

    @property
    def half(self) -> str:
        """The half of the sites that it is of: what was tuned on one is judged by the other."""
        return "AB"[crc32(self.site.encode()) & 1]


def list_pages(folder: Path) -> Iterator[ListPage]:
    """The pages in `TOPIC.jsonl.gz`."""
    files = sorted(folder.glob("*.jsonl.gz"))
    if not files:
        raise BenchFailure(f"there are no pages in {folder}; --lists names their folder")
    for file in files:
        # Some lines hold U+2028, at which str.splitlines would cut.
        with gzip.open(file, "rt", encoding="utf-8", newline="\n") as lines:
            for line in lines:
                yield _page(file.name.partition(".")[0], json.loads(line))


def _page(topic: str, row: dict[str, Any]) -> ListPage:
    return ListPage(topic, row["site"], row["html"], row["records"])


def record_f1(found: Sequence[str], records: Sequence[Sequence[str]]) -> float:
    """How many records were found; each counts once, for one that shares most of its words."""
    texts = [_words(text) for text in found]
    free = set(range(len(texts)))
    right = 0
    for record in records:
        words = _words(" ".join(record))
        best = max(free, key=lambda place: _likeness(texts[place], words), default=None)
        if best is not None and _likeness(texts[best], words) >= SHARED:
            free.discard(best)
            right += 1
    return 2 * right / max(1, len(texts) + len(records))


def _words(text: str) -> Counter[str]:
    return Counter(_find_words(text.lower()))


def _likeness(found: Counter[str], wanted: Counter[str]) -> float:
    """The part of the wanted words that is there, if it is not lost among others."""
    shared = (found & wanted).total()
    return min(shared / max(1, wanted.total()), 2 * shared / max(1, found.total()))
