"""A count of the states of all URLs that goes on, call by call, where the last one stopped.

What was counted so far lies in one item of `stats`, with the mark at which the scan goes on. At the
end the difference to the sums is added to them, which no concurrent writer can come in between of.
A call that dies after that finds no difference when it is made again.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from gossamer.adapters.aws.counters import MOVES
from gossamer.adapters.aws.dynamodb import keys
from gossamer.adapters.aws.dynamodb.models import StatItem, UrlItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.core.crawl.recount import correction

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.adapters.aws.clients import Clients
    from gossamer.adapters.aws.counters import DynamoCounters

NAME = "recount"
EVERY = (
    86_400.0  # seconds between two counts while a crawl goes on; a million URLs cost half a cent
)


class _Pass(msgspec.Struct):
    """A count under way, or the last one."""

    began: float = 0.0
    moves: int = -1  # that the sums had seen when it began; -1: the sums may be wrong since
    ended: bool = True
    quiet: bool = True  # whether no process was at work at any of its calls
    mark: bytes = b""
    counts: dict[str, int] = {}


class Recount:
    """The count of a collection."""

    def __init__(
        self, clients: Clients, stack: str, collection: str, counters: DynamoCounters
    ) -> None:
        self._table = Table(clients, stack, StatItem)
        self._urls = Table(clients, stack, UrlItem)
        self._counters, self._collection = counters, collection
        self._key = keys.textual(collection, NAME), 0

    def distrust(self) -> None:
        """Count again as soon as nothing moves."""
        found, version = self._read()
        if found.ended:
            self._write(msgspec.structs.replace(found, moves=-1), version)

    def go_on(self, now: float, is_quiet: Callable[[], bool], goes_on: Callable[[], bool]) -> bool:
        """Begin a count if one is due, or go on with it; False if there is nothing to do."""
        found, version = self._read()
        moves = self._moves()
        if found.ended:
            quiet = moves != found.moves and is_quiet()
            if not quiet and (moves == found.moves or now - found.began < EVERY):
                return False
            found = _Pass(now, moves, ended=False, quiet=quiet)
        found.ended = self._count(found, goes_on)
        found.quiet = found.quiet and is_quiet()
        written = self._write(found, version)
        if found.ended and written:
            self._mend(found)
        return True

    def _count(self, found: _Pass, goes_on: Callable[[], bool]) -> bool:
        """Add URLs to a count; True when it has come to the last one."""
        counts, ours = Counter(found.counts), keys.binary(self._collection, b"")
        wanted = (UrlItem.key, UrlItem.state, UrlItem.reason)
        while True:
            page, found.mark = self._urls.page_after(found.mark, wanted)
            for raw in page:
                if raw["k"]["B"].startswith(ours) and "st" in raw:
                    counts["s:" + raw["st"]["S"]] += 1
                    counts["r:" + raw.get("why", {"S": ""})["S"]] += 1
            if not found.mark or not goes_on():
                found.counts = {name: n for name, n in counts.items() if name != "r:"}
                return not found.mark

    def _mend(self, found: _Pass) -> None:
        sums = self._counters.state_sums()
        moves = abs(sums.pop(MOVES, 0) - found.moves)
        known = {name: n for name, n in sums.items() if name[:2] in ("s:", "r:")}
        self._counters.correct(correction(found.counts, known, moves, quiet=found.quiet))

    def _moves(self) -> int:
        return self._counters.state_sums()[MOVES]

    def _read(self) -> tuple[_Pass, int]:
        item = self._table.get(*self._key, newest=True)
        if item is None or not item.body:
            return _Pass(), 0
        return msgspec.msgpack.decode(item.body, type=_Pass), item.version or 0

    def _write(self, found: _Pass, version: int) -> bool:
        """Keep how far it came, unless another call did meanwhile."""
        body = msgspec.msgpack.encode(found)
        item = StatItem(key=self._key[0], shard=0, body=body, version=version + 1)
        same = StatItem.version == version if version else StatItem.version.does_not_exist()
        return self._table.put(item, same).done
