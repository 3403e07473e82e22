"""TemplateHealth over SQLite: a row for each hour of a template."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from gossamer.core.page.templates.health import DAYS, HOUR, HourOfTemplate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.adapters.local.database import Store

TABLES = """
CREATE TABLE IF NOT EXISTS template_health (
    hour INTEGER, template TEXT, body BLOB NOT NULL, PRIMARY KEY (hour, template)
) WITHOUT ROWID;
"""
# An older file that is only read does not have the table.
_HAS_TABLE = "SELECT 1 FROM sqlite_master WHERE name = 'template_health'"
_decode = msgspec.json.Decoder(dict[str, int]).decode


class SqliteTemplateHealth:
    """Counts as JSON, which only the one writer changes."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, template: str, counts: Mapping[str, int], now: float) -> None:
        hour = int(now // HOUR)
        row = self._store.row(
            "SELECT body FROM template_health WHERE hour = ? AND template = ?", (hour, template)
        )
        total = Counter(_decode(row[0]) if row else {})
        total.update(counts)
        body = msgspec.json.encode(total)
        self._store.write(
            "INSERT OR REPLACE INTO template_health VALUES (?, ?, ?)", (hour, template, body)
        )
        if row is None:
            oldest = hour - DAYS * 24
            self._store.write("DELETE FROM template_health WHERE hour < ?", (oldest,))

    def forget(self, template: str, now: float) -> None:
        hour = int(now // HOUR)
        gone = "DELETE FROM template_health WHERE hour = ? AND template = ?"
        self._store.write(gone, (hour, template))

    def read(self, since: float, until: float) -> list[HourOfTemplate]:
        if not self._store.row(_HAS_TABLE):
            return []
        rows = self._store.rows(
            "SELECT template, hour, body FROM template_health WHERE hour BETWEEN ? AND ?"
            " ORDER BY hour, template",
            (int(since // HOUR), int(until // HOUR)),
        )
        return [HourOfTemplate(template, hour, _decode(body)) for template, hour, body in rows]
