"""Compare texts as people type them: without capitals, accents and typographic signs.

The folding of an index and of a query must be the same for ever, so it does not depend on the
analyzer of a collection, whose words and languages change.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

BREAK: Final = "\n"  # between entries; no entry has it
_drop_accents = re.compile("[\u0300-\u036f\u00ad\u200b-\u200f\u2060\ufeff]+").sub
# Letters that are no others with accents, as those who lack them type them.
_letters: Final = str.maketrans(
    {"\u00e6": "ae", "\u00f0": "d", "\u00f8": "o", "\u00fe": "th", "\u0111": "d", "\u0127": "h"}
    | {"\u0131": "i", "\u0142": "l", "\u0153": "oe"}
)
_drop_signs = re.compile("[\u00a0-\u00bf\u2010-\u206f\u3000-\u303f]+").sub

# Of these signs, those that most texts would be plain without; they are spaces in any case.
_FREQUENT: Final = "\u2013\u2014\u2018\u2019\u201c\u201d\u2022\u00ab\u00bb\u00b7"


def fold(text: str) -> str:
    """A text as it is compared."""
    return " ".join(_folded(text).split())


def fold_all(texts: Sequence[str]) -> list[str]:
    """Each of some texts, which have single spaces, as it is compared: many at once are faster."""
    if not texts:
        return []
    lines = BREAK.join(texts)
    if lines.isascii():
        return lines.lower().split(BREAK)
    for sign in _FREQUENT:
        lines = lines.replace(sign, " ")
    both = zip(lines.lower().split(BREAK), lines.split(BREAK), strict=True)
    return [low if _is_folded(low) else fold(line) for low, line in both]


def _is_folded(line: str) -> bool:
    """Whether a line without capitals is as it is compared; it may also be if this is False."""
    return line.isascii() and "  " not in line and line[:1] > " " and line[-1] > " "


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    plain = _drop_accents("", unicodedata.normalize("NFKD", text)).casefold()
    return _drop_signs(" ", plain).translate(_letters)
