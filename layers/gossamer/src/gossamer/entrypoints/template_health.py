"""Whether the templates of a collection still find what they found before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gossamer.bolts.templates import templates_of
from gossamer.core.page.templates.health import DAYS, Health, health_of
from gossamer.core.search.result import TemplateStats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.ports.home import Home

DAY: Final = 86_400.0


def healths(home: Home, now: float) -> list[Health]:
    """The health of all templates of the collection."""
    templates = templates_of(home.settings, now)
    if not templates:
        return []
    hours = home.template_health.read(now - DAYS * DAY, now)
    return [health_of(each.name, hours, each.fields) for each in templates]


def template_stats(home: Home, now: float) -> list[TemplateStats]:
    """The same in short: what statistics say of each template."""
    return [
        TemplateStats(each.template, each.pages, each.items, each.reasons, each.alarms)
        for each in healths(home, now)
    ]


def alarm_lines(templates: Sequence[TemplateStats]) -> list[str]:
    """What reports for people say: of each template, what it finds less of than before."""
    return [
        f"  template {each.template}: ALARM: {alarm}" for each in templates for alarm in each.alarms
    ]


class RememberedStats:
    """Statistics of templates for a server, whose readers may ask every two seconds.

    In the cloud a look takes 45 read units.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._stats: list[TemplateStats] = []
        self._known: tuple[str, float] | None = None  # the list of templates, and when

    def of(self, home: Home, now: float) -> list[TemplateStats]:
        """What templates find, as it was some seconds ago; nothing is read if there are none."""
        name = home.settings.get().templates
        if self._known is None or self._known[0] != name or now >= self._known[1] + self._seconds:
            self._stats = template_stats(home, now) if name else []
            self._known = name, now
        return self._stats
