"""What differs between two settings of a collection, and what of it needs a new index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gossamer.core.collection import DECLARED, CollectionSettings
from gossamer.core.settings_file import Table, dotted, to_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    Path = tuple[str, ...]


class SettingChange(msgspec.Struct, frozen=True):
    """A setting, its values before and after, and when the new one has effect."""

    name: str  # with dots, as in a file
    before: Any  # null: it was not there
    after: Any  # null: it is not there any more
    needs_reindex: bool  # else it has effect from the next query on


def needs_indexing(before: CollectionSettings, after: CollectionSettings) -> bool:
    """Whether a change has effect only on documents that are indexed again."""
    return (before.analyzer, before.schema.digest({})) != (after.analyzer, after.schema.digest({}))


def changes_between(before: CollectionSettings, after: CollectionSettings) -> list[SettingChange]:
    """Every setting that differs, each by itself."""
    old, new = dict(_flat(to_tables(before), ())), dict(_flat(to_tables(after), ()))
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    return [
        SettingChange(
            dotted(name),
            old.get(name),
            new.get(name),
            needs_indexing(before, _with(before, name, new.get(name))),
        )
        for name in names
    ]


def _flat(table: Table, path: Path) -> Iterator[tuple[Path, object]]:
    """All settings by their names; what a collection names itself is one each."""
    for key, value in table.items():
        name = (*path, key)
        if isinstance(value, dict) and not {*path} & {*DECLARED}:
            yield from _flat(value, name)
        else:
            yield name, value


def _with(settings: CollectionSettings, name: Path, value: object) -> CollectionSettings:
    """Settings with one replaced, or taken away."""
    content = to_tables(settings)
    inner = content
    for part in name[:-1]:
        inner = inner.setdefault(part, {})  # type: ignore[assignment]
    inner.pop(name[-1], None)
    if value is not None:
        inner[name[-1]] = value
    return msgspec.convert(content, CollectionSettings)
