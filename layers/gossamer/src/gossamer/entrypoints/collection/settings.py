"""Replaces the settings of a collection, or says what that would do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.core.errors import ConfigurationError
from gossamer.core.settings_changes import SettingChange, changes_between
from gossamer.core.settings_file import kept_of

if TYPE_CHECKING:
    from gossamer.core.collection import CollectionSettings
    from gossamer.ports.home import Home


class Stored(msgspec.Struct, frozen=True):
    """What differs, and how many documents were indexed by other settings than the new ones."""

    version: int  # of the settings; that of a preview is the present one
    outdated: int
    documents: int
    changes: list[SettingChange] = []
    is_preview: bool = False


class Stale(ConfigurationError):
    """Somebody else has changed the same in the meantime."""

    def __init__(self) -> None:
        super().__init__("the settings were changed meanwhile; run the same command again")


def preview(home: Home, wanted: CollectionSettings) -> Stored:
    """What would happen if settings were replaced."""
    before = home.settings.get()
    after = _complete(home, before, wanted)
    return _result(home, before, after, is_preview=True)


def store(home: Home, wanted: CollectionSettings) -> Stored:
    """Replace the settings of a collection."""
    before = home.settings.get()
    after = _complete(home, before, wanted)
    put_next(home, before, after)
    stored = msgspec.structs.replace(after, version=before.version + 1)
    return _result(home, before, stored, is_preview=False)


def put_next(home: Home, before: CollectionSettings, after: CollectionSettings) -> int:
    """Store settings as the version behind another one; raises Stale if there is one already."""
    version = before.version + 1
    if not home.settings.put(msgspec.structs.replace(after, version=version)):
        raise Stale
    home.commit()
    return version


def advice(done: Stored) -> str:
    """What is left to do, for people."""
    if not done.outdated:
        return ""
    are = "would be" if done.is_preview else "were"
    return (
        f"; {done.outdated:,} of {done.documents:,} documents {are} indexed by other settings:"
        " `gossamer reindex` indexes them anew, and the old index answers meanwhile"
    )


def _complete(
    home: Home, before: CollectionSettings, wanted: CollectionSettings
) -> CollectionSettings:
    """Settings with what no file says: the lists beside them, and what templates declare."""
    from gossamer.core.page.templates.collected import declare, read_templates

    templates = read_templates(home.settings.read_list(before.templates))
    return declare(kept_of(before, wanted), templates, templates)


def _result(
    home: Home, before: CollectionSettings, after: CollectionSettings, *, is_preview: bool
) -> Stored:
    from gossamer.bolts.index import made_otherwise  # numpy, and much besides

    return Stored(
        after.version,
        made_otherwise(home, after),
        home.index.manifest().live,
        changes_between(before, after),
        is_preview,
    )
