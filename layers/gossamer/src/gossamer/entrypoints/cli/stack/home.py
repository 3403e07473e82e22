"""Open a deployed stack by its name, through CloudFormation."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from gossamer import homes
from gossamer.core.errors import ConfigurationError
from gossamer.settings import Settings

if TYPE_CHECKING:
    from gossamer.ports.admin.stack import Deployment, StackHome
    from gossamer.ports.jobs import JobRecord

NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,127}")


class Stack(NamedTuple):
    """A deployed stack and the home in it."""

    deployment: Deployment
    home: StackHome


def open_stack(name: str, collection: str | None = None) -> Stack:
    """Find a stack; without a collection it is the one that the stack was deployed for."""
    if not NAME.fullmatch(name):
        raise ConfigurationError(f"{name!r} cannot be the name of a stack")
    given = Settings.from_environ({k: v for k, v in os.environ.items() if k != "GOSSAMER_HOME"})
    return Stack(*homes.find_stack(name, collection, given))


def job_of(home: StackHome, name: str | None) -> JobRecord:
    """A job by its name, or the latest."""
    names = home.jobs.names()
    record = home.jobs.get(name or names[-1]) if name or names else None
    if record is None:
        begin = f"`gossamer --stack {home.stack} crawl URL` begins one"
        there = f"jobs there: {', '.join(names)}" if names else begin
        missing = f"there is no job {name!r}" if name else "there is no job yet"
        raise ConfigurationError(f"{missing}; {there}")
    return record
