"""The commands `gossamer pause`, `resume` and `stop`."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING

import msgspec

from gossamer import homes
from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.cli import job_flags
from gossamer.entrypoints.cli.command import DONE, print_result, settings_of
from gossamer.entrypoints.local import session
from gossamer.ports.home import CRAWL

if TYPE_CHECKING:
    import argparse

    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.ports.home import Home
    from gossamer.settings import Settings

NOT_RUNNING = {
    "pause": "no crawl is running",
    "resume": "no crawl is running; `gossamer crawl` with the same arguments goes on",
    "stop": "no crawl was running; the job is ended",
}


class Controlled(msgspec.Struct, frozen=True):
    """What was said to a job on this machine."""

    job: str
    command: str  # pause, resume or stop
    running: bool  # whether a crawl was running, which obeys within a second


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which job."""
    job_flags.add_job(parser)
    parser.add_argument(
        "--max-usd", type=float, metavar="USD",
        help="resume, of a stack: the job may cost so many US dollars in all from now on",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Leave the command for a running crawl, or carry it out if none is running."""
    job_flags.refuse_money(args)
    settings, command, job = settings_of(args), args.command.name, job_flags.job_name(args)
    running = _leave_command(settings, job, command)
    if not running:
        with session.locked(settings, command) as home:
            _carry_out(home, job, command)
    outcome = "the running crawl obeys" if running else NOT_RUNNING[command]
    print_result(args, Controlled(job, command, running), f"{command}: {outcome}")
    return DONE


def _leave_command(settings: Settings, job: str, command: str) -> bool:
    """Leave a command for the crawl that is running; False if none is."""
    with closing(homes.open_home(settings, read_only=True)) as home:
        session.job_of(home, job)
        running = home.holder() == CRAWL
        if running:
            home.leave_command(job, command)
    return running


def _carry_out(home: Home, job: str, command: str) -> None:
    """With no crawl running there is nothing to pause or resume, but a job can be ended."""
    if command == "stop" and job in home.jobs.unfinished():
        home.close_waiting(job, "stopped")
        home.jobs.set_state(job, "stopped", "stopped")


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Pause, resume or stop a job of a stack."""
    from gossamer.entrypoints import steering
    from gossamer.entrypoints.cli.stack.home import job_of

    record = job_of(stack.home, args.job)
    if args.command.name == "resume":
        record = steering.with_money(stack, record, args.max_usd, time.time())
    elif args.max_usd is not None:
        raise ConfigurationError("--max-usd is for `resume` and `crawl`")
    done = steering.steer(args.command.name, stack.home, record, time.time())
    print_result(args, done, steering.to_text(done))
    return DONE
