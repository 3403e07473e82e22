"""The definition of what an analyzer finds, word by word, without its shortcuts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.index.analyzer import Token

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.core.index.analyzer import Analyzer


def tokens_of(analyzer: Analyzer, text: str) -> Iterator[Token]:
    """The terms and where they stand; stop words are left out, their positions are not."""
    for position, word in enumerate(analyzer._pattern.finditer(text)):
        if term := analyzer.term(word[0]):
            yield Token(term, position, word.start(), word.end())
