"""A person who types commands for a rehearsed stack."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

from gossamer.entrypoints.cli.main import main
from gossamer.ports.admin.stack import Deployment
from tests.functions.rehearsal import BUCKET, STACK

if TYPE_CHECKING:
    from tests.functions.rehearsal import Rehearsal


class Typed(NamedTuple):
    """What became of a command."""

    code: int
    out: str
    err: str

    @property
    def result(self) -> Any:
        """What it printed for programs."""
        assert self.code == 0, (self.out, self.err)
        return json.loads(self.out)


def typed(stack: Rehearsal, *given: object) -> Typed:
    """Run `gossamer --stack … GIVEN` in a process of its own, as far as the stack sees it."""
    deployed = Deployment(STACK, BUCKET, stack.queue_urls, "web", search_url="https://api.test/")
    out, err = io.StringIO(), io.StringIO()
    with (
        patch("gossamer.homes.find_stack", return_value=(deployed, stack.opened())),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        code = main(["--stack", STACK, *map(str, given)])
    return Typed(code, out.getvalue(), err.getvalue())
