"""The command `gossamer --stack NAME redrive`: send dead letters again.

Each goes back into its stream as it is, once its cause is gone. The URLs that ended because of it
are opened again before, so that the bolt finds them as it left them; nothing else is touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import msgspec

from gossamer.core.crawl.url_record import UrlChange
from gossamer.core.crawl.url_state import Event, State
from gossamer.core.errors import UndecodableMessage
from gossamer.core.urls import url_id
from gossamer.entrypoints.cli.command import DONE, FAILED, print_result
from gossamer.entrypoints.lambdas.sqs import read
from gossamer.messages import CrawlRequest, FetchRequest, PageFetched, Stream

if TYPE_CHECKING:
    import argparse

    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.messages import AnyMessage
    from gossamer.ports.admin.stack import DeadLetterBox, Letter
    from gossamer.ports.home import Home

SHOWN = 200  # characters of a body that cannot be read


class Kept(msgspec.Struct, frozen=True):
    """A letter that cannot be decoded."""

    stream: str
    reason: str
    body: str


class Redriven(msgspec.Struct):
    """What became of the dead letters of a stack."""

    sent: dict[str, int] = {}  # by stream
    reopened: int = 0  # URLs
    kept: list[Kept] = []
    dropped: int = 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What happens to letters that cannot be decoded."""
    parser.add_argument(
        "--drop-undecodable", action="store_true", help="delete those that cannot be decoded"
    )


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Send dead letters again; exit 1 if some stay because they cannot be decoded."""
    home = stack.home
    done = redrive(home, home.letters, drop=args.drop_undecodable)
    print_result(args, done, _to_text(done))
    return DONE if done.dropped == len(done.kept) else FAILED


def _to_text(done: Redriven) -> str:
    lines = [f"{count:>9,}  sent again to {stream}" for stream, count in done.sent.items() if count]
    lines += [f"{done.reopened:>9,}  URLs opened again"] if lines else ["no letter was sent again"]
    if done.kept:
        fate = "dropped" if done.dropped else "kept; --drop-undecodable deletes them"
        lines.append(f"{len(done.kept):>9,}  cannot be read: {fate}")
        lines += [f"           {kept.stream}: {kept.reason}: {kept.body}" for kept in done.kept]
    return "\n".join(lines)


def redrive(home: Home, letters: DeadLetterBox, *, drop: bool = False) -> Redriven:
    """Send all dead letters again; those that cannot be read stay, or go if `drop`."""
    report = Redriven()
    jobs: set[str] = set()
    for stream in get_args(Stream):
        unreadable: list[Letter] = []
        for some in letters.take(stream):
            unreadable += _revive(home, letters, stream, some, report, jobs)
        for letter in unreadable:
            (letters.drop if drop else letters.put_back)(letter)
        report.dropped += len(unreadable) if drop else 0
    _restart(home, jobs)
    return report


def _revive(
    home: Home,
    letters: DeadLetterBox,
    stream: Stream,
    some: list[Letter],
    report: Redriven,
    jobs: set[str],
) -> list[Letter]:
    """Send a batch again; returns what cannot be read."""
    good, bad = [], []
    for letter in some:
        try:
            message = read(stream, letter.body)
        except UndecodableMessage as error:
            bad.append(letter)
            report.kept.append(Kept(stream, letter.reason or str(error), letter.body[:SHOWN]))
        else:
            good.append(letter)
            jobs.add(message.job)
            report.reopened += reopen(home, message)
    letters.send_again(stream, good)
    report.sent[stream] = report.sent.get(stream, 0) + len(good)
    return bad


def reopen(home: Home, message: AnyMessage) -> int:
    """Open the URLs again that ended because this message was put aside; returns how many."""
    match message:
        case CrawlRequest(purpose="page"):
            return sum(_reopen(home, c.url, Event.REDRIVEN) for c in message.urls)
        case FetchRequest(purpose="page"):
            return _reopen(home, message.candidate.url, Event.REDRIVEN)
        case PageFetched(purpose="page", links_only=False, settings=None):
            opened = _reopen(home, message.url, Event.REDRIVEN_PAGE)
            if opened:  # its unit of a document was given back when it ended
                home.jobs.reserve(message.job, [url_id(message.url)])
            return opened
    return 0


def _reopen(home: Home, url: str, event: Event) -> int:
    id = url_id(url)
    record = home.urls.get(id)
    if record is None or (record.state, record.reason) != (State.FAILED, "dead-letter"):
        return 0
    return int(home.urls.move(id, event, UrlChange(reason="")))


def _restart(home: Home, jobs: set[str]) -> None:
    """A finished job has something to do again; a stopped one stays stopped."""
    for name in sorted(jobs):
        record = home.jobs.get(name)
        if record is not None and record.state == "finished":
            home.jobs.set_state(name, "running")
