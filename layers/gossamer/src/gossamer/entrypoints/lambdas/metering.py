"""What did an invocation cost? Units from the meter, prices from the list, sums into `stats`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.cost.prices import usd

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.adapters.aws.home import AwsHome

METRICS = {"wru": "WriteUnits", "rru": "ReadUnits", "pages": "Pages", "bytes": "Bytes"}


class Metering:
    """The meter of a function, read at the end of each invocation."""

    def __init__(self, home: AwsHome, clock: Callable[[], float]) -> None:
        self._home = home
        self._clock = clock

    def spend(self, sums: dict[str, float], gb_seconds: float) -> dict[str, float]:
        """The units of this invocation as metrics; their sums are kept for the bill."""
        self._home.add_states()
        units = dict(self._home.meter.totals()) | dict(self._home.take_counts())
        units |= {"gbms": 1000 * gb_seconds, "invocations": 1.0}
        units["wru"] = units.get("wru", 0.0) + 1.0  # what keeping these sums takes
        costs = usd(units)
        told = {name.lower(): value for name, value in sums.items()}
        self._home.counters.add(units | told | {"usd": costs}, self._clock())
        shown = {metric: units[unit] for unit, metric in METRICS.items() if units.get(unit)}
        return shown | {"Cost": costs}

    def calls(self) -> dict[str, int]:
        """What was asked of AWS in this invocation: `dynamodb:PutItem urls` and how often."""
        calls = {f"{action} {on}": n for (action, on), n in self._home.meter.calls.items()}
        self._home.meter.reset()
        return calls
