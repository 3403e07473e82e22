"""The command `gossamer crawl`: crawl on this machine, or seed a crawl in a stack."""

from __future__ import annotations

import asyncio
import sys
import time
from typing import TYPE_CHECKING

from gossamer import homes
from gossamer.core.crawl.job import normalised_seeds
from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.cli import job_flags
from gossamer.entrypoints.cli.command import DONE, FAILED, INTERRUPTED, print_result, settings_of
from gossamer.entrypoints.cli.templates.keeping import add, files_beside
from gossamer.entrypoints.local import session
from gossamer.entrypoints.local.continuing import introduction, take_up
from gossamer.entrypoints.local.index_beside import IndexBeside
from gossamer.entrypoints.local.index_workers import index_all
from gossamer.entrypoints.local.report import summary
from gossamer.entrypoints.local.schemes import with_schemes
from gossamer.entrypoints.local.seeds import ask_again, failed_seeds

if TYPE_CHECKING:
    import argparse

    from gossamer.core.crawl.job import JobConfig
    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.entrypoints.local.report import Report
    from gossamer.ports.home import Home

DESCRIPTION = """\
Crawl from some URLs, by default staying on their hosts. The same command resumes a crawl that was
interrupted or killed, and so does `gossamer crawl` without a URL; a higher limit continues a crawl
that ended at one. A limit counts for the URLs of one command: another site begins at zero.
Pages can be found seconds after they were fetched. With --stack the URLs are sent to a crawl in
AWS, which goes on by itself.
"""

EXAMPLES = """\
examples:
  gossamer crawl https://example.org/ --max-pages 500
  gossamer crawl example.org example.net --delay 2 --contact you@example.org
  gossamer crawl https://example.org/docs/ --prefix https://example.org/docs/ --depth 3
  gossamer crawl --config job.toml --json > result.json
  gossamer crawl https://shop.example/ --template shop.toml
  gossamer --stack gossamer-dev crawl https://example.org/ --max-pages 500

A job file holds the same keys as the flags, with underscores:
  seeds = ["https://example.org/"]
  max_pages = 500
  delay = 1.0
  exclude = ["/tag/"]
  [scope]
  domains = ["example.org"]
"""

NO_MONEY = "max_usd limits what a stack in AWS costs; on this machine it has no effect."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Seeds, the flags of a job, and how it is run."""
    parser.description, parser.epilog = DESCRIPTION, EXAMPLES
    job_flags.add_crawl_flags(parser)
    parser.add_argument(
        "--template", action="append", default=[], metavar="FILE",
        help="a template of pages, kept in the collection, as are those in templates/ beside the"
        " job file; repeatable",
    )  # fmt: skip
    parser.add_argument(
        "--no-index", action="store_true",
        help="only crawl; `gossamer index` makes the pages findable later",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Crawl until the job is finished, stopped or interrupted."""
    result = crawl_job(args, index=not args.no_index)
    print_result(args, result, summary(result))
    return exit_code(result)


def config_of(args: argparse.Namespace) -> JobConfig:
    """What is to be crawled; without a URL and a file, what the collection's job was told."""
    job_flags.refuse_money(args)
    settings, job = settings_of(args), job_flags.job_name(args)
    return job_flags.job_config(args, lambda: session.stored_config(settings, job))


def crawl_job(args: argparse.Namespace, *, index: bool, ranks: bool = False) -> Report:
    """Crawl and report; with `index`, what was parsed can be found while the crawl goes on.

    With `ranks` it is ranked now and then too, which the caller must do once more at the end.
    """
    config, job, settings = config_of(args), job_flags.job_name(args), settings_of(args)
    with session.opened(settings, create=True) as (home, pool):
        session.refuse_neighbours(home, job)
        _keep_templates(args, home)
        config = asyncio.run(with_schemes(home, config, lambda text: _introduce(args, text)))
        _introduce(args, introduction(home, job, config))
        _introduce(args, NO_MONEY if config.max_usd is not None else "")
        revise, before = take_up(home, job, config, time.time()), home.sums()["pages"]
        ask_again(home, job, normalised_seeds(config), time.time())
        beside = IndexBeside(home, settings, ranks=ranks) if index else None
        how: session.Beginning = {"revise": revise, "refresh": args.refresh, "beside": beside}
        signer = homes.signer(settings)
        crawling = session.crawl(home, pool, job, config, quiet=args.quiet, signer=signer, **how)
        done = asyncio.run(crawling)
        if index and done.state != "interrupted":
            index_all(home, settings)  # what is left, and merges that were too large beside it
        if done.state == "finished" and home.sums()["pages"] == before:
            done.failed_seeds = failed_seeds(home, normalised_seeds(config))
        return done


def _keep_templates(args: argparse.Namespace, home: Home) -> None:
    """Keep what --template names and what lies beside the job file."""
    named: list[str] = getattr(args, "template", [])
    files = [*files_beside(getattr(args, "config", None)), *named]
    if files:
        add(home, files)


def _introduce(args: argparse.Namespace, text: str) -> None:
    if text and not (args.quiet or args.json):
        print(text, file=sys.stderr)


def exit_code(done: Report) -> int:
    """Return how a crawl ended; one that could not fetch a single page has failed, and says why."""
    if done.state == "interrupted":
        return INTERRUPTED
    for seed, why in done.failed_seeds.items():
        print(f"gossamer: nothing could be crawled at {seed}: {why}", file=sys.stderr)
    return FAILED if done.failed_seeds else DONE


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Send the seeds to a job of a stack; the stack crawls them by itself."""
    from gossamer.entrypoints.cli.stack import seed

    if args.refresh or args.no_index or args.workers is not None:
        raise ConfigurationError(
            "--refresh, --no-index and --workers are for this machine;"
            " `gossamer --stack NAME recrawl` asks a stack's pages again"
        )
    _keep_templates(args, stack.home)
    done = seed.seed_stack(stack, args, args.seeds)
    print_result(args, done, seed.to_text(done))
    return DONE
