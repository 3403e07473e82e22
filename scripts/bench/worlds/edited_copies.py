"""Which texts are copies of others, edited a little? A generated set, the same one each time.

Texts have as many words as pages do, drawn as often as words are used (Zipf). Of each there are
copies, edited in one of the ways in which pages differ, by an amount that leaves a resemblance of
0.80 to 0.99. Some texts share a template: a header, a menu and a footer around words of their own.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import log
from random import Random

from gossamer.core.simhash import WIDTH

VOCABULARY = 30_000
SHORTEST, LONGEST = 50, 2000  # words; in between, each doubling is as frequent as the next
COPIES = 5  # of each text
RESEMBLANCE = (0.80, 0.99)
TEMPLATES = 20
IN_TEMPLATE = 0.1  # of all texts
TEMPLATE_WORDS = (25, 250)  # above, and as many below
TEMPLATE_SHARE = (0.4, 0.9)  # of the words of such a page

Words = list[str]
Draw = Callable[[int], Words]  # so many words


@dataclass(frozen=True, slots=True)
class Text:
    """A text of the set. Texts of two families are related by a template at most."""

    words: Words
    family: int
    edit: str  # how it was made; "" for an original
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
            words = _dressed(words, templates[template], chance)
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


def _dressed(words: Words, template: tuple[Words, Words], chance: Random) -> Words:
    """Words between a header and a footer, as many as leave these their share of the page."""
    header, footer = template
    share = chance.uniform(*TEMPLATE_SHARE)
    own = round((len(header) + len(footer)) * (1 - share) / share)
    return header + words[:own] + footer


def _block_share(resemblance: float) -> float:
    """The part of a text that one block may take, if as much comes as goes."""
    return 1 - 2 * resemblance / (1 + resemblance)


def _word_share(resemblance: float) -> float:
    """The same for single words, of which each is in several shingles."""
    return 1 - float((1 - _block_share(resemblance)) ** (1 / WIDTH))


def substituted(words: Words, resemblance: float, chance: Random, draw: Draw) -> Words:
    """Other words here and there."""
    share = _word_share(resemblance)
    pairs = zip(words, draw(len(words)), strict=True)
    return [new if chance.random() < share else word for word, new in pairs]


def inserted(words: Words, resemblance: float, chance: Random, draw: Draw) -> Words:
    """More words here and there."""
    share = _word_share(resemblance)
    pairs = zip(words, draw(len(words)), strict=True)
    return [part for word, new in pairs for part in _with(word, new, chance.random() < share)]


def _with(word: str, new: str, wanted: bool) -> Sequence[str]:
    return (new, word) if wanted else (word,)


def deleted(words: Words, resemblance: float, chance: Random, _draw: Draw) -> Words:
    """Fewer words here and there."""
    share = _word_share(resemblance)
    return [word for word in words if chance.random() >= share]


def rewritten(words: Words, resemblance: float, chance: Random, draw: Draw) -> Words:
    """A paragraph of other words."""
    count = round(_block_share(resemblance) * len(words))
    at = chance.randrange(len(words) - count + 1)
    return words[:at] + draw(count) + words[at + count :]


def moved(words: Words, resemblance: float, chance: Random, _draw: Draw) -> Words:
    """Paragraphs at other places, as many as that takes: each costs the shingles at three seams."""
    shingles = _block_share(resemblance) * len(words)
    for _ in range(max(1, round(shingles / (3 * (WIDTH - 1))))):
        first, second, third = sorted(chance.sample(range(len(words) + 1), 3))
        words = words[:first] + words[second:third] + words[first:second] + words[third:]
    return words


def redressed(words: Words, resemblance: float, _chance: Random, draw: Draw) -> Words:
    """Another header and footer."""
    around = round(_block_share(resemblance) * len(words) / 2)
    return draw(around) + words[around : len(words) - around] + draw(around)


EDITS: dict[str, Callable[[Words, float, Random, Draw], Words]] = {
    edit.__name__: edit for edit in (substituted, inserted, deleted, rewritten, moved, redressed)
}
