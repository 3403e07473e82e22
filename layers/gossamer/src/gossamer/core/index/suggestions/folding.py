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
_drop_signs = re.compile("[\u00a0-\u00bf\u2010-\u206f\u3000-\u303f]+").sub


def fold(text: str) -> str:
    """A text as it is compared."""
    return " ".join(_folded(text).split())


def fold_all(texts: Sequence[str]) -> list[str]:
    """Each of some texts, which have single spaces, as it is compared: many at once are faster."""
    if not texts:
        return []
    lines = BREAK.join(texts)
    folded = _folded(lines).split(BREAK)
    return folded if lines.isascii() else [" ".join(line.split()) for line in folded]


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    plain = _drop_accents("", unicodedata.normalize("NFKD", text)).casefold()
    return _drop_signs(" ", plain)
