"""Queries of several kinds, drawn from the words of a corpus; the same ones each time."""

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
MAX_TRIES = 10_000
MIN_TYPO_LETTERS = 6  # shorter words are corrected with more care
MISSPELT = "misspelt"  # the kind of queries that only Gossamer corrects

_find_words = re.compile(r"[a-z]{3,}").findall
_find_runs = re.compile(r"[a-z]{3,}(?: [a-z]{3,})+").findall


@dataclass(frozen=True, slots=True)
class Query:
    """One query in the syntax of each engine."""

    kind: str
    gossamer: str
    fts5: str
    tantivy: str


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a corpus that are not stop words, and runs of them."""

    common: Sequence[str]
    rare: Sequence[str]
    any: Sequence[str]
    phrases: Sequence[str]


def draw(corpus: Corpus, per_kind: int = PER_KIND) -> list[Query]:
    """`per_kind` different queries of every kind."""
    words = _words(corpus)
    chance = Random(1)
    return [query for make in KINDS for query in _different(make, chance, words, per_kind)]


def draw_many(corpus: Corpus, per_kind: int) -> list[Query]:
    """The same for thousands, of the kinds that have so many, in an order that mixes them."""
    words = _words(corpus)
    chance = Random(2)
    found = [query for make in MANY for query in _different(make, chance, words, per_kind)]
    chance.shuffle(found)
    return found


def draw_misspelt(corpus: Corpus, per_kind: int = PER_KIND) -> list[Query]:
    """Draw queries of a misspelt word beside two common ones; peers have no corrections."""
    words = _words(corpus)
    chance = Random(3)
    return _different(_misspelt, chance, words, per_kind)


def _misspelt(chance: Random, words: Words) -> Query:
    a, b = chance.sample(words.common, 2)
    text = f"{_with_typo(chance, words)} {a} {b}"
    return Query(MISSPELT, text, "", "")


def _with_typo(chance: Random, words: Words) -> str:
    """Return a word with two neighbouring letters swapped, which no document has."""
    indexed = set(words.any)
    while True:
        word = chance.choice(words.any)
        place = chance.randrange(1, len(word) - 1)
        typo = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
        if len(word) >= MIN_TYPO_LETTERS and typo not in indexed:
            return typo


def _different(
    make: Callable[[Random, Words], Query], chance: Random, words: Words, count: int
) -> list[Query]:
    tries = (make(chance, words) for _ in range(MAX_TRIES))
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
    indexed = [word for word in sorted(frequency) if term(word)]
    known = set(indexed)
    return Words(
        common=sorted(indexed, key=lambda word: -frequency[word])[:COMMON],
        rare=[word for word in indexed if frequency[word] in RARE],
        any=[word for word in indexed if len(word) > max(PREFIX_LETTERS)],
        phrases=[run for run in runs if known.issuperset(run.split())],
    )


def _texts(corpus: Corpus) -> Iterator[str]:
    with corpus.texts.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)["text"].lower()


def rare(chance: Random, words: Words) -> Query:
    """A word that few documents have."""
    word = chance.choice(words.rare)
    return Query("rare", word, word, word)


def common(chance: Random, words: Words) -> Query:
    """A word that very many documents have."""
    word = chance.choice(words.common)
    return Query("common", word, word, word)


def two_common(chance: Random, words: Words) -> Query:
    """Either of two common words, ranked."""
    a, b = sorted(chance.sample(words.common, 2))
    return Query("two common", f"{a} {b}", f"{a} OR {b}", f"{a} {b}")


def both_common(chance: Random, words: Words) -> Query:
    """Both of two common words."""
    a, b = sorted(chance.sample(words.common, 2))
    return Query("both common", f"{a} & {b}", f"{a} AND {b}", f"{a} AND {b}")


def phrase(chance: Random, words: Words) -> Query:
    """Two or three words in sequence."""
    run = chance.choice(words.phrases).split()
    size = min(len(run), chance.randint(*PHRASE_WORDS))
    first = chance.randrange(len(run) - size + 1)
    quoted = f'"{" ".join(run[first : first + size])}"'
    return Query("phrase", quoted, quoted, quoted)


def boolean(chance: Random, words: Words) -> Query:
    """Common words with AND, OR and NOT."""
    a, b, c = chance.sample(words.common, 3)
    d = chance.choice(words.any)
    return Query(
        "boolean",
        f"({a} | {d}) & {b} & !{c}",
        f"(({a} OR {d}) AND {b}) NOT {c}",
        # Its parser reads OR inside parentheses beside AND NOT as something that nothing fulfils.
        f"+({a} OR {d}) +{b} -{c}",
    )


def prefix(chance: Random, words: Words) -> Query:
    """All words with one prefix."""
    beginning = chance.choice(words.any)[: chance.randint(*PREFIX_LETTERS)]
    return Query("prefix", f"{beginning}*", f"{beginning}*", f"{beginning}*")


def five_common(chance: Random, words: Words) -> Query:
    """Any of five common words, ranked."""
    return _any_of("five common", chance.sample(words.common, 5))


def eight_common(chance: Random, words: Words) -> Query:
    """Any of eight common words, ranked: a question in plain words."""
    return _any_of("eight common", chance.sample(words.common, 8))


def _any_of(kind: str, words: Sequence[str]) -> Query:
    text = " ".join(words)
    return Query(kind, text, " OR ".join(words), text)


KINDS = (rare, common, two_common, both_common, phrase, boolean, prefix, five_common, eight_common)
MANY = (rare, two_common, both_common, phrase, boolean, prefix)
