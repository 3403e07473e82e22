"""The command `gossamer run`: crawl, index, rank and serve the search page."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from gossamer import homes
from gossamer.entrypoints.cli import job_flags
from gossamer.entrypoints.cli.command import DONE, FAILED, print_result, progress, settings_of
from gossamer.entrypoints.cli.crawl import config_of, crawl_job, exit_code
from gossamer.entrypoints.cli.rank import rank_home, to_report
from gossamer.entrypoints.cli.serve import add_port
from gossamer.entrypoints.lambdas.rank import Weighing
from gossamer.entrypoints.local import session
from gossamer.entrypoints.local.listening import SEARCH_PORT, port_to_listen
from gossamer.entrypoints.local.report import counted, summary

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from gossamer.entrypoints.local.report import Report
    from gossamer.settings import Settings

DESCRIPTION = """\
All in one: crawl, and serve the search page until Ctrl-C. The page is there from the beginning,
shows how the crawl goes, and finds pages seconds after they were fetched.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What a crawl takes, and where the page is served."""
    parser.description = DESCRIPTION
    job_flags.add_crawl_flags(parser)
    add_port(parser)
    parser.add_argument("--no-serve", action="store_true", help="end when all is indexed")


def run(args: argparse.Namespace) -> int:
    """Crawl, index and rank, with the search page served from the first moment."""
    config_of(args)  # report mistakes before anything is written
    settings, port = settings_of(args), 0
    if not args.no_serve:
        port = port_to_listen(args.port, SEARCH_PORT, "the search page")
    homes.open_home(settings).close()
    server = None if args.no_serve else _start_server(settings, port)
    try:
        result = _crawl_and_rank(args, settings)
        if _has_pages(result) and server is not None:
            return _serve_on(server, port)
        return exit_code(result)
    finally:
        if server is not None:
            server.terminate()
            server.wait()


def _serve_on(server: subprocess.Popen[bytes], port: int) -> int:
    """Wait for the end of the server, which is Ctrl-C unless it has ended by itself."""
    if server.poll() is None:
        print(f"\nSearch at http://127.0.0.1:{port}/ (Ctrl-C ends it)", flush=True)
    try:
        code = server.wait()
    except KeyboardInterrupt:
        return DONE
    if code > 0:
        print("gossamer: the search page ended; `gossamer serve` starts it again", file=sys.stderr)
    return FAILED if code > 0 else DONE


def _crawl_and_rank(args: argparse.Namespace, settings: Settings) -> Report:
    result = crawl_job(args, index=True, ranks=True)
    print_result(args, result, summary(result))
    if _has_pages(result):
        _rank(settings, progress(args))
    return result


def _has_pages(result: Report) -> bool:
    """Whether there is something to rank and serve: not if it failed or was interrupted."""
    return result.state != "interrupted" and not result.failed_seeds


def _start_server(settings: Settings, port: int) -> subprocess.Popen[bytes]:
    """The server is a process of its own: a crawl's parsers are forked, and threads forbid that."""
    command = [sys.executable, "-m", "gossamer.entrypoints.cli.main", "serve", "--while-stdin"]
    where = ["--data", settings.data, "--collection", settings.collection, "--port", str(port)]
    # Its input ends with this process: a killed one leaves no server that holds the port.
    return subprocess.Popen([*command, *where], stdin=subprocess.PIPE)  # noqa: S603 our own program


def _rank(settings: Settings, show: Callable[[str], None]) -> None:
    with session.locked(settings, "rank") as home:
        ranked = rank_home(home, settings, Weighing(), show)
        documents = home.index.manifest().live
        show("")
    print(f"\n{counted(documents, 'document')} can be searched.")
    print(to_report(ranked))
