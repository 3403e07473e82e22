"""The command `gossamer settings`: show or replace the settings of a collection."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gossamer import homes
from gossamer.core.errors import ConfigurationError
from gossamer.core.settings_file import read_settings, to_toml
from gossamer.entrypoints.cli.command import DONE, cause, print_result, settings_of
from gossamer.entrypoints.collection import settings as collection
from gossamer.entrypoints.local import session

if TYPE_CHECKING:
    import argparse

    from gossamer.core.collection import CollectionSettings
    from gossamer.core.settings_changes import SettingChange
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
  gossamer settings --preview collection.toml   say what that would change
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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A file to store."""
    parser.description, parser.epilog = DESCRIPTION, EXAMPLES
    parser.add_argument("file", nargs="?", metavar="FILE", help="collection.toml, to be stored")
    parser.add_argument(
        "--preview", action="store_true", help="say what FILE would change, and store nothing"
    )


def run(args: argparse.Namespace) -> int:
    """Show or replace the settings on this machine."""
    if args.file is None:
        return _show(homes.open_home(settings_of(args), read_only=True), args)
    wanted = read_file(args.file)
    if args.preview:
        return _preview(homes.open_home(settings_of(args), read_only=True), wanted, args)
    with session.locked(settings_of(args), "settings", create=True) as home:
        return _store(home, wanted, args)


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Show or replace the settings of a collection in a stack."""
    if args.file is None:
        return _show(stack.home, args)
    make = _preview if args.preview else _store
    return make(stack.home, read_file(args.file), args)


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
    done = collection.store(home, wanted)
    print_result(args, done, f"stored as version {done.version}{collection.advice(done)}")
    return DONE


def _preview(home: Home, wanted: CollectionSettings, args: argparse.Namespace) -> int:
    found = collection.preview(home, wanted)
    lines = [_line(change) for change in found.changes] or ["nothing would change"]
    print_result(args, found, "\n".join(lines) + collection.advice(found))
    return DONE


def _line(change: SettingChange) -> str:
    """A change as people read it."""
    when = "after `gossamer reindex`" if change.needs_reindex else "at once"
    values = " → ".join(
        "nothing" if value is None else msgspec.json.encode(value).decode()
        for value in (change.before, change.after)
    )
    return f"{change.name}: {values}, {when}"
