"""The templates of a collection, remembered between pages and renewed when they have changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple
from weakref import WeakKeyDictionary

from gossamer.core.errors import TransientError
from gossamer.core.page.templates.collected import read_templates

if TYPE_CHECKING:
    from gossamer.core.page.templates.collected import Templates
    from gossamer.ports.collection_settings import CollectionSettingsStore

RENEWED: Final = 60.0  # seconds: in the cloud that is a read of half a unit a minute


class _Known(NamedTuple):
    """Templates, the list and the settings that they are from, and when those were looked at."""

    templates: Templates
    name: str
    version: int
    at: float


_known: WeakKeyDictionary[CollectionSettingsStore, _Known] = WeakKeyDictionary()


def templates_of(store: CollectionSettingsStore, now: float) -> Templates:
    """The templates of a collection, at most a minute old; the same object while they are the same.

    What is given to a parser again and again is recognised by that.
    """
    known = _known.get(store)
    if known is not None and 0 <= now - known.at < RENEWED:
        return known.templates
    settings = store.get()
    name = settings.templates
    same = known is not None and known.name == name
    templates = known.templates if known and same else _read(store, name)
    _known[store] = _Known(templates, name, settings.version, now)
    return templates


def _read(store: CollectionSettingsStore, name: str) -> Templates:
    text = store.read_list(name)
    if name and not text:  # the name was read a moment before the list was replaced
        raise TransientError("the templates of this collection are being replaced; try again")
    return read_templates(text)


def require(store: CollectionSettingsStore, version: int, now: float) -> None:
    """Know the templates of settings at least as new as these.

    Raises TransientError while a store, which is read at half price, still tells older ones.
    """
    templates_of(store, now)
    if _known[store].version < version:
        forget(store)
        templates_of(store, now)
    if _known[store].version < version:
        forget(store)
        raise TransientError(f"settings {version} of this collection cannot be read yet")


def forget(store: CollectionSettingsStore) -> None:
    """Read the templates again at the next page."""
    _known.pop(store, None)
