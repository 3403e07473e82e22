"""The program `gossamer`: the list of its commands, and how one is chosen and run.

Exit codes: 0 done, 1 failed, 2 wrong usage. A command is a line in COMMANDS and a module with
`add_arguments(parser)`, `run(args)` and, if it works on a deployed stack,
`run_on_stack(args, stack)`.
"""

from __future__ import annotations

import argparse
import difflib
import logging
import os
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

import msgspec

from gossamer import __version__
from gossamer.core.errors import ConfigurationError, GossamerError, StoreDamaged
from gossamer.entrypoints.cli.command import DONE, FAILED, INTERRUPTED, WRONG_USAGE, settings_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.entrypoints.cli.stack.home import Stack

INTRODUCTION = """\
Gossamer crawls politely, keeps every page as WARC, and can explain what happened to every URL.

  gossamer demo                                  try it on a small site that comes with it
  gossamer run https://example.org/              crawl, index and open the search page
  gossamer crawl https://example.org/            only crawl; run it again to resume
  gossamer stats                                 counts and states so far
  gossamer explain-url https://example.org/a     why is this page there, or not?
  gossamer export --what edges --format csv      who links to whom
  gossamer index && gossamer search spider silk  find it again
  gossamer rank                                  compute PageRank
  gossamer serve                                 the search page
  gossamer audit                                 check from the WARC that the crawl was polite
  gossamer --stack gossamer-dev crawl URL        seed a crawl in AWS
  gossamer --stack gossamer-dev stats            what it has done so far
"""
BEFORE = ("--stack", "--version", "--help", "-h")  # the flags that may stand before the command
NEAR = 0.7  # how much a flag must be like another to be a guess at it
STACK = "the CloudFormation stack to work on, instead of this machine"


class Command(NamedTuple):
    """A command: its line in the list of commands, and the module that does it."""

    name: str
    help: str
    module: str
    not_on_stack: str = ""  # what to do instead; "" = it works on a stack
    only_on_stack: str = ""  # why it needs one; "" = it works on this machine
    words: str = ""  # the argument that takes all words, also behind flags
    minus: bool = False  # a word may begin with one


class CommandModule(Protocol):
    """What the module of a command has; those that work on no stack lack `run_on_stack`."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Describe the command's arguments."""

    def run(self, args: argparse.Namespace) -> int:
        """Run the command on this machine; returns the exit code."""

    def run_on_stack(self, args: argparse.Namespace, stack: Stack) -> int:
        """Run the command on a deployed stack; returns the exit code."""


