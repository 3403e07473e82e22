"""The command `gossamer synonyms`: show or replace the list of synonyms of a collection."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gossamer import homes
from gossamer.core.errors import ConfigurationError
from gossamer.core.search.synonyms.imports import import_list
from gossamer.core.search.synonyms.rules import rule_lines
from gossamer.entrypoints.cli.command import DONE, cause, print_result, settings_of
from gossamer.entrypoints.collection.synonyms import store
from gossamer.entrypoints.local import session

if TYPE_CHECKING:
    import argparse

    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.ports.home import Home

IMPORT = "import"
DESCRIPTION = """\
Without a file, print the synonyms of the collection. With a file, replace them; an empty one
removes them. They apply to queries, so nothing is indexed anew. What a synonym counts is the
setting synonym_weight.
"""
EXAMPLES = """\
examples:
  gossamer synonyms > synonyms.txt                       edit it, then
  gossamer synonyms synonyms.txt                         store it
  gossamer synonyms import /usr/share/wordnet/data.noun > nouns.txt
  gossamer synonyms import /usr/share/mythes/th_en_US_v2.dat > thesaurus.txt

the format is that of Solr:
  car, automobile, motor car                             each finds the others
  tv => television                                       one way
  # a comment; a comma in a word is written \\,
"""


class SynonymList(msgspec.Struct, frozen=True):
    """The rules of a collection, and what a synonym counts."""

    weight: float
    rules: list[str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A file to store, or files to import."""
    parser.description, parser.epilog = DESCRIPTION, EXAMPLES
    parser.add_argument(
        "what", nargs="*", metavar="FILE",
        help=f"a list to be stored; or `{IMPORT}` and files of WordNet (data.*) or MyThes (*.dat),"
        " which are printed as a list",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Show or replace the synonyms on this machine."""
    if args.what[:1] == [IMPORT]:
        return _import(args.what[1:])
    if not args.what:
        return _show(homes.open_home(settings_of(args), read_only=True), args)
    text = _read(_only(args.what))
    with session.locked(settings_of(args), "synonyms", create=True) as home:
        return _store(home, text, args)


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Show or replace the synonyms of a collection in a stack."""
    if args.what[:1] == [IMPORT]:
        return _import(args.what[1:])
    if not args.what:
        return _show(stack.home, args)
    return _store(stack.home, _read(_only(args.what)), args)


def _only(files: list[str]) -> str:
    if len(files) > 1:
        raise ConfigurationError(
            "a collection has one list of synonyms; `cat` joins several files to one"
        )
    return files[0]


def _show(home: Home, args: argparse.Namespace) -> int:
    settings = home.settings.get()
    text = home.settings.read_list(settings.synonyms)
    print_result(args, SynonymList(settings.synonym_weight, rule_lines(text, "")), text.rstrip())
    return DONE


def _bytes(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise ConfigurationError(f"cannot read {name}: {cause(error)}") from error


def _read(name: str) -> str:
    """A list that was checked; "" if it has no rules."""
    try:
        text = _bytes(name).decode()
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{name}: not UTF-8: {error}") from error
    return text if rule_lines(text, name) else ""


def _store(home: Home, text: str, args: argparse.Namespace) -> int:
    done = store(home, text)
    rules = f"{done.rules:,} rule{'' if done.rules == 1 else 's'}"
    print_result(args, done, f"stored {rules} as version {done.version} of the settings")
    return DONE


def _import(files: list[str]) -> int:
    """Print files of others as a list; nothing is stored."""
    if not files:
        raise ConfigurationError(f"`gossamer synonyms {IMPORT}` needs a file of WordNet or MyThes")
    for name in files:
        for line in import_list(_bytes(name), name):
            sys.stdout.write(f"{line}\n")
    return DONE
