"""The budgets of jobs: units that lie on URLs, and blocks of units that wait for one.

A unit lies on its URL (`units`) and is counted at its job. Schedulers do not count one by one at
the job's item, which takes a few hundred a second: it lends units to blocks, items beside it, and a
URL gets its unit out of a block, in one transaction. So the job's counters always equal the units
of URLs and blocks together. Who finds the job without units looks for some in all blocks: none is
lost with a process.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

from gossamer.adapters.aws.clients import retrying
from gossamer.adapters.aws.dynamodb import keys
from gossamer.adapters.aws.dynamodb.models import JobItem, UrlItem
from gossamer.adapters.aws.dynamodb.table import Table, is_nothing
from gossamer.adapters.aws.dynamodb.transactions import MOST, Change, transact
from gossamer.core.crawl.url_state import State

if TYPE_CHECKING:
    from gossamer.adapters.aws.clients import Clients

PAGE, DOCUMENT = 1, 2  # bits of what a URL holds
BOTH = PAGE + DOCUMENT
PORTION = 49  # URLs of one transaction
BLOCKS = 8  # of a job: so many schedulers rarely meet
AHEAD = 200  # units that a block is lent at most
SHARE = 32  # but never more than this part of what is left: the end must not lie in blocks
assert PORTION < MOST  # noqa: S101 the block goes with them


class Block(NamedTuple):
    """Units that a job has lent, and no URL holds."""

    number: int
    pages: int
    documents: int


class Budgets:
    """The units of all jobs of a collection."""

    def __init__(self, clients: Clients, stack: str, collection: str) -> None:
        self._table = Table(clients, stack, JobItem)
        self._urls = Table(clients, stack, UrlItem)
        self._clients, self._collection = clients, collection
        self._number = random.randrange(BLOCKS)  # noqa: S311 the block that this process uses

    def _key(self, job: str) -> str:
        return keys.textual(self._collection, job)

    def _block_key(self, job: str, number: int) -> str:
        return self._key(f"~blk#{job}#{number}")

    def used(self, job: str, item: JobItem) -> tuple[int, int]:
        """The units that URLs hold: those in blocks are not assigned yet."""
        pages, documents = item.pages or 0, item.documents or 0
        if item.lent:
            blocks = self._blocks(job)
            pages -= sum(block.pages for block in blocks)
            documents -= sum(block.documents for block in blocks)
        return pages, documents

    def _blocks(self, job: str) -> list[Block]:
        """The blocks of a job that hold something."""

        def read(number: int) -> Block:
            item = self._table.get(self._block_key(job, number), newest=True)
            pages, documents = (item.pages, item.documents) if item else (0, 0)
            return Block(number, pages or 0, documents or 0)

        found = self._clients.each(read, range(BLOCKS))
        return [block for block in found if block.pages or block.documents]

    def reserve(self, job: str, item: JobItem, ids: list[bytes]) -> set[bytes]:
        """Give URLs a unit of each budget, in order; returns those that hold theirs.

        `item`: the job, as it was just read.
        """
        granted: set[bytes] = set()
        for start in range(0, len(ids), PORTION):
            granted |= self._reserve(job, item, ids[start : start + PORTION])
        return granted

    def _reserve(self, job: str, just_read: JobItem, ids: list[bytes]) -> set[bytes]:
        """As many as there is room for, in one transaction; who came in between is seen anew."""
        known: JobItem | None = just_read
        for _ in retrying(f"reserving pages of job {job}"):
            item, known = known or self._table.get(self._key(job), newest=True), None
            held = self._held(ids)
            granted = {id for id, units in held.items() if units == BOTH}
            asked = [(id, held[id]) for id in ids if id in held and held[id] != BOTH]
            if item is None or not asked:
                break
            block = self._block(job, item, len(asked))
            chosen = _fitting(block, asked) if block is not None else []
            if block is None or not chosen:
                if not (self._lend(job, item, len(asked)) or self._gather(job, item)):
                    break
                continue
            changes = [self._spend(job, block, chosen)]
            changes += [self._hold(id, units, BOTH) for id, units in chosen]
            if transact(self._clients, changes) and len(chosen) == len(asked):
                return granted | {id for id, _ in chosen}
        return granted

    def _block(self, job: str, item: JobItem, wanted: int) -> Block | None:
        """Our block, if it has enough or the job cannot lend it more; then any that has some."""
        key = self._block_key(job, self._number)
        ours = self._table.get(key, newest=True) if item.lent else None
        block = Block(self._number, (ours and ours.pages) or 0, (ours and ours.documents) or 0)
        enough = min(block.pages, block.documents) >= wanted
        if enough or _lendable(item, wanted):
            return block if enough else None
        usable = [each for each in self._blocks(job) if each.pages and each.documents]
        return next((each for each in usable if each.number == self._number), None) or next(
            iter(usable), None
        )

    def _lend(self, job: str, item: JobItem, wanted: int) -> bool:
        """Lend units to our block; False if the job has none, or changed."""
        count = _lendable(item, wanted)
        if not count:
            return False
        condition = JobItem.version == item.version
        if item.max_pages is not None:
            condition &= JobItem.pages <= item.max_pages - count
        if item.max_documents is not None:
            condition &= JobItem.documents <= item.max_documents - count
        add = [JobItem.pages.add(count), JobItem.documents.add(count)]
        lend = Change(self._table, (self._key(job),), [*add, JobItem.lent.add(1)], condition)
        block = (self._block_key(job, self._number),)
        kept = Change(self._table, block, add, JobItem.state.does_not_exist())
        transact(self._clients, [lend, kept])
        return True

    def _gather(self, job: str, item: JobItem) -> bool:
        """Call all blocks in if pages lie in one and documents in another; False if not."""
        pages, documents = self.used(job, item)
        spent = 0 in (left_of(item.max_pages, pages), left_of(item.max_documents, documents))
        if spent or not item.lent:
            return False
        self.call_in(job)
        return True

    def call_in(self, job: str) -> None:
        """Take back what lies in blocks: the limits of the job have changed."""
        for block in self._blocks(job):
            same = (JobItem.pages == block.pages) & (JobItem.documents == block.documents)
            less = [JobItem.pages.add(-block.pages), JobItem.documents.add(-block.documents)]
            key = (self._block_key(job, block.number),)
            back = Change(self._table, (self._key(job),), less, JobItem.version.exists())
            transact(self._clients, [back, Change(self._table, key, less, same)])

    def _held(self, ids: list[bytes]) -> dict[bytes, int]:
        """What known URLs hold: the newest, or a unit would be counted twice."""
        wanted = [(keys.binary(self._collection, id),) for id in ids]
        found = self._urls.read_many(wanted, (UrlItem.key, UrlItem.units), newest=True)
        return {keys.id_in(self._collection, item.key): item.units or 0 for item in found}

    def _spend(self, job: str, block: Block, chosen: list[tuple[bytes, int]]) -> Change:
        """Take units out of a block, if it still has them."""
        pages = sum(not units & PAGE for _, units in chosen)
        documents = sum(not units & DOCUMENT for _, units in chosen)
        enough = (JobItem.pages >= pages) & (JobItem.documents >= documents)
        actions = [JobItem.pages.add(-pages), JobItem.documents.add(-documents)]
        return Change(self._table, (self._block_key(job, block.number),), actions, enough)

    def _hold(self, id: bytes, before: int, after: int) -> Change:
        same = (UrlItem.units == before) if before else is_nothing(UrlItem.units)
        key = (keys.binary(self._collection, id),)
        return Change(self._urls, key, [UrlItem.units.set(after)], UrlItem.key.exists() & same)

    def release(self, job: str, id: bytes, now: float, given: int) -> bool:
        """Take back some units of a URL, unless it needs them; False if there was nothing."""
        for _ in retrying(f"giving back pages of job {job}"):
            # Read first: a transaction that has nothing to do would cost four units all the same.
            url = self._urls.get(keys.binary(self._collection, id), newest=True)
            units = (url.units or 0) if url else 0
            if url is None or not units & given or _keeps_units(url, now):
                break
            if transact(self._clients, self._give_back(job, id, units, units & given, now)):
                return True
        return False

    def _give_back(self, job: str, id: bytes, units: int, back: int, now: float) -> list[Change]:
        is_page = (UrlItem.state == State.FETCHED.value) | (UrlItem.state == State.PARSED.value)
        idle = ~is_page & ((UrlItem.state != State.FETCHING.value) | (UrlItem.lease < now))
        actions = [
            JobItem.pages.add(-bool(back & PAGE)),
            JobItem.documents.add(-bool(back & DOCUMENT)),
        ]
        hold = self._hold(id, units, units & ~back)
        return [
            Change(self._urls, hold.key, hold.actions, hold.condition & idle),
            Change(self._table, (self._key(job),), actions, JobItem.key.exists()),
        ]


def is_limited(item: JobItem) -> bool:
    """Whether units are counted at all."""
    return item.max_pages is not None or item.max_documents is not None


def _keeps_units(url: UrlItem, now: float) -> bool:
    """Whether a request is under way, or a page came of it."""
    if url.state in (State.FETCHED, State.PARSED):
        return True
    return url.state == State.FETCHING and (url.lease or 0.0) >= now


def _fitting(block: Block, asked: list[tuple[bytes, int]]) -> list[tuple[bytes, int]]:
    """Who of those that hold less than both units finds them in a block, in order."""
    chosen: list[tuple[bytes, int]] = []
    pages, documents = block.pages, block.documents
    for id, units in asked:
        pages -= not units & PAGE
        documents -= not units & DOCUMENT
        if pages < 0 or documents < 0:
            break
        chosen.append((id, units))
    return chosen


def _lendable(item: JobItem, wanted: int) -> int:
    """How many units the job can lend to one who wants so many: more, while there are plenty."""
    limits = ((item.max_pages, item.pages), (item.max_documents, item.documents))
    left = min(rest for limit, taken in limits if (rest := left_of(limit, taken)) is not None)
    return min(left, max(wanted, min(AHEAD, left // SHARE)))


def left_of(limit: int | None, taken: int | None) -> int | None:
    """What is left of a budget."""
    return None if limit is None else max(0, limit - (taken or 0))
