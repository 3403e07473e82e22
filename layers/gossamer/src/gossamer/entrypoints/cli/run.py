"""The command `gossamer run`: crawl, index, rank and serve the search page."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING

from gossamer import homes
from gossamer.entrypoints.cli import job_flags
from gossamer.entrypoints.cli.command import DONE, print_result, settings_of
from gossamer.entrypoints.cli.crawl import crawl_job
from gossamer.entrypoints.cli.rank import rank_home, to_report
from gossamer.entrypoints.lambdas.rank import Weighing
from gossamer.entrypoints.local import session
from gossamer.entrypoints.local.index_workers import index_all
from gossamer.entrypoints.local.report import summary

if TYPE_CHECKING:
    import argparse

    from gossamer.settings import Settings

DESCRIPTION = """\
All in one: crawl, index what was crawled, and serve the search page until Ctrl-C. The page is there
from the beginning and shows how the crawl goes.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What a crawl takes, and where the page is served."""
    parser.description = DESCRIPTION
    job_flags.add_crawl_flags(parser)
    parser.add_argument("--port", type=int, default=8080, metavar="N", help="of the search page")
    parser.add_argument("--no-serve", action="store_true", help="end when all is indexed")


def run(args: argparse.Namespace) -> int:
    """Crawl, index and rank, with the search page served from the first moment."""
    job_flags.job_config(args)  # report mistakes before anything is written
    settings = settings_of(args)
    homes.open_home(settings).close()
    server = None if args.no_serve else _start_server(settings, args.port)
    try:
        if _crawl_and_index(args, settings) and server is not None and server.poll() is None:
            print(f"\nSearch at http://127.0.0.1:{args.port}/ (Ctrl-C ends it)", flush=True)
            server.wait()
    except KeyboardInterrupt:
        pass
    finally:
        if server is not None:
            server.terminate()
            server.wait()
    return DONE


def _crawl_and_index(args: argparse.Namespace, settings: Settings) -> bool:
    """Returns False if the crawl was interrupted."""
    result = crawl_job(args)
    print_result(args, result, summary(result))
    if result.state == "interrupted":
        return False
    _index_all(settings)
    return True


def _start_server(settings: Settings, port: int) -> subprocess.Popen[bytes]:
    """The server is a process of its own: a crawl's parsers are forked, and threads forbid that."""
    command = [sys.executable, "-m", "gossamer.entrypoints.cli.main", "serve"]
    where = ["--data", settings.data, "--collection", settings.collection, "--port", str(port)]
    return subprocess.Popen([*command, *where])  # noqa: S603 our own program


def _index_all(settings: Settings) -> None:
    with session.locked(settings, "index") as home:
        began = time.perf_counter()
        count = index_all(home, settings)
        seconds = time.perf_counter() - began
        documents = home.index.manifest().live
        ranked = rank_home(home, settings, Weighing())
    print(f"\n{count:,} documents indexed in {seconds:.1f} s; {documents:,} can be searched.")
    print(to_report(ranked))
