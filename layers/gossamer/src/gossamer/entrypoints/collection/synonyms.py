"""Replaces the list of synonyms of a collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.core.search.synonyms.rules import rule_lines
from gossamer.entrypoints.collection.settings import put_next

if TYPE_CHECKING:
    from gossamer.ports.home import Home


class StoredSynonyms(msgspec.Struct, frozen=True):
    """What was stored."""

    version: int  # of the settings
    rules: int


def store(home: Home, text: str, origin: str = "") -> StoredSynonyms:
    """Replace the synonyms; a text without a rule removes them. Raises SettingError."""
    rules = len(rule_lines(text, origin))
    before = home.settings.get()
    name = home.settings.put_list(text if rules else "")
    after = msgspec.structs.replace(before, synonyms=name)
    version = put_next(home, before, after)
    if before.synonyms != name:
        home.settings.drop_list(before.synonyms)
        home.commit()
    return StoredSynonyms(version, rules)
