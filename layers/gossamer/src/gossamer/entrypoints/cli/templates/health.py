"""What `gossamer template health` says: whether templates find what they found before."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from gossamer.entrypoints.cli.templates.keeping import template_in
from gossamer.entrypoints.template_health import healths

if TYPE_CHECKING:
    from gossamer.core.page.templates.health import Health
    from gossamer.ports.home import Home


def health_in(home: Home, names: list[str]) -> list[Health]:
    """The health of some templates, or of all."""
    wanted = {template_in(home, name).name for name in names}
    found = healths(home, time.time())
    return [each for each in found if not wanted or each.template in wanted]


def to_text(found: list[Health]) -> str:
    """A table for people, with the alarms below."""
    return "\n".join(line for each in found for line in _lines(each)) or "no templates"


def _lines(health: Health) -> list[str]:
    before = f" ({health.items_before:g} before)" if health.pages_before else ""
    lines = [
        f"{health.template}: {health.pages:,} newest pages, {health.pages_before:,} before;"
        f" {health.items:g} record{'s' * (health.items != 1)} a page{before}"
    ]
    lines += [f"  {count:,} pages {reason}" for reason, count in health.reasons.items()]
    lines += [
        f"  {name:16} {each.fill:5.0%} filled  {each.typed:5.0%} typed"
        f"  {each.distinct:5.0%} different"
        for name, each in health.fields.items()
    ]
    return [*lines, *(f"  ALARM: {alarm}" for alarm in health.alarms)]
