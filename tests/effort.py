"""How many of its examples a property test tries: a share, unless GOSSAMER_HYPOTHESIS says more."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, settings

SHARES = {"": 0.2, "long": 1, "thorough": 10}  # of the examples that a test names
SHARE = SHARES[os.environ.get("GOSSAMER_HYPOTHESIS", "")]
EXAMPLES = 100  # of a test that names no number


def share_of(examples: int) -> int:
    """So many examples are tried for as many as the test names; some in any case."""
    return max(min(examples, 10), int(examples * SHARE))


def often(examples: int) -> Any:
    """Settings of a test that is run with so many examples."""
    return settings(
        max_examples=share_of(examples),
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
            HealthCheck.function_scoped_fixture,
        ],
    )


def use_share() -> None:
    """For every property test: its share of examples, and no bound on how long one takes."""
    settings.register_profile(
        "share",
        max_examples=share_of(EXAMPLES),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("share")
