"""Facets in a terminal: a table of values, how many results have each, and bars to compare them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gossamer.entrypoints.local.terminal import harmless

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gossamer.core.search.result import FacetValue

BAR: Final = 24  # signs of the longest bar
EIGHTHS: Final = " ▏▎▍▌▋▊▉"
MOST: Final = 40  # signs of a value


def facet_lines(
    facets: Mapping[str, Sequence[FacetValue]], faintly: tuple[str, str] = ("", "")
) -> Iterator[str]:
    """The lines of a table; bars are drawn only between two signs that make a terminal faint.

    Without them the output goes to a file or another program: a value and its count in a line.
    """
    shown = [_short(value.value) for values in facets.values() for value in values]
    numbers = [f"{value.count:,}" for values in facets.values() for value in values]
    width, digits = max(map(len, shown), default=0), max(map(len, numbers), default=0)
    for name, values in facets.items():
        yield from ("", name if values else f"{name}: none")
        most = max((value.count for value in values), default=0)
        for value in values:
            line = f"  {_short(value.value):<{width}}  {value.count:>{digits},}"
            yield (
                f"{line}  {faintly[0]}{bar(value.count, most)}{faintly[1]}"
                if any(faintly)
                else line
            )


def bar(count: int, most: int) -> str:
    """A bar that is as long as a count, compared with the largest; never empty."""
    eighths = max(1, round(8 * BAR * count / most)) if most else 0
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def _short(value: str) -> str:
    text = harmless(value)
    return text if len(text) <= MOST else f"{text[: MOST - 1]}…"
