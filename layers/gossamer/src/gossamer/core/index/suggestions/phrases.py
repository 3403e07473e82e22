"""Find pairs of words that stand together more often than by chance.

They are looked for in a sample of the bodies: what is frequent is frequent there, too, and pairs of
all words would take a tenth of the time of indexing.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from gossamer.core.arrays import distinct
from gossamer.core.index.segments.numbers import Ints, runs, starts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SAMPLE: Final = 65_536  # words
LEAST_TIMES, LEAST_DOCUMENTS = 4, 3
# Of the occurrences of the rarer word: "spider silk" has most of "silk", "silk said" little of it.
LEAST_SHARE: Final = 0.2
MOST_PHRASES: Final = 200  # of a batch
SEEN: Final = 3  # documents whose texts are looked at
SHORTEST: Final = 3  # letters of a word
FIRST_WITHOUT_SPACES: Final = "\u0e00"  # Thai; scripts from here on write words together


class Phrase(NamedTuple):
    """Words, and the documents of the sample that have them side by side."""

    text: str
    documents: list[int]


def frequent_phrases(
    numbers: npt.NDArray[np.int32],
    starts: Ints,
    words: Sequence[str],
    is_stop: Callable[[str], bool],
    texts: Sequence[str],
) -> list[Phrase]:
    """Pairs of words of a batch; the words of document i begin at `starts[i]`, in `texts[i]`."""
    sampled, owners = _sample(numbers, starts)
    if len(sampled) < LEAST_TIMES:
        return []
    inside = owners[1:] == owners[:-1]
    pairs = ((sampled[:-1].astype(np.int64) << 32) | sampled[1:])[inside]
    known, counts = np.unique(pairs, return_counts=True)
    often = counts >= LEAST_TIMES
    often[often] = _is_more_than_chance(known[often], counts[often], sampled)
    chosen = [p for p in known[often].tolist() if _are_words(p, words, is_stop)]
    phrases = _placed(np.array(chosen, np.int64), pairs, owners[1:][inside], words)
    lower = cache(lambda document: texts[document].lower())
    return [each for each in phrases if _is_written(each, lower)]


def _is_written(phrase: Phrase, lower: Callable[[int], str]) -> bool:
    """Whether its words have a space between: "example.org" is none."""
    wanted = phrase.text.lower()
    return any(wanted in lower(document) for document in phrase.documents[:SEEN])


def _sample(
    numbers: npt.NDArray[np.int32], starts: Ints
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The words of every n-th document, and of which document each is."""
    every = max(1, -(-len(numbers) // SAMPLE))
    chosen = np.arange(0, len(starts) - 1, every)
    sizes = np.minimum(np.diff(starts)[chosen], SAMPLE // 8)
    owners = np.repeat(chosen.astype(np.int32), sizes)
    return numbers[runs(starts[chosen], sizes)][:SAMPLE], owners[:SAMPLE]


def _is_more_than_chance(
    pairs: Ints, counts: Ints, words: npt.NDArray[np.int32]
) -> npt.NDArray[np.bool_]:
    times = np.bincount(words)
    rarer = np.minimum(times[pairs >> 32], times[pairs & 0xFFFFFFFF])
    are_together: npt.NDArray[np.bool_] = counts >= LEAST_SHARE * rarer
    return are_together


def _are_words(pair: int, words: Sequence[str], is_stop: Callable[[str], bool]) -> bool:
    both = words[pair >> 32], words[pair & 0xFFFFFFFF]
    return both[0] != both[1] and all(
        len(word) >= SHORTEST
        and word.isalpha()
        and max(word) < FIRST_WITHOUT_SPACES
        and not is_stop(word)
        for word in both
    )


def _placed(chosen: Ints, pairs: Ints, owners: Ints, words: Sequence[str]) -> list[Phrase]:
    """Chosen pairs with their documents, those that most documents have first."""
    if not len(chosen):
        return []
    places = np.minimum(np.searchsorted(chosen, pairs), len(chosen) - 1)
    is_chosen = chosen[places] == pairs
    found = distinct((places[is_chosen].astype(np.int64) << 32) | owners[is_chosen])
    starts = starts_of(np.bincount(found >> 32, minlength=len(chosen)))
    documents = (found & 0xFFFFFFFF).tolist()
    phrases = []
    for number, pair in enumerate(chosen.tolist()):
        text = f"{words[pair >> 32]} {words[pair & 0xFFFFFFFF]}"
        phrases.append(Phrase(text, documents[starts[number] : starts[number + 1]]))
    phrases = [each for each in phrases if len(each.documents) >= LEAST_DOCUMENTS]
    return sorted(phrases, key=lambda each: (-len(each.documents), each.text))[:MOST_PHRASES]
