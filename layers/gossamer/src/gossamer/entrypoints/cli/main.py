"""The command `gossamer`. Exit codes: 0 done, 1 failed, 2 wrong usage."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer import homes
from gossamer.adapters.local.lock import CRAWL
from gossamer.core.crawl.job import DEFAULT_JOB
from gossamer.core.errors import ConfigurationError, GossamerError
from gossamer.entrypoints.audit.command import audit
from gossamer.entrypoints.audit.text import certificate_text
from gossamer.entrypoints.cli import arguments
from gossamer.entrypoints.cli.command import DONE, FAILED, WRONG_USAGE, print_result, settings_of
from gossamer.entrypoints.cli.explain_url import biography, tell
from gossamer.entrypoints.cli.export import export_to
from gossamer.entrypoints.local import session
from gossamer.entrypoints.local.report import Report, report, summary

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from gossamer.adapters.local.home import LocalHome
    from gossamer.entrypoints.audit.command import Audit
    from gossamer.settings import Settings

NOT_RUNNING = {
    "pause": "no crawl is running",
    "resume": "no crawl is running; `gossamer crawl` with the same arguments goes on",
    "stop": "no crawl was running; the job is ended",
}

ELSEWHERE = {
    "cost": "a crawl on this machine has no bill",
    "redrive": "only a stack keeps dead letters to send them again",
    "purge": "on this machine a collection is its files in the data folder",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    args = arguments.parser(COMMANDS).parse_args(argv)
    try:
        return _run(args)
    except ConfigurationError as error:
        return _complain(str(error), WRONG_USAGE)
    except GossamerError as error:
        return _complain(str(error), FAILED)
    except BrokenPipeError:  # `gossamer export | head` is no failure
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        return _complain("interrupted; run the same command again to resume", FAILED)


def _run(args: argparse.Namespace) -> int:
    run: Callable[[argparse.Namespace], int] = args.run
    if args.stack is not None:
        run = import_module("gossamer.entrypoints.cli.stack.commands").run
    elif getattr(args, "job", "") is None:
        args.job = DEFAULT_JOB
    return run(args)


def _complain(text: str, code: int) -> int:
    for line in text.splitlines():
        print(f"gossamer: {line}", file=sys.stderr)
    return code


def _open(args: argparse.Namespace) -> LocalHome:
    return homes.open_local(settings_of(args), read_only=True)


def crawl(args: argparse.Namespace) -> int:
    """Crawl until the job is finished, stopped or interrupted."""
    result = crawl_job(args)
    print_result(args, result, summary(result))
    return DONE


def crawl_job(args: argparse.Namespace) -> Report:
    """Crawl and report."""
    config = arguments.job_config(args)
    settings = settings_of(args)
    with session.opened(settings) as (home, pool):
        session.refuse_neighbours(home, args.job)
        revise = home.jobs.configure(args.job, config, time.time())
        how = {"revise": revise, "refresh": args.refresh}
        return asyncio.run(session.crawl(home, pool, args.job, config, quiet=args.quiet, **how))


def stats(args: argparse.Namespace) -> int:
    """Print what happened so far."""
    home = _open(args)
    if home.jobs.get(args.job) is None:
        raise ConfigurationError(session.no_such_job(home, args.job))
    result = report(home, args.job)
    print_result(args, result, summary(result))
    return DONE


def explain_url(args: argparse.Namespace) -> int:
    """Print what became of a URL."""
    home = _open(args)
    life = biography(home, home.jobs.get(args.job), args.url, time.time())
    print_result(args, life, tell(life))
    return DONE if life.state != "unknown" else FAILED


def export_rows(args: argparse.Namespace) -> int:
    """Print URLs, documents or edges."""
    return export_to(_open(args), args)


def audit_warc(args: argparse.Namespace) -> int:
    """Print the politeness certificate; exit 1 on any violation."""
    settings = settings_of(args)
    try:
        given = [Path(name) for name in args.files]
        files = given or sorted(settings.warc_folder.glob("*.warc.gz"))
        missing = [file for file in files if not file.is_file()]
    except OSError as error:
        raise ConfigurationError(f"cannot audit: {error}") from error
    if missing or not files:
        what = missing[0] if missing else f"WARC files in {settings.warc_folder}"
        raise ConfigurationError(f"cannot audit: no such file: {what}")
    return print_audit(args, audit(files, args.host))


def print_audit(args: argparse.Namespace, result: Audit) -> int:
    """Print a certificate; exit 1 on any violation."""
    if args.host != result.host:
        raise ConfigurationError("--host is for WARC files on this machine")
    print_result(args, result, certificate_text(result, args.hosts))
    return FAILED if result.violations else DONE


def control(args: argparse.Namespace) -> int:
    """Leave word for a running crawl, or carry it out if none is running."""
    settings, wish = settings_of(args), args.run_name
    running = _tell(settings, args.job, wish)
    if not running:
        home = homes.open_local(settings)
        try:
            home.store.lock(wish)
            _carry_out(home, args.job, wish)
        finally:
            home.close()
    told = "told the running crawl" if running else NOT_RUNNING[wish]
    print_result(args, {"job": args.job, "wish": wish, "running": running}, f"{wish}: {told}")
    return DONE


def _tell(settings: Settings, job: str, wish: str) -> bool:
    """Leave word for the crawl that is running; False if none is."""
    home = homes.open_local(settings, read_only=True)
    try:
        if home.jobs.get(job) is None:
            raise ConfigurationError(session.no_such_job(home, job))
        running = home.store.holder() == CRAWL
        if running:
            home.control.leave(job, wish)
    finally:
        home.store.close()
    return running


def _carry_out(home: LocalHome, job: str, wish: str) -> None:
    """With no crawl running there is nothing to pause or resume, but a job can be ended."""
    if wish == "stop" and job in home.jobs.unfinished():
        home.close_waiting(job, "stopped")
        home.jobs.set_state(job, "stopped", "stopped")


def _later(name: str, module: str = "search") -> Callable[[argparse.Namespace], int]:
    """A command of the search side, which is imported only when it is asked for."""

    def run(args: argparse.Namespace) -> int:
        command: Callable[[argparse.Namespace], int] = getattr(
            import_module(f"gossamer.entrypoints.cli.{module}"), name
        )
        return command(args)

    return run


def only_on_a_stack(args: argparse.Namespace) -> int:
    """Say that a command has nothing to do on this machine."""
    raise ConfigurationError(
        f"`gossamer {args.run_name}` needs --stack NAME: {ELSEWHERE[args.run_name]}"
    )


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "crawl": crawl,
    "stats": stats,
    "explain-url": explain_url,
    "export": export_rows,
    "audit": audit_warc,
    "pause": control,
    "resume": control,
    "stop": control,
    "run": _later("run"),
    "index": _later("index_documents"),
    "compact": _later("compact_index"),
    "rank": _later("rank_pages", "rank"),
    "search": _later("search"),
    "eval": _later("evaluate"),
    "recrawl": _later("recrawl_pages", "recrawl"),
    "serve": _later("serve"),
    "cost": only_on_a_stack,
    "redrive": only_on_a_stack,
    "purge": only_on_a_stack,
}


if __name__ == "__main__":
    sys.exit(main())
