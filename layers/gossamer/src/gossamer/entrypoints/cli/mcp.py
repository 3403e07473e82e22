"""The command `gossamer mcp`: language models search and read the collection, over stdio."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from gossamer import homes
from gossamer.entrypoints.api.services import local_search, stack_search
from gossamer.entrypoints.cli.command import DONE, settings_of
from gossamer.entrypoints.mcp.stdio import converse
from gossamer.entrypoints.mcp.tools import Tools

if TYPE_CHECKING:
    import argparse

    from gossamer.entrypoints.api.services import HomeSearch
    from gossamer.entrypoints.cli.stack.home import Stack

DESCRIPTION = """\
Speaks the Model Context Protocol on standard input and output, for programs that give tools to
language models. They can search, read a document as markdown, ask what became of a URL, and list
collections; nothing is changed. `gossamer serve` offers the same over HTTP at /mcp.
"""
EXAMPLE = """\
In the settings of such a program:

  {"mcpServers": {"gossamer": {"command": "gossamer", "args": ["mcp", "--data", "/srv/gossamer"]}}}
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None of its own."""
    parser.description, parser.epilog = DESCRIPTION, EXAMPLE


def run(args: argparse.Namespace) -> int:
    """Answer from a collection of this machine until the input ends."""
    settings = settings_of(args)
    homes.open_home(settings, read_only=True).close()  # must exist
    return _serve(local_search(settings))


def run_on_stack(_args: argparse.Namespace, stack: Stack) -> int:
    """Answer from a stack until the input ends."""
    return _serve(stack_search(stack.home))


def _serve(service: HomeSearch) -> int:
    converse(sys.stdin.buffer, sys.stdout.buffer, Tools(lambda: service))
    return DONE
