"""The command `gossamer settings`: show or replace the settings of a collection."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gossamer import homes
from gossamer.bolts.index import made_otherwise
from gossamer.core.errors import ConfigurationError
from gossamer.core.page.templates.collected import declare, read_templates
from gossamer.core.settings_file import kept_of, read_settings, to_toml
from gossamer.entrypoints.cli.command import DONE, cause, print_result, settings_of
from gossamer.entrypoints.local import session

if TYPE_CHECKING:
    import argparse

    from gossamer.core.collection import CollectionSettings
    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.ports.home import Home

DESCRIPTION = """\
Without a file, print the settings of the collection: how its texts are analysed, weighed and
ranked, and which columns and text fields its documents have beyond those of every page. With a
file, replace them; what the file does not name has its default.
"""

EXAMPLES = """\
examples:
  gossamer settings > collection.toml       edit it, then
  gossamer settings collection.toml         store it; says whether to run `gossamer reindex`

Columns are filtered, counted and sorted by (price:10..50, --facets brand, --sort=-price), text
fields are searched for words (silk, summary:silk). Both are values that documents have by name:
  [columns.brand]
  type = "keyword"                          or keywords, number, date, bool, money
  facet = true
  [columns.price]
  type = "money"
  sort = true
  [fields.summary]
  weight = 2.0
"""


class Stored(msgspec.Struct, frozen=True):
    """What was stored, and how many documents were indexed by other settings."""

    version: int
    outdated: int
    documents: int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A file to store."""
    parser.description, parser.epilog = DESCRIPTION, EXAMPLES
    parser.add_argument("file", nargs="?", metavar="FILE", help="collection.toml, to be stored")


def run(args: argparse.Namespace) -> int:
    """Show or replace the settings on this machine."""
    if args.file is None:
        return _show(homes.open_home(settings_of(args), read_only=True), args)
    wanted = read_file(args.file)
    with session.locked(settings_of(args), "settings", create=True) as home:
        return _store(home, wanted, args)


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Show or replace the settings of a collection in a stack."""
    if args.file is None:
        return _show(stack.home, args)
    return _store(stack.home, read_file(args.file), args)


def _show(home: Home, args: argparse.Namespace) -> int:
    settings = home.settings.get()
    print_result(args, settings, to_toml(settings))
    return DONE


def read_file(name: str) -> CollectionSettings:
    """The settings in a file."""
    try:
        return read_settings(Path(name).read_text(encoding="utf-8"), name)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"cannot read {name}: {cause(error)}") from error


def _store(home: Home, wanted: CollectionSettings, args: argparse.Namespace) -> int:
    done = store(home, wanted)
    print_result(args, done, f"stored as version {done.version}{advice(done)}")
    return DONE


def store(home: Home, wanted: CollectionSettings) -> Stored:
    """Replace the settings of a collection."""
    before = home.settings.get()
    version = before.version + 1
    templates = read_templates(home.settings.read_list(before.templates))
    declared = declare(kept_of(before, wanted), templates, templates)
    changed = msgspec.structs.replace(declared, version=version)
    if not home.settings.put(changed):
        raise ConfigurationError("the settings were changed meanwhile; run the same command again")
    home.commit()
    return Stored(version, made_otherwise(home), home.index.manifest().live)


def advice(done: Stored) -> str:
    """What is left to do, for people."""
    if not done.outdated:
        return ""
    return (
        f"; {done.outdated:,} of {done.documents:,} documents were indexed by other settings:"
        " `gossamer reindex` indexes them anew, and the old index answers meanwhile"
    )
