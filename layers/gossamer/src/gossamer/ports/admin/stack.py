"""What a deployed stack offers beyond a home: dead letters, backups, the bill, secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from gossamer.core.index.segments.formats import DEFAULT_FORMAT
from gossamer.ports.home import Home

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Sequence

    from gossamer.ports.admin.backups import Backups


class Deployment(msgspec.Struct, frozen=True):
    """What a stack says about itself: all that is needed to open it."""

    stack: str
    bucket: str
    queues: Mapping[str, str]
    collection: str = ""
    contact: str = ""
    search_url: str = ""
    admin_secret: str = ""
    daily_usd: float = 0.0  # that crawls may cost in a day; then they pause. 0 = no limit
    search_usd: float = 0.0  # that searches may cost in a day; then they are refused. 0 = no limit
    index_format: int = DEFAULT_FORMAT  # of the manifests that its functions write


class Letter(NamedTuple):
    """A dead letter that this process holds."""

    queue: str
    id: str
    handle: str
    body: str
    reason: str


class QueueCounts(msgspec.Struct, kw_only=True):
    """One stream: what is due, held by a receiver, delayed, dead, and how old the oldest is."""

    due: int
    held: int
    delayed: int
    dead: int
    oldest: float | None = None  # seconds that its oldest message has waited; None = not known


class Used(msgspec.Struct, frozen=True, kw_only=True):
    """What an invocation used that no call to AWS shows."""

    gb_seconds: float = 0.0
    jobs: Mapping[str, int] = {}  # for which it worked: messages of each
    payload: int = 0  # bytes of these messages
    log_bytes: int = 0
    for_search: bool = False  # it answered the API, and worked for no job
    to_come: Mapping[
        str, float
    ] = {}  # US dollars by which it changed what each job will still cost


class Spent(NamedTuple):
    """US dollars: of answering the API, and of everything else."""

    crawl: float = 0.0
    search: float = 0.0


class Stored(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes that are kept, and paid for by the month."""

    s3: int
    dynamodb: int
    recoverable: int  # of those in tables of which the past is kept, paid for once more


class DeadLetterBox(Protocol):
    """The dead letters of a stack, taken one by one."""

    def take(self, stream: str) -> Iterator[list[Letter]]:
        """All letters of a stream in batches, each once."""

    def send_again(self, stream: str, letters: list[Letter]) -> None:
        """Put letters back into their stream as they are.

        Sent before they are deleted: a crash in between repeats a message and loses none.
        """

    def drop(self, letter: Letter) -> None:
        """Delete a letter."""

    def put_back(self, letter: Letter) -> None:
        """Let others see a letter again."""


class StackHome(Home, Protocol):
    """A home in a deployed stack."""

    @property
    def stack(self) -> str:
        """The name of the stack."""

    @property
    def letters(self) -> DeadLetterBox:
        """The dead letters."""

    @property
    def backups(self) -> Backups:
        """What is kept of its past."""

    def queue_counts(self) -> dict[str, QueueCounts]:
        """Return how each stream stands, and `lost`: what SQS gave up."""

    def fold_sums(self, now: float) -> int:
        """Add up the hours that are over, once for all readers; returns how many."""

    def sums_between(self, since: float, until: float) -> Counter[str]:
        """What was done and spent in the hours that touch a span of time."""

    def spend(self, sums: Mapping[str, float], used: Used, now: float) -> dict[str, float]:
        """Keep what an invocation did and used for the bill; returns it as metrics.

        The bill of an invocation is shared by the jobs that it worked for, by their messages.
        """

    def spent(self, job: str, now: float) -> float:
        """US dollars that a job has cost since it began."""

    def to_come(self, job: str, now: float) -> float:
        """US dollars that the messages of a job that are under way will cost; about."""

    def spent_since(self, since: float, now: float) -> Spent:
        """Return what the stack has cost in the hours since."""

    def stored(self) -> Stored:
        """How much is stored for the collection; reads a list of all files."""

    def resources(self) -> Counter[str]:
        """What the stack consists of: how many resources of each type of CloudFormation's."""

    def take_calls(self) -> dict[str, int]:
        """What was asked of AWS since the last call: `dynamodb:PutItem urls` and how often."""

    def ask(self, function: str, questions: Sequence[bytes]) -> list[bytes]:
        """What a function answers to each of some events, asked side by side."""

    def read_secret(self, name: str) -> str:
        """A secret of the stack."""
