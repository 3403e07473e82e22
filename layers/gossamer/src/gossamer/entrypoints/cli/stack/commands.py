"""The commands of `gossamer --stack NAME`: what a person does with a deployed crawl."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from gossamer.adapters.aws.sqs.dead_letters import DeadLetters
from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.audit.command import audit
from gossamer.entrypoints.cli import cost as costing
from gossamer.entrypoints.cli.arguments import recrawl_config
from gossamer.entrypoints.cli.command import DONE, FAILED, print_result
from gossamer.entrypoints.cli.explain_url import biography, tell
from gossamer.entrypoints.cli.export import export_to
from gossamer.entrypoints.cli.stack import control
from gossamer.entrypoints.cli.stack.home import job_of, open_stack
from gossamer.entrypoints.cli.stack.redrive import redrive
from gossamer.entrypoints.cli.stack.report import stack_report, stack_summary

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from gossamer.entrypoints.cli.stack.control import Purged, Steered
    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.entrypoints.cli.stack.redrive import Redriven

INSTEAD = {
    "crawl": "seed it with scripts/enqueue.py",
    "run": "seed it with scripts/enqueue.py",
    "index": "its function INDEX indexes what is crawled",
    "compact": "its function COMPACT does that by itself",
    "serve": "it serves by itself; `gossamer stats` shows where",
    "eval": "relevance is measured on this machine",
}


def run(args: argparse.Namespace) -> int:
    """Run one command on the stack that the arguments name."""
    name = args.run_name
    if name in INSTEAD:
        raise ConfigurationError(f"`gossamer {name}` does not work on a stack: {INSTEAD[name]}")
    if name == "purge" and not args.yes:
        raise ConfigurationError(
            "purge deletes a whole collection for ever; say --yes if that is meant"
        )
    stack = open_stack(args.stack, args.collection)
    try:
        return COMMANDS[name](args, stack)
    finally:
        stack.home.close()


def stats(args: argparse.Namespace, stack: Stack) -> int:
    """Print what happened so far."""
    record = job_of(stack.home, args.job)
    if args.recount:
        stack.home.recount()
    result = stack_report(stack, record, time.time())
    print_result(args, result, stack_summary(result))
    return DONE


def search(args: argparse.Namespace, stack: Stack) -> int:
    """Print a page of results."""
    from gossamer.entrypoints.cli.search import search_in  # numpy, which only this needs

    return search_in(stack.home, args)


def explain_url(args: argparse.Namespace, stack: Stack) -> int:
    """Print what became of a URL."""
    home = stack.home
    record = job_of(home, args.job) if args.job or home.jobs.names() else None
    life = biography(home, record, args.url, time.time())
    print_result(args, life, tell(life))
    return DONE if life.state != "unknown" else FAILED


def export_rows(args: argparse.Namespace, stack: Stack) -> int:
    """Print URLs, documents or edges."""
    return export_to(stack.home, args)


def audit_warc(args: argparse.Namespace, stack: Stack) -> int:
    """Print the politeness certificate of the WARC files in the bucket."""
    from gossamer.entrypoints.cli.main import print_audit  # which imports us, when it is asked to

    if args.files:
        raise ConfigurationError("files are audited without --stack")
    with TemporaryDirectory() as folder:
        return print_audit(args, audit(stack.home.pages.download(Path(folder)), args.host))


def steer(args: argparse.Namespace, stack: Stack) -> int:
    """Pause, resume or stop a job."""
    action = {
        "pause": control.pause,
        "resume": control.resume,
        "stop": control.stop,
    }[args.run_name]
    done = action(stack.home, job_of(stack.home, args.job), time.time())
    print_result(args, done, _tell_steered(done))
    return DONE


def _tell_steered(done: Steered) -> str:
    told = {
        "paused": "nothing new is fetched from now on; `gossamer resume` goes on where it was",
        "running": f"{done.reopened:,} URLs opened again, {done.woken:,} hosts woken now,"
        " the others within a minute",
        "stopped": f"{done.closed:,} parked URLs excluded; what is in the queues follows",
    }
    return f"{done.job}: {done.before}, now {done.state}: {told[done.state]}"


def recrawl(args: argparse.Namespace, stack: Stack) -> int:
    """Let a job that has ended ask again for what has probably changed."""
    from gossamer.entrypoints.lambdas import recrawl as recrawling

    record, now = job_of(stack.home, args.job), time.time()
    if record.state not in control.ENDED:
        raise ConfigurationError(f"job {record.job!r} is {record.state}: it has not ended yet")
    config = recrawl_config(args, record.config.recrawl)
    plan = recrawling.plan_of(stack.home, record, now, config)
    if not args.dry_run:
        recrawling.start(stack.home, record, plan, now)
    done = recrawling.to_report(plan, dry=args.dry_run)
    print_result(args, done, recrawling.summary(done))
    return DONE


def redrive_letters(args: argparse.Namespace, stack: Stack) -> int:
    """Send dead letters again; exit 1 if some stay because nobody can read them."""
    home = stack.home
    done = redrive(home, DeadLetters(home.clients, home.queues), drop=args.drop_undecodable)
    print_result(args, done, _tell_redriven(done))
    return DONE if done.dropped == len(done.kept) else FAILED


def _tell_redriven(done: Redriven) -> str:
    lines = [f"{count:>9,}  sent again to {stream}" for stream, count in done.sent.items() if count]
    lines += [f"{done.reopened:>9,}  URLs opened again"] if lines else ["no letter was sent again"]
    if done.kept:
        fate = "dropped" if done.dropped else "kept; --drop-undecodable forgets them"
        lines.append(f"{len(done.kept):>9,}  cannot be read: {fate}")
        lines += [f"           {kept.stream}: {kept.reason}: {kept.body}" for kept in done.kept]
    return "\n".join(lines)


def purge(args: argparse.Namespace, stack: Stack) -> int:
    """Delete the collection."""
    done = control.purge(stack.home)
    print_result(args, done, _tell_purged(done))
    return DONE


def _tell_purged(done: Purged) -> str:
    lines = [f"collection {done.collection!r} is deleted:"]
    lines += [f"{count:>9,}  items of {table}" for table, count in done.items.items() if count]
    lines.append(f"{done.objects:>9,}  objects of the bucket")
    lines.append(f"           all messages of {len(done.queues)} queues")
    return "\n".join(lines)


def cost(args: argparse.Namespace, stack: Stack) -> int:
    """Print the bill."""
    found = costing.cost(stack.home.sums(), args.predict)
    print_result(args, found, costing.summary(found))
    return DONE


def rank_pages(args: argparse.Namespace, stack: Stack) -> int:
    """Rank the pages from here."""
    from gossamer.entrypoints.cli.rank import rank_stack  # numpy, which only this needs

    return rank_stack(args, stack)


COMMANDS: dict[str, Callable[[argparse.Namespace, Stack], int]] = {
    "stats": stats,
    "search": search,
    "explain-url": explain_url,
    "export": export_rows,
    "audit": audit_warc,
    "cost": cost,
    "rank": rank_pages,
    "pause": steer,
    "resume": steer,
    "stop": steer,
    "redrive": redrive_letters,
    "purge": purge,
    "recrawl": recrawl,
}
