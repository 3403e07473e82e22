"""Lines of a text while they are collected, and which of them are headings."""

from __future__ import annotations

from gossamer.core.page.files.file_text import MAX_CHARACTERS


class Lines:
    """Collects lines piece by piece, until there are enough."""

    def __init__(self) -> None:
        self.headings: list[tuple[int, str]] = []
        self.level = 0  # of the line at hand, if it is a heading
        self._pieces: list[str] = []
        self._lines: list[str] = []
        self._room = MAX_CHARACTERS

    @property
    def is_full(self) -> bool:
        """Whether nothing more is taken."""
        return self._room <= 0

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self._lines)

    def add(self, piece: str) -> None:
        """A piece of the line at hand."""
        if piece and self._room > 0:
            self._pieces.append(piece[: self._room])
            self._room -= len(piece)

    def end(self) -> None:
        """The line at hand is whole."""
        line = " ".join("".join(self._pieces).split())
        if line:
            self._lines.append(line)
            if self.level:
                self.headings.append((self.level, line))
        self._pieces, self.level = [], 0
