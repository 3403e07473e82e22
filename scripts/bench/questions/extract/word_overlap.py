"""How much of a text was found, counted in words without regard to their order."""

import re
from collections import Counter
from dataclasses import dataclass

_find_words = re.compile(r"\w+").findall


@dataclass(frozen=True, slots=True)
class Overlap:
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """0 if nothing is shared."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def overlap(found: str, truth: str) -> Overlap:
    """Words that both texts have, as often as both have them."""
    ours, theirs = _words(found), _words(truth)
    shared = (ours & theirs).total()
    return Overlap(shared / max(1, ours.total()), shared / max(1, theirs.total()))


def _words(text: str) -> Counter[str]:
    return Counter(_find_words(text.lower()))
