"""What do people ask of a corpus? Drawn from its own words, the same ones each time."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random

from gossamer.core.index.analyzer import Analyzer
from scripts.bench.failure import BenchFailure
from scripts.bench.worlds.corpora import Corpus

PER_KIND = 60
COMMON = 60  # this many of the most frequent words
RARE = range(2, 21)  # documents that have a rare word
PREFIX_LETTERS = (3, 5)
PHRASE_WORDS = (2, 3)
SAMPLED = 2000  # documents from which phrases are taken
MANY_TRIES = 10_000

_find_words = re.compile(r"[a-z]{3,}").findall
_find_runs = re.compile(r"[a-z]{3,}(?: [a-z]{3,})+").findall


@dataclass(frozen=True, slots=True)
class Asked:
    """One query, in the words of each engine."""

    kind: str
    gossamer: str
    fts5: str
    tantivy: str


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a corpus that mean something."""

    common: Sequence[str]
    rare: Sequence[str]
    any: Sequence[str]
    phrases: Sequence[str]


def draw(corpus: Corpus, per_kind: int = PER_KIND) -> list[Asked]:
    """Different queries of every kind."""
    words = _words(corpus)
    chance = Random(1)
    return [query for make in KINDS for query in _different(make, chance, words, per_kind)]


def _different(
    make: "Callable[[Random, Words], Asked]", chance: Random, words: Words, count: int
) -> list[Asked]:
    tries = (make(chance, words) for _ in range(MANY_TRIES))
    different = dict.fromkeys(tries)
    if len(different) < count:
        raise BenchFailure(f"the corpus gives only {len(different)} queries by {make.__name__}")
    return list(islice(different, count))


def _words(corpus: Corpus) -> Words:
    frequency: Counter[str] = Counter()
    runs: list[str] = []
    for number, text in enumerate(_texts(corpus)):
        frequency.update(set(_find_words(text)))
        if number < SAMPLED:
            runs += _find_runs(text)
    term = Analyzer().term
    meant = [word for word in sorted(frequency) if term(word)]
    known = set(meant)
    return Words(
        common=sorted(meant, key=lambda word: -frequency[word])[:COMMON],
        rare=[word for word in meant if frequency[word] in RARE],
        any=[word for word in meant if len(word) > max(PREFIX_LETTERS)],
        phrases=[run for run in runs if known.issuperset(run.split())],
    )


def _texts(corpus: Corpus) -> Iterator[str]:
    with corpus.texts.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)["text"].lower()


def rare(chance: Random, words: Words) -> Asked:
    """A word of a few documents."""
    word = chance.choice(words.rare)
    return Asked("rare", word, word, word)


def common(chance: Random, words: Words) -> Asked:
    """A word of very many documents."""
    word = chance.choice(words.common)
    return Asked("common", word, word, word)


def two_common(chance: Random, words: Words) -> Asked:
    """Any of two such words, best first."""
    a, b = sorted(chance.sample(words.common, 2))
    return Asked("two common", f"{a} {b}", f"{a} OR {b}", f"{a} {b}")


def both_common(chance: Random, words: Words) -> Asked:
    """Both of two such words."""
    a, b = sorted(chance.sample(words.common, 2))
    return Asked("both common", f"{a} & {b}", f"{a} AND {b}", f"{a} AND {b}")


def phrase(chance: Random, words: Words) -> Asked:
    """Two or three words in sequence."""
    run = chance.choice(words.phrases).split()
    size = min(len(run), chance.randint(*PHRASE_WORDS))
    first = chance.randrange(len(run) - size + 1)
    quoted = f'"{" ".join(run[first : first + size])}"'
    return Asked("phrase", quoted, quoted, quoted)


def boolean(chance: Random, words: Words) -> Asked:
    """Two of three with common words, without a fourth."""
    a, b, c = chance.sample(words.common, 3)
    d = chance.choice(words.any)
    return Asked(
        "boolean",
        f"({a} | {d}) & {b} & !{c}",
        f"(({a} OR {d}) AND {b}) NOT {c}",
        f"({a} OR {d}) AND {b} AND NOT {c}",
    )


def prefix(chance: Random, words: Words) -> Asked:
    """All words that begin alike."""
    beginning = chance.choice(words.any)[: chance.randint(*PREFIX_LETTERS)]
    return Asked("prefix", f"{beginning}*", f"{beginning}*", f"{beginning}*")


KINDS = (rare, common, two_common, both_common, phrase, boolean, prefix)
