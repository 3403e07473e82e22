"""Whether a count of all URLs replaces the sums that processes kept of their moves.

A process adds its moves to the sums when it ends; one that is killed adds nothing, and the sums
stay wrong. A count takes minutes. If nothing moves meanwhile it is exact. Otherwise every move can
make it differ by one from sums that are right: a larger difference proves that they are wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

IN_FLIGHT = 1000  # moves that processes at work may have made and not yet added


def correction(
    counted: Mapping[str, int], sums: Mapping[str, int], moves: int, *, quiet: bool
) -> dict[str, int]:
    """What must be added to the sums; nothing if they may be as right as the count.

    `moves`: that were added while it was counted; `quiet`: no process was at work meanwhile.
    """
    names = sorted({*counted, *sums})
    missing = {name: counted.get(name, 0) - sums.get(name, 0) for name in names}
    slack = 0 if quiet and not moves else moves + IN_FLIGHT
    if all(abs(difference) <= slack for difference in missing.values()):
        return {}
    return {name: difference for name, difference in missing.items() if difference}
