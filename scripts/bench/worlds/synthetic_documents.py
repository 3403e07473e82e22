"""Synthetic documents made from the text of real ones, the same bytes each time.

Whole sentences keep real phrases; single words between them, drawn with their real frequencies,
make new combinations of rare words.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from gossamer.core.page.document import Document

MEAN_WORDS = 150
SPREAD = 0.5  # sigma of the log of the length: a fifth is longer than 230 words
MIN_WORDS = 20
SENTENCE_WORDS = range(4, 31)
LOOSE_WORDS = 5  # drawn one by one, after each sentence
TITLE_WORDS = (3, 8)
SENTENCES_PER_HEADING = 6

_find_sentences = re.compile(r"[^.!?\n]+[.!?]?").findall
_find_words = re.compile(r"[^\W_]+").findall


@dataclass(frozen=True, slots=True)
class Material:
    """Sentences and words to draw from, sorted, so that the order of pages does not matter."""

    sentences: Sequence[str]
    words: Sequence[str]
    weights: Sequence[int]  # cumulated


def documents(originals: Iterable[Document], count: int) -> Iterator[Document]:
    """`count` documents; a small corpus is the beginning of a large one."""
    material = _gather(originals)
    return (_document(number, material) for number in range(count))


def _gather(originals: Iterable[Document]) -> Material:
    sentences: set[str] = set()
    words: Counter[str] = Counter()
    for original in originals:
        words.update(_find_words(original.text))
        stripped = map(str.strip, _find_sentences(original.text))
        sentences.update(text for text in stripped if len(text.split()) in SENTENCE_WORDS)
    ordered = sorted(words)
    return Material(sorted(sentences), ordered, list(accumulate(words[word] for word in ordered)))


def _document(number: int, material: Material) -> Document:
    chance = Random(number)
    length = max(MIN_WORDS, MEAN_WORDS * chance.lognormvariate(-(SPREAD**2) / 2, SPREAD))
    sentences: list[str] = []
    words = 0
    while words < length:
        sentence = f"{chance.choice(material.sentences)} {_loose(chance, material, LOOSE_WORDS)}."
        sentences.append(sentence)
        words += len(sentence.split())
    return Document(
        url=f"http://synthetic.test/{number // 1000}/{number}.html",
        title=_loose(chance, material, chance.randint(*TITLE_WORDS)).capitalize(),
        headings=[(2, text) for text in sentences[::SENTENCES_PER_HEADING]],
        text="\n".join(sentences),
        language="en",
    )


def _loose(chance: Random, material: Material, count: int) -> str:
    return " ".join(chance.choices(material.words, cum_weights=material.weights, k=count))
