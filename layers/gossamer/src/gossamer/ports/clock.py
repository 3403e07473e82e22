"""What time is it?"""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """Epoch seconds. Tests and simulations bring their own."""

    def now(self) -> float:
        """The present moment."""
        ...
