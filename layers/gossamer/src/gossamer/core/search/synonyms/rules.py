"""Lists of synonyms, in the format of Solr.

    # a comment
    car, automobile, motor car          each finds the others
    tv => television, telly             tv finds these, which do not find tv

A backslash takes the meaning from the sign behind it: `3\\,5 inch`. Unlike in Solr, the words of a
query are always looked for as well, also those on the left of an arrow. Rules are not chained: what
a rule finds is looked up in no other one, so circles do no harm.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from gossamer.core.errors import ConfigurationError, SettingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ARROW: Final = "=>"
MAX_RULES: Final = 200_000
MAX_LINE: Final = 4_000  # characters
MAX_SIDE: Final = 200  # characters of a word or phrase
MAX_WORDS: Final = 10  # of a phrase
MAX_PHRASES: Final = 100  # of a rule
MAX_TEXT: Final = 20_000_000  # characters: twice as many as all of WordNet takes

# An escaped sign, an arrow, a comma, or what stands between them.
_PIECES: Final = re.compile(r"\\(.)|(=>)|(,)|([^\\,=]+|=)", re.DOTALL)
_SPECIAL: Final = re.compile(r"\\|,|=(?=>)|^#")


class Rule(NamedTuple):
    """Phrases, of one word or more, that find others."""

    left: tuple[str, ...]
    right: tuple[str, ...]

    def others(self, phrase: str) -> Iterator[str]:
        """What a phrase of the left side finds besides itself."""
        return (each for each in self.right if each != phrase)


def rule_lines(text: str, origin: str) -> list[str]:
    """The lines of a list that have a rule, each checked; the error names the line."""
    if len(text) > MAX_TEXT:
        raise SettingError(f"{origin}: a list has at most {MAX_TEXT:,} characters")
    lines: list[str] = []
    for number, line in _numbered(text):
        lines.append(line)
        try:
            _check(line)
            _check_number(lines)
        except ConfigurationError as error:
            place = f"{origin}, line {number}".removeprefix(", ")
            raise SettingError(f"{place}: {error}", line=number) from error
    return lines


def _check_number(lines: Sequence[str]) -> None:
    if len(lines) > MAX_RULES:
        raise ConfigurationError(f"a list has at most {MAX_RULES:,} rules")


def stored_lines(text: str) -> list[str]:
    """The lines that have a rule, of a list that was checked before."""
    return [line for _, line in _numbered(text)]


def _numbered(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line.strip()


def _check(line: str) -> None:
    if len(line) > MAX_LINE:
        raise ConfigurationError(f"a rule has at most {MAX_LINE:,} characters")
    sides = _sides(line)
    if len(sides) > 2:
        raise ConfigurationError(f'a rule has one "{ARROW}" at most')
    if not all(map(all, sides)):
        raise ConfigurationError(
            f'there is nothing before or after a comma or "{ARROW}"; write a comma that'
            " belongs to a word as \\,"
        )
    phrases = [phrase for side in sides for phrase in side]
    if len(phrases) < 2:
        raise ConfigurationError(
            f'a rule needs two words or more, with commas or "{ARROW}" between'
        )
    if len(phrases) > MAX_PHRASES:
        raise ConfigurationError(f"a rule has at most {MAX_PHRASES} words and phrases")
    _check_phrases(phrases)


def _check_phrases(phrases: Iterable[str]) -> None:
    for phrase in phrases:
        if len(phrase) > MAX_SIDE or len(phrase.split()) > MAX_WORDS:
            raise ConfigurationError(
                f"{phrase[:40]!r}… is too long: a phrase has at most {MAX_WORDS} words"
                f" and {MAX_SIDE} characters"
            )
        if not any(map(str.isalnum, phrase)):
            raise ConfigurationError(f"{phrase!r} has no letter and no digit")


def rule_of(line: str) -> Rule:
    """The rule in a line that was checked."""
    left, *rest = _sides(line)
    return Rule(tuple(left), tuple(rest[0]) if rest else tuple(left))


def _sides(line: str) -> list[list[str]]:
    """The phrases on the sides of arrows, as they are meant; "" where one is missing."""
    sides = [[""]]
    for escaped, arrow, comma, text in _PIECES.findall(line):
        if arrow:
            sides.append([""])
        elif comma:
            sides[-1].append("")
        else:
            sides[-1][-1] += escaped or text
    return [[" ".join(phrase.split()) for phrase in side] for side in sides]


def to_line(left: Iterable[str], right: Iterable[str] = ()) -> str:
    """A rule as a line: phrases that find each other or, with a right side, that find those."""
    sides = [", ".join(map(_escaped, side)) for side in (left, right)]
    return f" {ARROW} ".join(filter(None, sides))


def _escaped(phrase: str) -> str:
    return _SPECIAL.sub(lambda found: "\\" + found[0], phrase)
