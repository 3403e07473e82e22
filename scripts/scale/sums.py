"""What a simulated week came to."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scripts.scale.profile import Given


@dataclass(slots=True)
class Sums:
    """What a week came to."""

    pages: float = 0.0
    revisits: float = 0.0
    indexed: float = 0.0
    finished_at: float = 0.0
    fastest: float = 0.0  # pages a second, in the best hour
    units: dict[str, float] = field(default_factory=lambda: defaultdict(float))  # kind resource
    plain: dict[str, float] = field(default_factory=lambda: defaultdict(float))  # kind
    given: dict[str, Given] = field(default_factory=dict)
    oldest: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    full: Counter[str] = field(default_factory=Counter)  # steps in which a function was full
    throttled: Counter[str] = field(default_factory=Counter)  # steps in which a table refused
    most_at_once: float = 0.0  # functions
    redriven: float = 0.0
    old_messages: float = 0.0  # of the version before, taken by the version after
    old_until: float = 0.0
