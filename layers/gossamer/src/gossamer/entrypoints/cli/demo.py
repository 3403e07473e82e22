"""The command `gossamer demo`: crawl a small site of our own, and serve the search page."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.entrypoints.cli.command import settings_of
from gossamer.entrypoints.cli.serve import add_port
from gossamer.entrypoints.demo.site import JOB, PORT, serve_demo
from gossamer.entrypoints.local.listening import port_to_listen

if TYPE_CHECKING:
    import argparse

DESCRIPTION = """\
Try everything without a site of your own: serve the Gossamer Almanac, about sixty pages that come
with the program, on this machine, then crawl, index, rank and search it as `gossamer run` does.
The site has the problems of real ones: redirects, a duplicate, a dead link, an endless calendar.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the site and the search page are served."""
    parser.description = DESCRIPTION
    add_port(parser)
    parser.add_argument(
        "--site-port", type=int, metavar="N",
        help=f"of the demo site (default: {PORT}, or the next one that is free)",
    )  # fmt: skip
    parser.add_argument("--no-serve", action="store_true", help="end when all is indexed")


def run(args: argparse.Namespace) -> int:
    """Serve the site for as long as `gossamer run` takes to crawl it and serve its page."""
    from gossamer.entrypoints.cli.main import main  # which imports this module

    data, port = data_of(args), port_to_listen(args.site_port, PORT, "the demo site")
    with serve_demo(port) as base:
        if not args.json:
            print(introduction(f"{base}/", data), file=sys.stderr)
        flags = ["--config", str(JOB), "--allow-private", "--data", data, *_passed_on(args)]
        return main(["run", f"{base}/", *flags])


def data_of(args: argparse.Namespace) -> str:
    """The folder that was named, or one below the one for a person's own crawls."""
    settings = settings_of(args)
    return settings.data if args.data else str(Path(settings.data) / "demo")


def _passed_on(args: argparse.Namespace) -> list[str]:
    flags = ["--json"] * args.json + ["--no-serve"] * args.no_serve
    for name in ("port", "collection"):
        if (value := getattr(args, name)) is not None:
            flags += [f"--{name}", str(value)]
    return flags


def introduction(site: str, data: str) -> str:
    """What happens now, and what to try meanwhile."""
    program = program_name(sys.argv[0])
    return f"""\
The demo site is served at {site} while this runs.

Look closer, in another terminal:
  {program} search silk --data {data}
  {program} explain-url {site} --data {data}
  {program} audit --data {data}
Run it again and nothing is fetched twice; to forget the crawl, delete {data}.
"""


def program_name(called: str) -> str:
    """How to call this program in another terminal."""
    if Path(called).name != "gossamer":  # as a module of Python
        return "gossamer"
    found = shutil.which("gossamer")
    return "gossamer" if found and Path(found).samefile(called) else called
