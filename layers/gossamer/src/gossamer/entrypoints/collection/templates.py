"""Replaces the templates of a collection."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec

from gossamer.core.collection import check_settings
from gossamer.core.errors import TransientError
from gossamer.core.page.templates.collected import declare, read_templates, write_templates
from gossamer.entrypoints.collection.settings import put_next

if TYPE_CHECKING:
    from gossamer.core.collection import CollectionSettings
    from gossamer.core.page.templates.collected import Templates
    from gossamer.ports.home import Home

LOOKS, BETWEEN = 20, 0.25  # seconds, of settings that were just stored


class Kept(msgspec.Struct, frozen=True):
    """The templates of a collection after a change, and the version of its settings."""

    version: int
    templates: list[str]
    changed: bool


def keep(home: Home, after: Templates, known: CollectionSettings | None = None) -> Kept:
    """Keep templates and declare in the schema what they need.

    `known` are the settings whose templates were changed; raises Stale if there are newer ones.
    """
    from gossamer.bolts.templates import forget  # what reads them, and much besides

    before = known or home.settings.get()
    old = read_templates(home.settings.read_list(before.templates))
    declared = declare(before, old, after)
    check_settings(declared)
    name = home.settings.put_list(write_templates(after))
    names = sorted(each.name for each in after)
    changed = msgspec.structs.replace(declared, version=before.version + 1, templates=name)
    if msgspec.structs.replace(changed, version=before.version) == before:
        return Kept(before.version, names, changed=False)
    put_next(home, before, changed)
    if before.templates != name:
        home.settings.drop_list(before.templates)
        home.commit()
    forget(home.settings)
    _await(home, changed.version)
    return Kept(changed.version, names, changed=True)


def _await(home: Home, version: int) -> None:
    """Wait until settings are read as they were put: what comes next must know the templates.

    DynamoDB tells older ones for a moment, and the list that those name is gone.
    """
    for _ in range(LOOKS):
        if home.settings.get().version >= version:
            return
        time.sleep(BETWEEN)
    raise TransientError("the settings that were just stored cannot be read yet; try again")
