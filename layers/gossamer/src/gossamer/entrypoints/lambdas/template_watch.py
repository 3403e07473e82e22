"""The watch on templates in a stack: each that finds less than before is logged and counted.

CloudWatch makes a metric of the count, and an alarm. The watch looks once an hour while a job runs,
and when one has finished; a stack that does not crawl pays nothing for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from gossamer.core.errors import TransientError
from gossamer.core.page.templates.health import HOUR
from gossamer.entrypoints.template_health import healths

if TYPE_CHECKING:
    from gossamer.entrypoints.lambdas.sqs import Worker
    from gossamer.ports.template_health import TemplateHealth

EVERY: Final = float(HOUR)  # counts are kept by the hour
_looked: WeakKeyDictionary[TemplateHealth, float] = WeakKeyDictionary()


def watch_templates(worker: Worker, now: float, has_finished: bool) -> None:
    """Tell which templates find less than before, if it is time to look."""
    counts = worker.home.template_health
    due = counts not in _looked or now >= _looked[counts] + EVERY
    if not due and not has_finished:
        return
    try:
        found = healths(worker.home, now)
    except TransientError:  # as while the templates are being replaced: the next call looks again
        return
    _looked[counts] = now
    for health in found:
        if health.alarms:
            worker.telemetry.template(health.template, health.alarms)
