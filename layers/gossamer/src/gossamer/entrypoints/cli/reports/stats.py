"""The command `gossamer stats`: what a crawl has done so far, in numbers."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from gossamer import homes
from gossamer.entrypoints.cli import job_flags
from gossamer.entrypoints.cli.command import DONE, print_result, settings_of
from gossamer.entrypoints.local import session
from gossamer.entrypoints.local.report import counted, report, report_of_job, summary

if TYPE_CHECKING:
    import argparse

    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.entrypoints.local.report import Report

DESCRIPTION = """\
Print counts and states of the collection. With --job on this machine they are of the URLs that this
job was the first to find, which reads all of them; a stack keeps counts for all of its jobs.
"""
NOT_CRAWLED = "not crawled"  # the state of a collection that was made from files


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which job, and whether a stack is counted anew."""
    parser.description = DESCRIPTION
    job_flags.add_job(parser)
    parser.add_argument(
        "--recount", action="store_true", help="of a stack: count all URLs anew (reads them all)"
    )


def run(args: argparse.Namespace) -> int:
    """Print what happened so far on this machine."""
    job = job_flags.job_name(args)
    home = homes.open_home(settings_of(args), read_only=True)
    if not args.job and not home.jobs.names():
        result = report(home, job, NOT_CRAWLED)
        print_result(args, result, _without_crawl(result))
    else:
        record = session.job_of(home, job)
        result = report_of_job(home, record.job) if args.job else report(home, record.job)
        print_result(args, result, summary(result))
    return DONE


def _without_crawl(result: Report) -> str:
    found = f"{counted(result.documents, 'document')} on {counted(result.document_pages, 'page')}"
    return f"{found}; nothing was crawled here: `gossamer index` brought them from files"


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Print what happened so far in a stack."""
    from gossamer.entrypoints.cli.stack.home import job_of
    from gossamer.entrypoints.cli.stack.report import stack_report, stack_summary

    record = job_of(stack.home, args.job)
    if args.recount:
        stack.home.recount()
    result = stack_report(stack, record, time.time())
    print_result(args, result, stack_summary(result))
    return DONE
