"""The report of a benchmark: tables for the terminal, JSON for programs."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from scripts.bench.machine import hardware

Row = dict[str, str]


@dataclass(frozen=True, slots=True)
class Claim:
    """A target, what was measured, and whether the target is met; None: not judged."""

    name: str
    wanted: str
    got: str
    met: bool | None

    def row(self) -> Row:
        """A line of the table of claims."""
        return {
            "claim": self.name,
            "target": self.wanted,
            "measured": self.got,
            "met?": {True: "yes", False: "NO", None: "not judged"}[self.met],
        }


def are_met(claims: Iterable[Claim]) -> bool:
    """Whether no claim failed."""
    return all(claim.met is not False for claim in claims)


def at_most(name: str, most: float, got: float, form: str = ".2f", unit: str = "") -> Claim:
    """The claim that a number is no larger; `form` is how the measured one is written."""
    return Claim(name, f"<= {most:g}{unit}", f"{got:{form}}{unit}", got <= most)


def at_least(name: str, least: float, got: float, form: str = ".2f", unit: str = "") -> Claim:
    """The claim that a number is no smaller."""
    return Claim(name, f">= {least:g}{unit}", f"{got:{form}}{unit}", got >= least)


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that one benchmark measured."""

    question: str
    rows: list[Row]
    claims: list[Claim]
    runs: list[dict[str, Any]]
    summary: dict[str, Any]
    notes: list[str] = field(default_factory=list)
    machine: dict[str, object] = field(default_factory=hardware.describe)

    @property
    def met(self) -> bool:
        """Whether every claim is met."""
        return are_met(self.claims)

    def text(self) -> str:
        """Tables for a terminal."""
        where = "{cores} cores, {cpu}, load {load}, Python {python}, {date}"
        parts = [f"{self.question}: {where.format(**self.machine)}", table(self.rows)]
        parts += [table([claim.row() for claim in self.claims]), "\n".join(self.notes)]
        return "\n\n".join(part for part in parts if part)

    def record(self) -> dict[str, Any]:
        """Everything including single runs, for the JSON report."""
        return {**asdict(self), "met": self.met}


def table(rows: Sequence[Row]) -> str:
    """Rows under the headings of the first one; columns of numbers are aligned right."""
    if not rows:
        return ""
    lines = [list(rows[0]), *(list(row.values()) for row in rows)]
    columns = [_aligned(column) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(cells).rstrip() for cells in zip(*columns, strict=True))


def _aligned(column: Sequence[str]) -> list[str]:
    width = max(map(len, column))
    is_numeric = all(cell[:1].isdigit() or cell == "-" for cell in column[1:])
    return [cell.rjust(width) if is_numeric else cell.ljust(width) for cell in column]
