"""Are misspelt words corrected, and correct queries left alone?

Two parts. Lists of misspellings are compared with a list of words as vocabulary: how often is the
right word the first guess, or among five? Only pairs whose right word is in the list and whose
wrong word is not are judged; the share of all pairs is in the rows, too. Then a site is indexed:

    typos    titles with one edit in a word of five letters or more that makes it no word of the
             site: is the page among the first five, of the query or of what is suggested?
    alone    the misspelt words of such titles by themselves: likewise, of pages that the right word
             leads to
    correct  one to four words that stand side by side in pages: are the first ten the same as
             without corrections?
"""

import argparse
import gzip
import math
import random
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gossamer import homes
from gossamer.adapters.local.home import LocalHome
from gossamer.batch.index import index_pending
from gossamer.core.index.segments.vocabulary import (
    Counted,
    Vocabulary,
    is_listed,
    pack_vocabulary,
)
from gossamer.core.page.document import Document
from gossamer.core.page.html import parse_page
from gossamer.core.search.spelling import suggestions
from gossamer.core.urls import url_id
from gossamer.search.searcher import Searcher
from scripts.bench.failure import BenchFailure
from scripts.bench.machine.progress import log
from scripts.bench.report import Claim, Report, Row, at_least, at_most
from scripts.bench.worlds import debian_sites

DATA = Path("../shared/data/spelling")
WANTED = {"wikipedia": (0.83, 0.955), "aspell": (0.59, 0.76)}  # first, among five
MAX_MS, MAX_MB = 3.0, 30.0
QUERIES, FOUND = 1000, 0.97
Q = 3
LETTERS = "abcdefghijklmnopqrstuvwxyz"
find_words = re.compile(r"[A-Za-z]+").findall


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--spelling", type=Path, default=DATA, help=f"default: {DATA}")
    parser.add_argument("--site", default="python", metavar="NAME[=FOLDER]")
    parser.add_argument("--queries", type=int, default=QUERIES)


@dataclass(frozen=True, slots=True)
class Guessed:
    """How good the guesses for a list of misspellings are."""

    name: str
    judged: int
    first: float  # share of the judged pairs whose right word is the first guess
    among_five: float
    first_of_all: float  # of all pairs, also those that cannot be right
    ms: float  # of CPU, a word

    def row(self) -> Row:
        """A line of the table."""
        return {
            "what": f"{self.name}: {self.judged:,} misspellings",
            "first": f"{self.first:.3f} ({self.first_of_all:.3f} of all)",
            "among five": f"{self.among_five:.3f}",
            "ms a word": f"{self.ms:.2f}",
        }

    def claims(self) -> list[Claim]:
        """What is wanted of the list."""
        first, five = WANTED[self.name]
        return [
            at_least(f"{self.name}: right word first", first, self.first, ".3f"),
            at_least(f"{self.name}: right word among five", five, self.among_five, ".3f"),
            at_most(f"{self.name}: CPU of a word", MAX_MS, self.ms, unit=" ms"),
        ]


def measure(settings: argparse.Namespace) -> Report:
    """Guess words of the lists, then ask the site."""
    words = dict(_words(settings.spelling))
    known = _vocabulary(words)
    guessed = [_guess(name, settings.spelling, words, known) for name in WANTED]
    rows, claims = [each.row() for each in guessed], [c for each in guessed for c in each.claims()]
    claims.append(at_most("memory of the words", MAX_MB, known.nbytes / 1e6, unit=" MB"))
    [site] = debian_sites.find([settings.site], settings.cache)
    searcher = _indexed(site.root)
    asked = [
        _typos(searcher, settings.queries),
        _typos(searcher, settings.queries, alone=True),
        _correct(searcher, settings.queries),
    ]
    return Report(
        question="spelling",
        rows=rows + [row for row, _ in asked],
        claims=claims + [claim for _, claim in asked],
        runs=[],
        summary={"words": len(words), "bytes": known.nbytes},
    )


def _words(folder: Path) -> Iterator[tuple[str, int]]:
    file = folder / "words-en.txt.gz"
    if not file.exists():
        raise BenchFailure(f"there is no {file}; --spelling names the folder with the lists")
    with gzip.open(file, "rt") as lines:
        for line in lines:
            word, count = line.split()
            yield word, int(count)


