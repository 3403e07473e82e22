"""How documents write a word that the index has without accents and capitals: coeur is cœur.

A stemmer may know an ending by its accents, so a French page with "rivière" is found by that word
and not by "riviere", which is how the index has what another word may have been.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from gossamer.core.index.letters import APOSTROPHES
from gossamer.core.index.vocabulary import TURKISH

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.core.search.planning.other_languages import Readers

LOOKED_AT: Final = 100_000  # characters of a text: 10 to 50 ms
_ELIDING = frozenset({"'", *APOSTROPHES})


class Written(NamedTuple):
    """A word as some document writes it, and how many have it."""

    form: str = ""  # "" if none was found that shows it
    documents: int = 0


def form_in(texts: Iterable[str], word: str, readers: Readers, language: str = "") -> str:
    """How texts in a language write a word, in small letters; "" if they do not have it."""
    every = (readers.first, *readers.others)
    for text in texts:
        for form in dict.fromkeys(readers.first.words(text[:LOOKED_AT])):
            is_it = any(reader.fold(form) == word for reader in every)
            if is_it and not any(sign in form for sign in _ELIDING):
                return _small(form, language or readers.first.language)
    return ""


def _small(form: str, language: str) -> str:
    """In small letters, unless these are more: outside of Turkish, İ is an i with a dot more."""
    small = (form.translate(TURKISH) if language[:2] == "tr" else form).lower()
    return small if len(small) == len(form) else form
