"""The command `gossamer serve`: the search page and the API on this machine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from gossamer import homes
from gossamer.entrypoints.api.routes import make_app
from gossamer.entrypoints.api.server import serve
from gossamer.entrypoints.api.services import backend_of
from gossamer.entrypoints.cli.command import DONE, FAILED, settings_of

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to listen."""
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on")
    parser.add_argument("--port", type=int, default=8080, metavar="N")


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    settings = settings_of(args)
    homes.open_home(settings, read_only=True).close()  # must exist
    try:
        serve(make_app(backend_of(settings)), args.host, args.port, _announce)
    except OSError as error:
        print(f"gossamer: cannot serve on port {args.port}: {error}", file=sys.stderr)
        return FAILED
    return DONE


def _announce(address: str) -> None:
    print(f"Search at {address} (Ctrl-C ends it)", file=sys.stderr, flush=True)
