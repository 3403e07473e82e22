"""What broke, and when it did so for the first time."""

from __future__ import annotations

from dataclasses import dataclass, field

HOUR, DAY = 3_600.0, 86_400.0


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a stack cannot do, or does late."""

    at: float
    what: str
    advice: str
    is_break: bool = (
        True  # pages are lost, late for good, or not made; else it is only worth knowing
    )

    def moment(self) -> str:
        """When, as a person says it."""
        return f"day {int(self.at // DAY) + 1}, {self.at % DAY / HOUR:04.1f} h"


@dataclass(slots=True)
class Findings:
    """The first of each kind."""

    by_kind: dict[str, Finding] = field(default_factory=dict)

    def note(
        self, kind: str, at: float, what: str, advice: str = "", *, is_break: bool = True
    ) -> None:
        """Write a finding down, unless it is known."""
        if kind not in self.by_kind:
            self.by_kind[kind] = Finding(at, what, advice, is_break)

    def in_order(self) -> list[Finding]:
        """By time."""
        return sorted(self.by_kind.values(), key=lambda finding: finding.at)

    def first(self) -> Finding | None:
        """The first that breaks something."""
        return next((each for each in self.in_order() if each.is_break), None)
