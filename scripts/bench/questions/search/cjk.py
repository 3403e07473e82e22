"""Are Chinese, Japanese and Korean texts found by any part of them?

Pages of Debian's documentation in these languages are indexed. Parts of two to six characters are
cut out of pages at random. Each must find its page, and in quotes exactly the pages that a search
by brute force finds, which compares the characters of every page one after the other.
"""

import argparse
import random
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gossamer import homes
from gossamer.adapters.local.home import LocalHome
from gossamer.batch.index import index_pending
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.character_pairs import is_character
from gossamer.core.page.document import Document
from gossamer.core.page.html import parse_page
from gossamer.core.search.planner import plan_query
from gossamer.core.search.query import parse_query
from gossamer.core.urls import url_id
from gossamer.search.boolean import matches
from gossamer.search.searcher import Searcher
from scripts.bench.failure import BenchFailure
from scripts.bench.machine.progress import log
from scripts.bench.report import Claim, Report
from scripts.bench.worlds import debian_sites
from scripts.bench.worlds.debian_sites import Package

PARTS = 200
SHORTEST, LONGEST = 2, 6
PACKAGES = (
    Package("debian-reference-ja", "usr/share/debian-reference"),
    Package("debian-reference-zh-cn", "usr/share/debian-reference"),
    Package("maint-guide-ja", "usr/share/doc/maint-guide-ja/html"),
    *(
        Package("debian-handbook", f"usr/share/doc/debian-handbook/html/{name}")
        for name in ("ja-JP", "zh-CN", "ko-KR")
    ),
)
# Ideographs, kana and syllables of Hangul, without signs.
find_runs = re.compile("[\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3]{2,}").findall


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--parts", type=int, default=PARTS)
    parser.add_argument("--texts", nargs="+", type=Path, default=(), metavar="FOLDER",
                        help="pages in these languages, instead of those of Debian")  # fmt: skip


class Cut(NamedTuple):
    """A part of a page."""

    url: str
    text: str


def measure(settings: argparse.Namespace) -> Report:
    """Ask for parts of pages."""
    documents = list(_documents(settings.texts or _folders(settings.cache)))
    if not documents:
        raise BenchFailure("there are no pages in Chinese, Japanese or Korean")
    searcher = _indexed(documents)
    cuts = _cuts(documents, settings.parts)
    began = time.process_time()
    lost = [cut for cut in cuts if cut.url not in searcher.ranking(cut.text, len(documents))]
    ms = 1000 * (time.process_time() - began) / len(cuts)
    tokens = {each.url: _tokens(each) for each in documents}
    differ = [c for c in cuts if _with_phrase(searcher, c.text) != _brute(tokens, c.text)]
    return Report(
        question="cjk",
        rows=[
            {
                "what": f"{len(documents):,} pages, {len(cuts)} parts",
                "lost": str(len(lost)),
                "phrases unlike brute force": str(len(differ)),
                "ms a query": f"{ms:.2f}",
            }
        ],
        claims=[
            Claim("parts that do not find their page", "0", str(len(lost)), not lost),
            Claim("phrases unlike brute force", "0", str(len(differ)), not differ),
        ],
        runs=[],
        summary={"lost": [c.text for c in lost], "differ": [c.text for c in differ]},
    )


def _folders(cache: Path) -> list[Path]:
    return [debian_sites.unpacked(package, cache) / package.html for package in PACKAGES]


def _documents(folders: Sequence[Path]) -> Iterator[Document]:
    """The documents of pages with enough text in these languages."""
    for file in sorted({file for folder in folders for file in folder.rglob("*.html")}):
        url = f"http://site.test{file}"
        page = parse_page(file.read_bytes(), url, content_type="text/html", max_links=0)
        yield from [each for each in page.documents if len(find_runs(each.text)) > LONGEST]


def _indexed(documents: Sequence[Document]) -> Searcher:
    home = LocalHome(None, Path(), homes.decode_body)
    for document in documents:
        home.documents.put(url_id(document.url), [document], 1.0)
    home.commit()
    index_pending(home, homes.index_writer(home))
    log(f"indexed {home.index.manifest().live} pages")
    return homes.searcher(home)


def _cuts(documents: Sequence[Document], count: int) -> list[Cut]:
    chance = random.Random(9)
    found = []
    for document in chance.choices(documents, k=count):
        run = chance.choice(find_runs(document.text))
        length = min(len(run), chance.randint(SHORTEST, LONGEST))
        at = chance.randrange(len(run) - length + 1)
        found.append(Cut(document.url, run[at : at + length]))
    return found


def _with_phrase(searcher: Searcher, text: str) -> set[str]:
    """The addresses of all documents with a phrase."""
    match = plan_query(parse_query(f'"{text}"'), Analyzer()).match
    return {
        part.url(number)
        for part in searcher.snapshot().parts
        for number in np.flatnonzero(matches(part.view, match) & part.live).tolist()
    }


def _tokens(document: Document) -> list[str]:
    """The characters of each field of a page; other words are one sign."""
    headings = [text for _, text in document.headings]
    fields = [document.title, "\n".join(headings), document.text, "\n".join(document.images)]
    analyzer = Analyzer()
    return [
        "".join([word if is_character(word) else " " for word in analyzer.folded(words)])
        for words in map(analyzer.words, fields)
    ]


def _brute(tokens: dict[str, list[str]], text: str) -> set[str]:
    analyzer = Analyzer()
    wanted = "".join(analyzer.folded(analyzer.words(text)))
    return {url for url, fields in tokens.items() if any(wanted in field for field in fields)}