def _vocabulary(words: dict[str, int]) -> Vocabulary:
    """The list as the words of a segment; the rarest is in one document."""
    least = min(words.values())
    listed = sorted(filter(is_listed, words))
    counted = Counted(listed, [max(1, words[word] // least) for word in listed])
    return Vocabulary(pack_vocabulary(counted, Q), "the list of words")


def _guess(name: str, folder: Path, words: dict[str, int], known: Vocabulary) -> Guessed:
    pairs = list(_pairs(folder / f"{name}.dat"))
    began = time.process_time()
    guesses = [[near.word for near in suggestions([known], wrong)[:5]] for wrong, _ in pairs]
    ms = 1000 * (time.process_time() - began) / len(pairs)
    both = list(zip(pairs, guesses, strict=True))
    judged = [(p, g) for p, g in both if p[1] in words and p[0] not in words]
    log(f"{name}: {ms:.2f} ms a word")
    return Guessed(
        name,
        len(judged),
        sum(g[:1] == [right] for (_, right), g in judged) / len(judged),
        sum(right in g for (_, right), g in judged) / len(judged),
        sum(g[:1] == [right] for (_, right), g in both) / len(both),
        ms,
    )


def _pairs(file: Path) -> Iterator[tuple[str, str]]:
    """What was typed, and what was meant."""
    right = ""
    for line in map(str.strip, file.read_text().splitlines()):
        if line.startswith("$"):
            right = line[1:].lower()
        elif line:
            yield line.lower(), right


def _indexed(folder: Path) -> Searcher:
    """The pages of a site in an index, without a crawl."""
    home = LocalHome(None, Path(), homes.decode_body)
    for file in sorted(folder.rglob("*.html")):
        url = f"http://site.test/{file.relative_to(folder)}"
        page = parse_page(file.read_bytes(), url, content_type="text/html", max_links=0)
        home.documents.put(url_id(url), page.documents, 1.0)
    home.commit()
    index_pending(home, homes.index_writer(home))
    log(f"indexed {home.index.manifest().live} pages")
    return homes.searcher(home)


def _documents(searcher: Searcher) -> list[Document]:
    parts = searcher.snapshot().parts
    views = [searcher.document(part.id(n)) for part in parts for n in range(part.view.documents)]
    return [Document(url=v.url, title=v.title, text=v.text) for v in views if v is not None]


def _typos(searcher: Searcher, count: int, alone: bool = False) -> tuple[Row, Claim]:
    """Ask for titles with a mistake in a word, or for that word alone."""
    chance, name = random.Random(7), "words alone" if alone else "titles"
    documents = _documents(searcher)
    found = applied = asked = 0
    for document in chance.choices(documents, k=math.ceil((30 if alone else 1.5) * count)):
        pair = _mistyped(document.title, searcher, chance) if asked < count else None
        if pair is not None:
            word, wrong = pair
            right = word if alone else document.title
            if document.url not in _first_five(searcher, right):
                continue
            asked += 1
            answer = searcher.search(right.replace(word, wrong, 1), limit=5, similar="all")
            urls = _urls(answer.hits)
            if answer.correction is not None and not answer.correction.applied:
                urls += _first_five(searcher, answer.correction.corrected)
            applied += answer.correction is not None and answer.correction.applied
            found += document.url in urls
    share = found / max(1, asked)
    row = {"what": f"typos: {asked:,} {name}", "first": f"{applied:,} corrected at once"}
    return row | {"among five": f"{share:.3f}", "ms a word": ""}, at_least(
        f"typos in {name} lead to the page", FOUND, share, ".3f"
    )


def _first_five(searcher: Searcher, query: str) -> list[str]:
    return _urls(searcher.search(query, limit=5, similar="all", correct=False).hits)


def _mistyped(title: str, searcher: Searcher, chance: random.Random) -> tuple[str, str] | None:
    """A word of a title, and with one edit, by which it becomes none of the site."""
    words = [word for word in find_words(title) if len(word) >= 5]
    if not words:
        return None
    word = chance.choice(words)
    wrong = _edited(word, chance)
    if wrong == word or searcher.search(f'"{wrong}"', correct=False).total:
        return None
    return word, wrong


def _edited(word: str, chance: random.Random) -> str:
    at = chance.randrange(1, len(word))
    letter = chance.choice(LETTERS)
    return chance.choice(
        [
            word[:at] + word[at + 1 :],
            word[:at] + letter + word[at:],
            word[:at] + letter + word[at + 1 :],
            word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :],
        ]
    )


def _correct(searcher: Searcher, count: int) -> tuple[Row, Claim]:
    """Ask for words of pages, with and without corrections."""
    chance = random.Random(8)
    documents = [words for each in _documents(searcher) if len(words := find_words(each.text)) > 9]
    changed = suggested = 0
    for words in chance.choices(documents, k=count):
        at = chance.randrange(len(words) - 4)
        query = " ".join(words[at : at + chance.randint(1, 4)])
        with_it, without = (searcher.search(query, correct=each) for each in (True, False))
        changed += _urls(with_it.hits) != _urls(without.hits)
        suggested += with_it.correction is not None
    row = {"what": f"correct: {count:,} queries", "first": f"{suggested:,} suggestions"}
    return row | {"among five": "", "ms a word": ""}, Claim(
        "correct queries that change their first ten", "0", str(changed), changed == 0
    )


def _urls(hits: Sequence[object]) -> list[str]:
    return [getattr(hit, "url", "") for hit in hits]
