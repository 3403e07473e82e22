"""The command `gossamer audit`: a certificate of politeness from WARC files alone."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.audit.command import audit
from gossamer.entrypoints.audit.text import certificate_text
from gossamer.entrypoints.cli.command import DONE, FAILED, print_result, settings_of

if TYPE_CHECKING:
    import argparse

    from gossamer.entrypoints.audit.command import Audit
    from gossamer.entrypoints.cli.stack.home import Stack

DESCRIPTION = """\
A certificate from the WARC files alone: what was asked, when, by whom, under which robots.txt and
delay; one line for each rule with the cases examined and the violations; the hosts, worst first;
and a digest that the same files give every time.
"""

EXAMPLES = """\
examples:
  gossamer audit
  gossamer audit --host example.org --json > certificate.json
  gossamer audit data/warc/web/*.warc.gz --hosts 50

Exit code: 0 no violation, 1 any violation, 2 a file that is damaged or not Gossamer's.
What each rule means, and what the files cannot prove: docs/politeness.md
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which files, which host, and how many hosts are listed."""
    parser.description, parser.epilog = DESCRIPTION, EXAMPLES
    parser.add_argument("files", nargs="*", metavar="WARC", help="default: all of the collection")
    parser.add_argument("--host", default="", metavar="HOST", help="only requests to this host")
    parser.add_argument("--hosts", type=int, default=10, metavar="N", help="rows of the host table")


def run(args: argparse.Namespace) -> int:
    """Print the certificate of given files, or of the collection; exit 1 on any violation."""
    settings = settings_of(args)
    try:
        given = [Path(name) for name in args.files]
        files = given or sorted(settings.warc_folder.glob("*.warc.gz"))
        missing = [file for file in files if not file.is_file()]
    except OSError as error:
        raise ConfigurationError(f"cannot audit: {error}") from error
    if missing:
        raise ConfigurationError(f"cannot audit: no such file: {missing[0]}")
    if not files:
        raise ConfigurationError(
            f"cannot audit: no WARC files in {settings.warc_folder}; is --data the folder of the"
            " crawl, and --collection its name?"
        )
    return _print(args, audit(files, args.host))


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Print the certificate of the WARC files in the bucket."""
    if args.files:
        raise ConfigurationError("files are audited without --stack")
    with TemporaryDirectory() as folder:
        return _print(args, audit(stack.home.pages.download(Path(folder)), args.host))


def _print(args: argparse.Namespace, result: Audit) -> int:
    if args.host != result.host:
        raise ConfigurationError("--host is for WARC files on this machine")
    print_result(args, result, certificate_text(result, args.hosts))
    return FAILED if result.violations else DONE
