"""The command `gossamer suggest`: completions of what was typed, as the search box shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer import homes
from gossamer.core.errors import ConfigurationError
from gossamer.core.urls import readable
from gossamer.entrypoints.cli.command import DONE, print_result, settings_of
from gossamer.entrypoints.local.terminal import harmless

if TYPE_CHECKING:
    import argparse

    from gossamer.core.search.result import SuggestResponse
    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.ports.home import Home

MOST = 100
DESCRIPTION = """\
Titles, names, headings, frequent phrases and values of fields in which a word begins so. If there
are none, one letter may be wrong.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What was typed, and how many completions."""
    parser.description = DESCRIPTION
    parser.add_argument("query", nargs="+", metavar="TEXT", help="what was typed so far")
    parser.add_argument("--limit", type=int, default=8, metavar="N", help="completions at most")


def run(args: argparse.Namespace) -> int:
    """Print completions from this machine."""
    return _suggest(homes.open_home(settings_of(args), read_only=True), args)


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Print completions from a stack."""
    return _suggest(stack.home, args)


def _suggest(home: Home, args: argparse.Namespace) -> int:
    if not 1 <= args.limit <= MOST:
        raise ConfigurationError(f"--limit goes from 1 to {MOST}")
    found = homes.searcher(home).suggest(" ".join(args.query), args.limit)
    print_result(args, found, _listing(found))
    return DONE


def _listing(found: SuggestResponse) -> str:
    """A line per completion: the text, what it is, and where it leads."""
    texts = [harmless(each.text) for each in found.suggestions]
    width = max(map(len, texts), default=0)
    lines = [
        f"{text:{width}}  {harmless(each.kind)}  {harmless(readable(each.url))}".rstrip()
        for text, each in zip(texts, found.suggestions, strict=True)
    ]
    return "\n".join(lines) or "nothing begins so"
