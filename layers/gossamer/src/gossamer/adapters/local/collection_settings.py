"""CollectionSettingsStore over SQLite, with a copy beside the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.adapters.local.settings_copy import copy_file, read_copy, write_copy
from gossamer.core.collection import (
    LISTS,
    CollectionSettings,
    decode_settings,
    list_name,
    packed,
    unpacked,
)

if TYPE_CHECKING:
    from gossamer.adapters.local.database import Store

# An older file that is only read does not have the table.
HAS_SETTINGS = "SELECT 1 FROM sqlite_master WHERE name = 'settings'"

HAS_LISTS = "SELECT 1 FROM sqlite_master WHERE name = 'lists'"

TABLES = """
CREATE TABLE IF NOT EXISTS settings (body BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS lists (name TEXT PRIMARY KEY, body BLOB NOT NULL);
"""


class SqliteCollectionSettings:
    """The settings of a collection in one row, its lists in one each."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self) -> CollectionSettings:
        exists = self._store.row(HAS_SETTINGS)
        row = self._store.row("SELECT body FROM settings") if exists else None
        return decode_settings(row[0]) if row else CollectionSettings()

    def put(self, settings: CollectionSettings) -> bool:
        if self.get().version != settings.version - 1:
            return False
        self._write_copy(settings)
        self._store.write("DELETE FROM settings")
        self._store.write("INSERT INTO settings VALUES (?)", (msgspec.json.encode(settings),))
        self._store.commit()
        return True

    def mend_copy(self) -> None:
        """Make the copy that a kill, an older program or a restored database left different."""
        if self._store.path is None:
            return
        settings, file = self.get(), copy_file(self._store.path)
        copy = read_copy(file)
        if settings.version and (copy is None or copy.settings != settings):
            self._write_copy(settings)
        elif not settings.version and copy is not None:
            file.unlink()  # of a collection that was here before

    def _write_copy(self, settings: CollectionSettings) -> None:
        if self._store.path is not None:
            names = filter(None, (getattr(settings, kind) for kind in LISTS))
            lists = {name: self.read_list(name) for name in names}
            write_copy(copy_file(self._store.path), settings, lists)

    def read_list(self, name: str) -> str:
        exists = name and self._store.row(HAS_LISTS)
        row = self._store.row("SELECT body FROM lists WHERE name = ?", (name,)) if exists else None
        return unpacked(row[0]) if row else ""

    def put_list(self, text: str) -> str:
        if not text:
            return ""
        body = packed(text)
        name = list_name(body)
        self._store.write("INSERT OR REPLACE INTO lists VALUES (?, ?)", (name, body))
        return name

    def drop_list(self, name: str) -> None:
        self._store.write("DELETE FROM lists WHERE name = ?", (name,))
