"""The command `gossamer crawl`: crawl on this machine, or seed a crawl in a stack."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.cli import job_flags
from gossamer.entrypoints.cli.command import DONE, print_result, settings_of
from gossamer.entrypoints.local import session
from gossamer.entrypoints.local.report import summary

if TYPE_CHECKING:
    import argparse

    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.entrypoints.local.report import Report

DESCRIPTION = """\
Crawl from some URLs, by default staying on their hosts. The same command resumes a crawl that was
interrupted or killed; other limits continue a crawl that ended at one. With --stack the URLs are
sent to a crawl in AWS, which goes on by itself.
"""

EXAMPLES = """\
examples:
  gossamer crawl https://example.org/ --max-pages 500
  gossamer crawl example.org example.net --delay 2 --contact you@example.org
  gossamer crawl https://example.org/docs/ --prefix https://example.org/docs/ --depth 3
  gossamer crawl --config job.toml --json > result.json
  gossamer --stack gossamer-dev crawl https://example.org/ --max-pages 500

A job file holds the same keys as the flags, with underscores:
  seeds = ["https://example.org/"]
  max_pages = 500
  delay = 1.0
  exclude = ["/tag/"]
  [scope]
  domains = ["example.org"]
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Seeds, the flags of a job, and how it is run."""
    parser.description, parser.epilog = DESCRIPTION, EXAMPLES
    job_flags.add_crawl_flags(parser)


def run(args: argparse.Namespace) -> int:
    """Crawl until the job is finished, stopped or interrupted."""
    result = crawl_job(args)
    print_result(args, result, summary(result))
    return DONE


def crawl_job(args: argparse.Namespace) -> Report:
    """Crawl and report."""
    config, job = job_flags.job_config(args), job_flags.job_name(args)
    with session.opened(settings_of(args)) as (home, pool):
        session.refuse_neighbours(home, job)
        revise = home.jobs.configure(job, config, time.time())
        how = {"revise": revise, "refresh": args.refresh}
        return asyncio.run(session.crawl(home, pool, job, config, quiet=args.quiet, **how))


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Send the seeds to a job of a stack; the stack crawls them by itself."""
    from gossamer.entrypoints.cli.stack import seed

    if args.refresh or args.workers is not None:
        raise ConfigurationError(
            "--refresh and --workers are for this machine; `gossamer --stack NAME recrawl` asks"
            " a stack's pages again"
        )
    done = seed.seed_stack(stack, args, args.seeds)
    print_result(args, done, seed.to_text(done))
    return DONE
