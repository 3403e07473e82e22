"""The command `gossamer --stack NAME purge`: delete a collection of a stack for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.cli.command import DONE, print_result

if TYPE_CHECKING:
    import argparse

    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.ports.home import Home, Purged


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The confirmation."""
    parser.add_argument("--yes", action="store_true", help="confirm that all of it shall go")


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Delete the collection, if that is confirmed."""
    if not args.yes:
        raise ConfigurationError("purge deletes a whole collection for ever; confirm it with --yes")
    done = purge(stack.home)
    print_result(args, done, _to_text(done))
    return DONE


def _to_text(done: Purged) -> str:
    lines = [f"collection {done.collection!r} is deleted:"]
    lines += [f"{count:>9,}  items of {table}" for table, count in done.items.items() if count]
    lines.append(f"{done.objects:>9,}  objects of the bucket")
    lines.append(f"           all messages of {len(done.queues)} queues")
    return "\n".join(lines)


def purge(home: Home) -> Purged:
    """Forget a collection: its jobs end first, so that no function begins anything new."""
    for name in home.jobs.unfinished():
        home.jobs.set_state(name, "stopped", "stopped")
    return home.purge()
