"""The command `gossamer serve`: the search page and the API on this machine."""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import stat
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer import homes
from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.api.access import access_of
from gossamer.entrypoints.api.at_once import AtOnce
from gossamer.entrypoints.api.connections import MAX_CONNECTIONS
from gossamer.entrypoints.api.processes import Processes
from gossamer.entrypoints.api.remembered import Remembered
from gossamer.entrypoints.api.routes import make_app
from gossamer.entrypoints.api.server import serve
from gossamer.entrypoints.api.services import backend_of
from gossamer.entrypoints.api.threads import Threads
from gossamer.entrypoints.cli.command import DONE, settings_of
from gossamer.entrypoints.local.listening import SEARCH_PORT, port_to_listen

if TYPE_CHECKING:
    from gossamer.entrypoints.api.server import Repliers
    from gossamer.settings import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to listen, and how many processes answer."""
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on")
    add_port(parser)
    parser.add_argument(
        "--processes", type=int, default=0, metavar="N",
        help="that search, about 100 MB of memory each: 0 (default) is one per core and at least"
        " two, 1 is this one alone, where a slow query holds up all others",
    )  # fmt: skip
    parser.add_argument(
        "--allow-origin", action="append", default=[], metavar="ORIGIN",
        help="pages of this origin may read the API, as https://www.example.org; * for all."
        " Repeat it for more",
    )  # fmt: skip
    parser.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME",
        help="answer when asked by this name, as behind a reverse proxy; * for any. Its own"
        " address and localhost need not be named",
    )  # fmt: skip
    parser.add_argument(
        "--admin-key", metavar="FILE",
        help="a file with the key of those who may change settings, synonyms and templates over"
        " HTTP; without it nobody may",
    )  # fmt: skip
    parser.add_argument("--while-stdin", action="store_true", help=argparse.SUPPRESS)


def add_port(parser: argparse.ArgumentParser) -> None:
    """Where the search page is served."""
    parser.add_argument(
        "--port", type=int, metavar="N",
        help=f"of the search page (default: {SEARCH_PORT}, or the next one that is free)",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    settings = settings_of(args)
    settings = _with_key(settings, args.admin_key)
    access = access_of(
        [settings.allow_host, *args.allow_host], [settings.allow_origin, *args.allow_origin]
    )
    homes.require_open_files(MAX_CONNECTIONS, "`gossamer serve`")
    homes.open_home(settings, read_only=True).close()  # must exist
    repliers = _repliers(settings, args.processes)
    port = port_to_listen(args.port, SEARCH_PORT, "the search page", args.host)
    # 0 is left to the server: between our look and its start another may take what we found.
    port = 0 if args.port == 0 else port
    if args.while_stdin:
        threading.Thread(target=_end_with_stdin, daemon=True).start()
    try:
        serve(repliers, args.host, port, _announce, access)
    except OSError as error:
        raise ConfigurationError(f"cannot serve on port {port}: {error}") from error
    return DONE


def _with_key(settings: Settings, file: str | None) -> Settings:
    """Settings with the file of the admin key, which is read once to know that it can be."""
    if file and settings.home != "local":
        raise ConfigurationError("--admin-key is for this machine: a stack has a key of its own")
    settings = replace(settings, admin_secret=file or settings.admin_secret)
    if settings.admin_secret and settings.home == "local":
        homes.admin_key(settings)
        _warn_of_readers(settings.admin_secret)
    return settings


def _warn_of_readers(file: str) -> None:
    """Say so if every user of this machine can read or replace the admin key.

    Not refused: a container gets its secrets as such files.
    """
    if stat.S_IMODE(Path(file).stat().st_mode) & (stat.S_IROTH | stat.S_IWOTH):
        text = f"every user of this machine has access to the admin key in {file}"
        print(f"gossamer: {text}; `chmod o= {shlex.quote(file)}` ends that", file=sys.stderr)


def _end_with_stdin() -> None:
    """End this process when standard input ends: its parent is gone, also by a kill."""
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _repliers(settings: Settings, processes: int) -> Repliers:
    """A stack is asked from here by threads: its time goes into waiting."""
    if processes < 0:
        raise ConfigurationError(f"--processes {processes}: 0 is one per core, or how many")
    # Two on one core, too: while one is on a slow query, the other answers what is quick.
    count = processes or max(2, os.cpu_count() or 1)
    if count > 1 and settings.home == "local":
        children = Processes(settings, count)
        return AtOnce(Remembered(children, settings.database), children.check)
    backend = backend_of(settings)
    return AtOnce(Threads(make_app(backend)), backend.search)


def _announce(address: str) -> None:
    print(f"Search at {address} (Ctrl-C ends it)", file=sys.stderr, flush=True)
