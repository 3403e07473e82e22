"""What must differ between functions that begin from the same snapshot (SnapStart).

Only imports are in a snapshot: a home, its clients and their connections are opened at the first
event. The random numbers of Python are seeded at import, so all copies would draw the same.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

HOW_BEGUN = "AWS_LAMBDA_INITIALIZATION_TYPE"


def seed_after_restore(environ: Mapping[str, str]) -> bool:
    """Draw other random numbers than the other copies; whether there will be copies."""
    if environ.get(HOW_BEGUN) != "snap-start":
        return False
    from snapshot_restore_py import register_after_restore  # a part of Lambda's own runtime

    register_after_restore(random.seed)
    return True
