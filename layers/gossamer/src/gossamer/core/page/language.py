"""Guess the language of a text that does not name it."""

from __future__ import annotations

from resiliparse.parse.lang import detect_fast

# Characters to guess a language from; twice as long a sample does no better.
MIN_GUESSABLE, GUESSED_LENGTH = 200, 1500
# Asked for these only, resiliparse is twice as fast, and no longer takes manuals for Latin.
GUESSABLE = str.split(
    "ar bg bn ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv nl no pl pt ro ru sk"
    " sl sr sv ta th tr uk vi zh"
)
GUESS_CUTOFF = 900  # resiliparse's distance beyond which it rather says "unknown"


def guess_language(text: str) -> str:
    """The language as ISO 639 has it; empty if the text is too short or could be any."""
    if len(text) < MIN_GUESSABLE:
        return ""
    language: str = detect_fast(text[:GUESSED_LENGTH], cutoff=GUESS_CUTOFF, langs=GUESSABLE)[0]
    return "" if language == "unknown" else language
