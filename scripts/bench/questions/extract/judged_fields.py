"""Pages of real sites with the values of their fields, as people marked them."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

from scripts.bench.failure import BenchFailure


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
