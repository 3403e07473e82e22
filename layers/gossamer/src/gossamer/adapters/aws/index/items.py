"""Store and read packed items of the index with the fewest units.

- `0#bucket` and `d#0`, the delta segments, lie in index_delta: one query answers for all segments.
  They are never deleted; they expire, which is free.
- `t#generation#term`, the blocks of a common term, lie in inverted_index under the term. Without
  positions they are read through the index by_tfidf, the best first, of all generations at once.
- `b#generation#bucket` and `d#generation` lie there too, `o#generation` in term_stats.

Which terms have blocks is read once per generation and remembered, so that the rare words of a
query cost no request here, and so that a block that by_tfidf does not show yet is missed.
An item that is too large for DynamoDB lies in several, whose sort keys end with `!1`, `!2` …
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from gossamer.adapters.aws.dynamodb.models import DeltaItem, IndexItem, TermsItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.adapters.aws.index.garbage import Generations
from gossamer.adapters.aws.index.large_items import EMPTY, cut, join
from gossamer.core.index.codec import posting_count
from gossamer.core.index.segment import terms_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pynamodb.expressions.condition import Condition
    from pynamodb.models import Model

    from gossamer.adapters.aws.clients import Clients, Json
    from gossamer.adapters.aws.dynamodb.table import AnyTable, Raw
    from gossamer.core.index.manifest import Manifest, Packed

EXPIRES_AFTER = 7 * 86_400  # seconds; compaction must have taken a delta segment long before
AT_ONCE = 200  # items held in memory while they are written
REMEMBERED = 32  # terms whose blocks of other generations were read along
LAST = "\U0010ffff"


class Items:
    """The packed items of a collection."""

    def __init__(
        self, clients: Clients, stack: str, collection: str, clock: Callable[[], float]
    ) -> None:
        self._collection = collection
        self._clock = clock
        self._delta = Table(clients, stack, DeltaItem)
        self._main = Table(clients, stack, IndexItem)
        self._terms = Table(clients, stack, TermsItem)
        self._generations = Generations(clients, stack, collection, clock)
        self._version = -1
        self._is_settled = False
        self._own: dict[str, frozenset[str] | None] = {}
        self._blocks: dict[str, list[Raw]] = {}

    def know(self, manifest: Manifest, *, settled: bool) -> None:
        """Which parts are live now, and whether they have been for a while."""
        self._is_settled = settled
        if manifest.version != self._version:
            self._version = manifest.version
            self._blocks.clear()
            live = {str(generation.number) for generation in manifest.generations}
            self._own = {number: own for number, own in self._own.items() if number in live}
        self._generations.know(manifest.generations)

    def put(self, items: Iterable[Packed]) -> None:
        waiting = iter(items)
        while some := list(islice(waiting, AT_ONCE)):
            rows: dict[AnyTable, list[Model]] = {}
            for item in some:
                table, models = self._rows(item)
                rows.setdefault(table, []).extend(models)
            for table, models in rows.items():
                table.write_many(models)

    def _rows(self, item: Packed) -> tuple[AnyTable, list[Model]]:
        kind, _, rest = item.key.partition("#")
        if _is_delta(item.key):
            key, ttl = self._key(item.key), int(self._clock()) + EXPIRES_AFTER
            return self._delta, [
                DeltaItem(key, sort, ttl=ttl, **what) for sort, what in _pieces(item, item.sort)
            ]
        number = rest.partition("#")[0]
        self._generations.note(item.key)
        if kind == "o":
            rows = _pieces(item, item.sort)
            key = self._key(number)
            return self._terms, [
                TermsItem(key, sort, body=what["postings"], number=what["number"])
                for sort, what in rows
            ]
        if kind == "t":
            return self._main, list(self._block_rows(item))
        key = self._key(item.key)
        return self._main, [IndexItem(key, sort, **what) for sort, what in _pieces(item, item.sort)]

    def _block_rows(self, item: Packed) -> Iterator[IndexItem]:
        """The rows of a block; the first has all its postings and stands in by_tfidf."""
        number, _, term = item.key[2:].partition("#")
        key, sort = self._key(f"t#{term}"), f"{number}#{item.sort}"
        for place, (part, what) in enumerate(_pieces(item, sort)):
            row = IndexItem(key, part, df=item.df, **what)
            if place == 0:
                row.term, row.impact = self._key(term), item.impact
            yield row

    def get(
        self, key: str, sorts: Sequence[str] | None = None, *, positions: bool = True
    ) -> list[Packed]:
        kind, _, rest = key.partition("#")
        newest = positions or not self._is_settled
        if _is_delta(key):
            return self._deltas(key, sorts, newest)
        if kind == "t":
            number, _, term = rest.partition("#")
            found = self._term(number, term, positions)
        elif kind == "o":
            rows = self._terms.query_raw(TermsItem.key == self._key(rest), newest=True)
            found = join(key, rows, "s")
        else:
            found = self._read(key, IndexItem.key == self._key(key), None, newest)
        wanted = None if sorts is None else set(sorts)
        return [item for item in found if wanted is None or item.sort in wanted]

    def _deltas(self, key: str, sorts: Sequence[str] | None, newest: bool) -> list[Packed]:
        """One query over the range of the segments that are asked for."""
        if sorts is not None and not sorts:
            return []
        where = None if sorts is None else DeltaItem.segment.between(min(sorts), max(sorts) + "~")
        rows = self._delta.query_raw(DeltaItem.key == self._key(key), where, newest=newest)
        found = join(key, rows, "s")
        wanted = None if sorts is None else set(sorts)
        return [item for item in found if wanted is None or item.sort in wanted]

    def _read(
        self, key: str, hash_is: Condition, where: Condition | None, newest: bool
    ) -> list[Packed]:
        return join(key, self._main.query_raw(hash_is, where, newest=newest), "g")

    def _term(self, number: str, term: str, positions: bool) -> list[Packed]:
        """The blocks of a term in one generation; through by_tfidf if positions do not matter.

        They say how many postings they have together, so a read that may be old can be trusted.
        """
        own = self._own_terms(number)
        if own is not None and term not in own:
            return []
        key = f"t#{number}#{term}"
        if not positions or self._is_settled:
            rows = self._layers(number, term) if positions else self._best_first(term)
            found = _of_generation(key, number, rows)
            if found and sum(posting_count(item.postings) for item in found) == found[0].df:
                return found
        return _of_generation(key, number, self._layers(number, term, newest=True))

    def _layers(self, number: str, term: str, *, newest: bool = False) -> Iterator[Raw]:
        """The blocks of a term in one generation, with their positions."""
        of_term = IndexItem.key == self._key(f"t#{term}")
        layers = IndexItem.sort.startswith(f"{number}#")
        return self._main.query_raw(of_term, layers, newest=newest)

    def _best_first(self, term: str) -> list[Raw]:
        """The blocks of a term in all generations, as by_tfidf has them."""
        found = self._blocks.get(term)
        if found is None:
            if len(self._blocks) >= REMEMBERED:
                self._blocks.clear()
            rows = self._main.query_raw(
                IndexItem.term == self._key(term), index="by_tfidf", backwards=True
            )
            # Only first rows stand there, and they have all postings: the others need not come.
            found = [{k: v for k, v in row.items() if k != "n"} for row in rows]
            self._blocks[term] = found
        return found

    def _own_terms(self, number: str) -> frozenset[str] | None:
        """Which terms have blocks in a generation; None if it does not say."""
        if number not in self._own:
            items = self.get(f"o#{number}")
            own = frozenset(term for item in items for term in terms_in(item))
            if not items:
                return None
            self._own[number] = own
        return self._own[number]

    def dictionary(self, key: str, prefix: str) -> list[Packed]:
        hash_is = IndexItem.key == self._key(key)
        newest = not self._is_settled
        before: list[Raw] = []
        if prefix:  # the word may stand in the item that begins before it
            before = list(
                islice(
                    self._main.query_raw(
                        hash_is, IndexItem.sort <= prefix, newest=newest, limit=1, backwards=True
                    ),
                    1,
                )
            )
        first = before[0]["g"]["S"] if before else ""
        if "!" in first:  # the last piece of an item: read it from its first
            before, first = [], first.partition("!")[0]
            where = IndexItem.sort.between(first, prefix + LAST)
        else:
            where = IndexItem.sort.between(prefix + " ", prefix + LAST)
        after = self._main.query_raw(hash_is, where, newest=newest)
        return join(key, [*before, *after], "g")

    def drop(self, key: str) -> None:
        if not _is_delta(key):
            self._generations.give_up(int(key.rstrip("#*").split("#")[1]))

    def purge(self) -> None:
        self._generations.purge()

    def size(self) -> int:
        sizes = [table.call("DescribeTable")["Table"] for table in (self._delta, self._main)]
        return sum(int(table.get("TableSizeBytes", 0)) for table in sizes)

    def _key(self, key: str) -> str:
        return f"{self._collection}#{key}"


def _is_delta(key: str) -> bool:
    return key.startswith("0#") or key == "d#0"


def _pieces(item: Packed, sort: str) -> Iterator[tuple[str, Json]]:
    sort = sort or EMPTY
    for place, (postings, positions, number) in enumerate(cut(item)):
        what = {"postings": postings, "positions": positions or None, "number": number}
        yield f"{sort}!{place}" if place else sort, what


def _of_generation(key: str, number: str, rows: Iterable[Raw]) -> list[Packed]:
    """The blocks of one generation among those of a term, the first layer first."""
    mark = f"{number}#"
    mine = [row for row in rows if row["g"]["S"].startswith(mark)]
    mine.sort(key=lambda row: row["g"]["S"])
    stripped = [{**row, "g": {"S": row["g"]["S"][len(mark) :]}} for row in mine]
    return join(key, stripped, "g")
