"""`gossamer template import` and `export`: templates of other programs, and for them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from gossamer.core.errors import ConfigurationError, Unending
from gossamer.core.page.templates.exchange.crawl4ai import to_schema
from gossamer.core.page.templates.exchange.reading import MAX_BYTES, read_foreign
from gossamer.core.page.templates.template import to_toml
from gossamer.entrypoints.cli.command import cause
from gossamer.entrypoints.cli.templates.bounded import within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.page.templates.exchange.imported import Imported
    from gossamer.core.page.templates.template import Template


SECONDS = 10.0


class Brought(msgspec.Struct, frozen=True, kw_only=True):
    """What a file of another program became."""

    templates: dict[str, str]  # their files' texts, by name
    notes: list[str]  # what was left out, or should be looked at


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """A template as a schema of crawl4ai."""

    schema: dict[str, Any]
    notes: list[str]


def bring(file: str, match: Sequence[str]) -> Brought:
    """Templates from a file of another program."""
    try:
        with Path(file).open(encoding="utf-8") as opened:
            text = opened.read(MAX_BYTES + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"cannot read {file}: {cause(error)}") from error
    found: Imported = _read(text, file, list(match))
    return Brought(
        templates={template.name: to_toml(template) for template in found.templates},
        notes=found.notes,
    )


def _read(text: str, file: str, match: list[str]) -> Imported:
    """What a file says, if reading that ends: a name of YAML may stand for what has no end."""
    try:
        return within(SECONDS, lambda: read_foreign(text, file, match))
    except Unending:
        raise Unending(f"{file}: reading it takes too long, or too much memory") from None


def write(brought: Brought, folder: str) -> list[str]:
    """Write each template as NAME.toml, and none over another; returns the files."""
    files = [Path(folder) / f"{name}.toml" for name in brought.templates]
    for file in files:
        if file.exists():
            raise ConfigurationError(f"{file} is there already; choose another folder")
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for file, text in zip(files, brought.templates.values(), strict=True):
            file.write_text(text, "utf-8")
    except OSError as error:
        raise ConfigurationError(f"cannot write to {folder}: {cause(error)}") from error
    return [str(file) for file in files]


def take(template: Template) -> Taken:
    """A template for crawl4ai."""
    schema, notes = to_schema(template)
    return Taken(schema=schema, notes=notes)


def as_files(brought: Brought) -> str:
    """Templates one after the other, each with its name above; notes as comments."""
    notes = [f"# note: {note}" for note in brought.notes]
    texts = [f"# {name}.toml\n{text}" for name, text in brought.templates.items()]
    return "\n".join([*notes, *texts]).rstrip()


def as_schema(taken: Taken) -> str:
    """A schema as crawl4ai reads it."""
    return msgspec.json.format(msgspec.json.encode(taken.schema), indent=2).decode()
