"""The command `gossamer serve`: the search page and the API on this machine."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from gossamer import homes
from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.api.processes import Processes
from gossamer.entrypoints.api.routes import make_app
from gossamer.entrypoints.api.server import serve
from gossamer.entrypoints.api.services import backend_of
from gossamer.entrypoints.api.threads import Threads
from gossamer.entrypoints.cli.command import DONE, FAILED, settings_of

if TYPE_CHECKING:
    import argparse

    from gossamer.entrypoints.api.server import Repliers
    from gossamer.settings import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to listen, and how many processes answer."""
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on")
    parser.add_argument("--port", type=int, default=8080, metavar="N")
    parser.add_argument(
        "--processes", type=int, default=0, metavar="N",
        help="that search, about 100 MB of memory each: 0 (default) is one per core, 1 is this one"
        " alone, where a slow query holds up all others",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    settings = settings_of(args)
    homes.open_home(settings, read_only=True).close()  # must exist
    try:
        serve(_repliers(settings, args.processes), args.host, args.port, _announce)
    except OSError as error:
        print(f"gossamer: cannot serve on port {args.port}: {error}", file=sys.stderr)
        return FAILED
    return DONE


def _repliers(settings: Settings, processes: int) -> Repliers:
    """A stack is asked from here by threads: its time goes into waiting."""
    if processes < 0:
        raise ConfigurationError(f"--processes {processes}: 0 is one per core, or how many")
    count = processes or os.cpu_count() or 1
    if count > 1 and settings.home == "local":
        return Processes(settings, count)
    return Threads(make_app(backend_of(settings)))


def _announce(address: str) -> None:
    print(f"Search at {address} (Ctrl-C ends it)", file=sys.stderr, flush=True)