COMMANDS = {
    command.name: command
    for command in (
        Command("crawl", "crawl sites, or resume a crawl", "crawl", words="seeds"),
        Command(
            "run", "crawl, index, rank and serve the search page", "run", words="seeds",
            not_on_stack="seed it with `gossamer --stack NAME crawl`; it indexes and serves itself",
        ),
        Command(
            "demo", "try all of it on a small site that comes with the program", "demo",
            not_on_stack="it is for this machine; `gossamer --stack NAME crawl URL` crawls there",
        ),
        Command("stats", "print counts and states of the collection", "reports.stats"),
        Command("explain-url", "say what happened to a URL, and why", "explain_url"),
        Command("export", "write URLs, documents or edges as CSV, JSON lines or Parquet", "export"),
        Command("audit", "check from the WARC files that a crawl was polite", "reports.audit",
                words="files"),
        Command("recrawl", "fetch pages again that have probably changed", "recrawl"),
        Command(
            "index", "index what was crawled, or WARC and WACZ files", "indexing.index",
            words="sources",
            not_on_stack="its function INDEX indexes what is crawled",
        ),
        Command("reindex", "index everything anew from the stored documents", "indexing.reindex"),
        Command(
            "rebuild", "make a damaged database anew from the WARC files", "indexing.rebuild",
            not_on_stack="`gossamer --stack NAME restore` brings its tables back",
        ),
        Command(
            "compact", "merge the index into one part", "indexing.compact",
            not_on_stack="its function COMPACT does that by itself",
        ),
        Command(
            "inspect", "say what is in a segment of the index, or list them", "indexing.inspect",
            not_on_stack="copy a segment from the bucket and inspect the file",
        ),
        Command("settings", "show or replace the settings of the collection", "settings"),
        Command(
            "synonyms", "show, replace or import the synonyms of the collection", "synonyms",
            words="what",
        ),
        Command(
            "template", "turn pages into documents with typed values, by templates",
            "templates.command", words="what",
        ),
        Command(
            "tune", "preview what other settings make of a query's results", "reports.tune",
            words="query", minus=True,
        ),
        Command("queries", "print what people ask, and what they do not find", "reports.queries"),
        Command("rank", "compute PageRank, and index anchor texts", "rank"),
        Command("search", "search the collection", "search", words="query", minus=True),
        Command("suggest", "complete what was typed so far", "suggest", words="query", minus=True),
        Command(
            "eval", "measure relevance on judged collections", "reports.evaluate", words="folders",
            not_on_stack="relevance is measured on this machine",
        ),
        Command(
            "serve", "serve the search page and the API", "serve",
            not_on_stack="it serves by itself; `gossamer stats` shows where",
        ),
        Command("mcp", "let language models search and read (Model Context Protocol)", "mcp"),
        Command(
            "completion", "print what makes a shell complete these commands", "completion",
            not_on_stack="it is about the shell on this machine",
        ),
        Command("pause", "pause a running crawl", "control"),
        Command("resume", "resume a paused crawl", "control"),
        Command("stop", "end a crawl; waiting URLs are excluded as stopped", "control"),
        Command(
            "push", "copy a collection to a stack (--stack)", "stack.transfer",
            only_on_stack="that is where the collection is copied to",
        ),
        Command(
            "pull", "copy a collection from a stack (--stack)", "stack.transfer",
            only_on_stack="that is where the collection is copied from",
        ),
        Command(
            "cost", "print what a crawl in AWS has cost (--stack)", "stack.cost",
            only_on_stack="a crawl on this machine has no bill",
        ),
        Command(
            "bulk", "rank, recrawl or reindex a large stack on Spark (--stack)", "stack.bulk",
            only_on_stack="on this machine `gossamer rank`, `recrawl` and `reindex` do it",
        ),
        Command(
            "redrive", "send the dead letters of a stack again (--stack)", "stack.redrive",
            only_on_stack="only a stack keeps dead letters to send them again",
        ),
        Command(
            "restore", "bring a collection of a stack back to how it was (--stack)",
            "stack.restore",
            only_on_stack="on this machine `gossamer rebuild` makes a database anew",
        ),
        Command(
            "purge", "delete a collection of a stack for ever (--stack)", "stack.purge",
            only_on_stack="on this machine a collection is its files in the data folder",
        ),
    )
}  # fmt: skip


