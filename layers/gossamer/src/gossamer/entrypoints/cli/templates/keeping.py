"""Templates from files into a collection, and out of it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gossamer.bolts.templates import forget
from gossamer.core.collection import CollectionSettings, check_settings
from gossamer.core.errors import ConfigurationError, TransientError
from gossamer.core.page.templates.collected import (
    declare,
    read_templates,
    with_template,
    write_templates,
)
from gossamer.core.page.templates.template import MAX_BYTES, read_template
from gossamer.entrypoints.cli.command import cause
from gossamer.entrypoints.collection.settings import put_next

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.core.page.templates.collected import Templates
    from gossamer.core.page.templates.template import Template
    from gossamer.ports.home import Home

FOLDER = "templates"  # beside a job file
LOOKS, BETWEEN = 20, 0.25  # seconds, of settings that were just stored


class Kept(msgspec.Struct, frozen=True):
    """The templates of a collection after a change, and the version of its settings."""

    version: int
    templates: list[str]
    changed: bool


def templates_in(home: Home) -> Templates:
    """The templates that a collection has."""
    return read_templates(home.settings.read_list(home.settings.get().templates))


def template_in(home: Home, name: str) -> Template:
    """A template by its name, or a ConfigurationError that names those that there are."""
    known = {each.name: each for each in templates_in(home)}
    if name not in known:
        names = ", ".join(known) or "none"
        raise ConfigurationError(f"there is no template {name!r} here; templates: {names}")
    return known[name]


def read_file(name: str) -> Template:
    """The template in a file."""
    try:
        with Path(name).open(encoding="utf-8") as file:
            return read_template(file.read(MAX_BYTES + 1), name)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"cannot read {name}: {cause(error)}") from error


def files_beside(config: str | None) -> list[str]:
    """The templates that lie beside a job file."""
    folder = Path(config).parent / FOLDER if config else None
    return sorted(map(str, folder.glob("*.toml"))) if folder and folder.is_dir() else []


def add(home: Home, files: Iterable[str]) -> Kept:
    """Keep the templates of some files in a collection, in place of those of the same names."""
    after = templates_in(home)
    for template in map(read_file, files):
        after = with_template(after, template)
    return keep(home, after)


def remove(home: Home, name: str) -> Kept:
    """Keep a collection's templates but for one."""
    gone = template_in(home, name)
    return keep(home, tuple(each for each in templates_in(home) if each.name != gone.name))


def check(home: Home | None, template: Template) -> None:
    """Raise ConfigurationError for a template that the collection would refuse."""
    settings = home.settings.get() if home is not None else CollectionSettings()
    known = templates_in(home) if home is not None else ()
    check_settings(declare(settings, known, with_template(known, template)))


def keep(home: Home, after: Templates) -> Kept:
    """Keep templates and declare in the schema what they need."""
    before = home.settings.get()
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
