"""Pages of real sites with the values of their fields, as people marked them."""

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zlib import crc32

from scripts.bench.failure import BenchFailure

MAX_LABEL = 60  # characters, as the learner has it
_texts_of = re.compile(
    r"(<(script|style|noscript|template)\b.*?</\2\s*>|<!--.*?-->|<[^>]*>)",
    re.DOTALL | re.IGNORECASE,
)
_blanks = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class FieldPage:
    """A page and what is written on it; an absent field has no values."""

    url: str
    html: str
    values: dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class FieldSite:
    """The pages of a site, of one template."""

    vertical: str
    name: str
    pages: list[FieldPage]

    def with_no_break_spaces(self) -> "FieldSite":
        """Return the site with U+00A0 for every blank of a short text, and behind every colon."""
        pages = [replace(page, html=_with_no_break_spaces(page.html)) for page in self.pages]
        return replace(self, pages=pages)

    @property
    def half(self) -> str:
        """The half of the sites that it is of: what was tuned on one is judged by the other."""
        return "AB"[crc32(f"{self.vertical}/{self.name}".encode()) & 1]


def field_sites(folder: Path) -> Iterator[FieldSite]:
    """The sites in `VERTICAL/SITE.jsonl.gz`."""
    files = sorted(folder.glob("*/*.jsonl.gz"))
    if not files:
        raise BenchFailure(f"there are no sites in {folder}; --fields names their folder")
    for file in files:
        name = file.name.partition(".")[0]
        # Some lines hold U+2028, at which str.splitlines would cut.
        with gzip.open(file, "rt", encoding="utf-8", newline="\n") as lines:
            pages = [_page(name, json.loads(line)) for line in lines]
        yield FieldSite(file.parent.name, name, pages)


def _page(site: str, row: dict[str, Any]) -> FieldPage:
    values = {
        name: [" ".join(text.split()) for text in said] for name, said in row["values"].items()
    }
    return FieldPage(f"https://{site}.test/page/{row['page']}", row["html"], values)


def _with_no_break_spaces(html: str) -> str:
    pieces = _texts_of.split(html)  # a text, what follows it, the name in that, and so on
    pieces[::3] = map(_joined, pieces[::3])
    del pieces[2::3]
    return "".join(pieces)


def _joined(text: str) -> str:
    if not text.strip() or len(text.strip()) > MAX_LABEL:
        return text
    return _blanks.sub("\u00a0", f"{text} " if text.endswith(":") else text)