class CommandParser(argparse.ArgumentParser):
    """The parser of one command, which asks its module for arguments when the command is used."""

    command: Command

    def parse_known_args(  # type: ignore[override] # argparse calls it with these two
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse the arguments of the command."""
        self.ask_module()
        given = list(args or ())
        if self.command.minus:
            given = _minus_as_text(given)
        found, rest = super().parse_known_args(given, namespace)
        if self.command.words:
            flag = "--" if self.command.minus else "-"
            words = [word for word in rest if not word.startswith(flag)]
            getattr(found, self.command.words).extend(words)
            rest = [word for word in rest if word.startswith(flag)]
        self._refuse_flags(rest)
        return found, rest

    def _refuse_flags(self, rest: Sequence[str]) -> None:
        """End at the first flag that does not exist, with a guess at what was meant."""
        for flag in (word.partition("=")[0] for word in rest if word.startswith("--")):
            near = difflib.get_close_matches(flag, self._option_string_actions, 1, NEAR)
            hint = f"did you mean {near[0]}?" if near else f"`{self.prog} --help` lists all"
            self.exit(WRONG_USAGE, f"gossamer: `{self.prog}` has no flag {flag}; {hint}\n")

    def ask_module(self) -> None:
        """Add the arguments of the command."""
        self.formatter_class = argparse.RawDescriptionHelpFormatter
        self.description = f"{self.command.help[0].upper()}{self.command.help[1:]}."
        self.set_defaults(command=self.command)
        self._add_common()
        module_of(self.command).add_arguments(self)

    def _add_common(self) -> None:
        self.add_argument(
            "--stack", metavar="NAME", default=argparse.SUPPRESS,  # keep one before the command
            help=argparse.SUPPRESS if self.command.not_on_stack else STACK,
        )  # fmt: skip
        self.add_argument("--data", metavar="DIR", help="where everything is kept (default: data)")
        self.add_argument("--collection", metavar="NAME", help="which collection (default: web)")
        self.add_argument("--json", action="store_true", help="print one JSON object")


def _minus_as_text(given: Sequence[str]) -> list[str]:
    """Arguments where a word may begin with a minus: flags have two, except -h."""
    end = given.index("--") if "--" in given else len(given)
    words = [f" {word}" if _has_minus(word) else word for word in given[:end]]
    return [*words, *given[end:]]


def _has_minus(word: str) -> bool:
    return word.startswith("-") and not word.startswith("--") and word not in ("-", "-h")


def parser() -> argparse.ArgumentParser:
    """The whole command line. No command's module is imported yet: some need half a second."""
    top = argparse.ArgumentParser(
        prog="gossamer",
        description=INTRODUCTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"gossamer {__version__}")
    top.add_argument("--stack", metavar="NAME", help=STACK)
    commands = top.add_subparsers(
        title="commands", metavar="COMMAND", required=True, parser_class=CommandParser
    )
    for command in COMMANDS.values():
        commands.add_parser(command.name, help=command.help).command = command
    return top


def parser_of(command: Command) -> CommandParser:
    """The parser of one command with all its arguments, for what is written from them."""
    made = CommandParser(prog=f"gossamer {command.name}")
    made.command = command
    made.ask_module()
    return made


def module_of(command: Command) -> CommandModule:
    """The module of a command."""
    return cast("CommandModule", import_module(f"gossamer.entrypoints.cli.{command.module}"))


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    _accept_all_characters()
    given = list(sys.argv[1:] if argv is None else argv)
    if not given:
        parser().print_help()
        return DONE
    if mistyped := _mistyped(given):
        return _complain(mistyped, WRONG_USAGE)
    args = parser().parse_args(given)
    try:
        code = _run(args) if args.stack is None else _run_on_stack(args)
        sys.stdout.flush()  # while a reader that has gone can still be told from a failure
        return code
    except (ConfigurationError, StoreDamaged) as error:
        return _complain(str(error), WRONG_USAGE)
    except msgspec.DecodeError as error:  # bytes that SQLite returned are not what was stored
        return _complain(str(StoreDamaged(settings_of(args).database, error)), WRONG_USAGE)
    except GossamerError as error:
        return _complain(str(error), FAILED)
    except BrokenPipeError:  # `gossamer export | head` is no failure
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        return _complain("interrupted; run the same command again to resume", INTERRUPTED)


def _accept_all_characters() -> None:
    """A terminal that lacks a character of a page shows another one in its place."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def _mistyped(given: Sequence[str]) -> str:
    """What to say to a command that does not exist; empty if it does, or a flag is meant."""
    rest = list(given)
    while rest and rest[0].startswith("-"):
        if not any(name.startswith(rest[0].partition("=")[0]) for name in BEFORE):
            command = next((word for word in rest if word in COMMANDS), "COMMAND")
            return f"flags stand behind the command: `gossamer {command} {rest[0]} …`"
        rest = rest[2:] if rest[0] == "--stack" else rest[1:]
    if not rest or rest[0] in COMMANDS:
        return ""
    near = difflib.get_close_matches(rest[0], COMMANDS, n=1)
    hint = f"did you mean `gossamer {near[0]}`?" if near else "`gossamer --help` lists all"
    return f"there is no command {rest[0]!r}; {hint}"


def _run(args: argparse.Namespace) -> int:
    command: Command = args.command
    if command.only_on_stack:
        raise ConfigurationError(
            f"`gossamer {command.name}` needs --stack NAME: {command.only_on_stack}"
        )
    return module_of(command).run(args)


def _run_on_stack(args: argparse.Namespace) -> int:
    from gossamer.entrypoints.cli.stack.home import open_stack  # boto3, which only stacks need

    command: Command = args.command
    if command.not_on_stack:
        raise ConfigurationError(
            f"`gossamer {command.name}` does not work on a stack: {command.not_on_stack}"
        )
    stack = open_stack(args.stack, args.collection)
    try:
        return module_of(command).run_on_stack(args, stack)
    finally:
        stack.home.close()


def _complain(text: str, code: int) -> int:
    for line in text.splitlines():
        print(f"gossamer: {line}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
