"""Generated texts and edited copies of them, the same ones each time.

Texts are as long as pages, with words of a Zipf distribution. Each text has copies, edited in one
of six ways by an amount that leaves a resemblance of 0.80 to 0.99. Some texts share a template: a
header, a menu and a footer around their own words.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from math import log
from random import Random

from gossamer.core.near_duplicates.hashing import WIDTH

VOCABULARY = 30_000
SHORTEST, LONGEST = 50, 2000  # words; the logarithm of the length is uniform
COPIES = 5  # of each text
RESEMBLANCE = (0.80, 0.99)
TEMPLATES = 20
IN_TEMPLATE = 0.1  # of all texts
TEMPLATE_WORDS = (25, 250)  # in the header, and as many in the footer
TEMPLATE_SHARE = (0.4, 0.9)  # of the words of a page

Words = list[str]
Draw = Callable[[int], Words]  # number of words -> words


@dataclass(frozen=True, slots=True)
class Text:
    """A text. Texts of one family are copies; two families share a template at most."""

    words: Words
    family: int
    edit: str  # name of the edit; "" for an original
    template: int | None = None


def texts(originals: int, seed: int = 1) -> Iterator[Text]:
    """Originals, each followed by its copies."""
    chance = Random(seed)
    draw = _zipf(chance)
    sizes = [chance.randint(*TEMPLATE_WORDS) for _ in range(TEMPLATES)]
    templates = [(draw(size), draw(size)) for size in sizes]
    for family in range(originals):
        words = draw(_length(chance))
        template = None
        if chance.random() < IN_TEMPLATE:
            template = chance.randrange(TEMPLATES)
            words = _in_template(words, templates[template], chance)
        yield Text(words, family, "", template)
        for _ in range(COPIES):
            name = chance.choice(list(EDITS))
            edited = EDITS[name](words, chance.uniform(*RESEMBLANCE), chance, draw)
            yield Text(edited, family, name, template)


def _zipf(chance: Random) -> Draw:
    words = [f"{chance.randrange(1 << 32):x}" for _ in range(VOCABULARY)]
    weights = list(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))
    return lambda count: chance.choices(words, cum_weights=weights, k=count)


def _length(chance: Random) -> int:
    return round(SHORTEST * 2 ** chance.uniform(0, log(LONGEST / SHORTEST, 2)))


def _in_template(words: Words, template: tuple[Words, Words], chance: Random) -> Words:
    """Header, words and footer; words are cut so that the template has its share."""
    header, footer = template
    share = chance.uniform(*TEMPLATE_SHARE)
    own = round((len(header) + len(footer)) * (1 - share) / share)
    return header + words[:own] + footer


def _block_share(resemblance: float) -> float:
    """The share of a text to replace by one block of the same size."""
    return 1 - 2 * resemblance / (1 + resemblance)


def _word_share(resemblance: float) -> float:
    """The share of single words to replace; each is in WIDTH shingles."""
    return 1 - float((1 - _block_share(resemblance)) ** (1 / WIDTH))


def substituted(words: Words, resemblance: float, chance: Random, draw: Draw) -> Words:
    """Single words replaced."""
    share = _word_share(resemblance)
    pairs = zip(words, draw(len(words)), strict=True)
    return [new if chance.random() < share else word for word, new in pairs]


def inserted(words: Words, resemblance: float, chance: Random, draw: Draw) -> Words:
    """Single words added."""
    share = _word_share(resemblance)
    pairs = zip(words, draw(len(words)), strict=True)
    several = ([new, word] if chance.random() < share else [word] for word, new in pairs)
    return [word for some in several for word in some]


def deleted(words: Words, resemblance: float, chance: Random, _draw: Draw) -> Words:
    """Single words removed."""
    share = _word_share(resemblance)
    return [word for word in words if chance.random() >= share]


def rewritten(words: Words, resemblance: float, chance: Random, draw: Draw) -> Words:
    """One paragraph replaced."""
    count = round(_block_share(resemblance) * len(words))
    at = chance.randrange(len(words) - count + 1)
    return words[:at] + draw(count) + words[at + count :]


def moved(words: Words, resemblance: float, chance: Random, _draw: Draw) -> Words:
    """Paragraphs moved; each move changes the shingles at three seams."""
    shingles = _block_share(resemblance) * len(words)
    for _ in range(max(1, round(shingles / (3 * (WIDTH - 1))))):
        first, second, third = sorted(chance.sample(range(len(words) + 1), 3))
        words = words[:first] + words[second:third] + words[first:second] + words[third:]
    return words


def reframed(words: Words, resemblance: float, _chance: Random, draw: Draw) -> Words:
    """Header and footer replaced."""
    around = round(_block_share(resemblance) * len(words) / 2)
    return draw(around) + words[around : len(words) - around] + draw(around)


EDITS: dict[str, Callable[[Words, float, Random, Draw], Words]] = {
    edit.__name__: edit for edit in (substituted, inserted, deleted, rewritten, moved, reframed)
}
