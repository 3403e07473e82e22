"""Templates from files into a collection, and out of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.core.collection import CollectionSettings, check_settings
from gossamer.core.errors import ConfigurationError
from gossamer.core.page.templates.collected import (
    declare,
    read_templates,
    with_template,
)
from gossamer.core.page.templates.template import MAX_BYTES, read_template
from gossamer.entrypoints.cli.command import cause
from gossamer.entrypoints.collection.templates import Kept, keep

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.core.page.templates.collected import Templates
    from gossamer.core.page.templates.template import Template
    from gossamer.ports.home import Home

FOLDER = "templates"  # beside a job file


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
