"""What a query may cost: seconds, words that its prefixes begin, and reads where they are billed.

Loops whose length depends on a query ask the budget whether to go on. What is left out then is said
in the answer, so nothing is missing in silence. A segment of the index is searched whole or not at
all: half of a list would let a negation find pages that it excludes.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from typing import TYPE_CHECKING

from gossamer.core.errors import OverBudget, QueryError
from gossamer.core.index.postings import AS_WRITTEN
from gossamer.core.index.segments.dictionary import BLOCK_TERMS
from gossamer.core.search.plan import Beginning

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.core.search.plan import Plan
    from gossamer.search.snapshot import Snapshot

# That all prefixes of a query begin, in all segments. A million are read in about a second; 100,000
# synthetic documents have 90,000.
MOST_WORDS = 1_000_000
AFTER = "\U0010ffff"  # comes after every word that begins alike

NOT_SEARCHED = "a part of the pages was not searched, so results may be missing"
NOT_GROUPED = "similar pages were not looked for to the end, so results may be missing"
NOT_COUNTED = "not all facets were counted"
NOT_SPELLED = "other spellings were not looked for"
NOT_SHOWN = "some results have no explanation and show the beginning of their text"
NOT_FILLED = "results that have only some of the words were not looked for"
NOT_LISTED = "fewer results are listed than were found"
# Reads that are left for showing results when others must stop: of as many results, and of columns.
FOR_RESULTS, FOR_THE_REST = 30, 10
ADVICE = "type more letters before a star, use fewer words, or ask for fewer results"


def _no_reads() -> float:
    return 0.0


class Budget:
    """The seconds and reads of one query, and what was left out when they were over."""

    def __init__(
        self,
        seconds: float = math.inf,
        clock: Callable[[], float] = time.monotonic,
        most_reads: float = math.inf,
        reads: Callable[[], float] = _no_reads,
    ) -> None:
        """`reads` says how many a store has made so far, in read units (ports/segments.py)."""
        self.seconds, self.most_reads = seconds, most_reads
        self.left_out: dict[str, None] = {}
        self._clock, self._until = clock, clock() + seconds
        self._reads, self._read_before = reads, reads()
        self._kept_back = 0.0
        self._of_groups: Counter[int] = Counter()  # reads of other processes, by group

    def keep_back(self, results: int) -> None:
        """Leave as many reads as showing so many results takes."""
        if self.most_reads < math.inf:
            wanted = min(results, FOR_RESULTS) + FOR_THE_REST
            self._kept_back = min(wanted, self.most_reads / 2)

    @property
    def taken(self) -> float:
        """The reads that were made so far."""
        return self._reads() - self._read_before

    @property
    def reads_left(self) -> float:
        """How many reads may still be made, those that are kept back included."""
        return max(0.0, self.most_reads - self.taken)

    def left_for(self, group: int) -> float:
        """How many reads a group of segments may still make, which has as many as a query."""
        return max(0.0, self.most_reads - self._of_groups[group])

    def took(self, group: int, reads: float) -> None:
        """A group of segments made reads for this query, or for another spelling of it."""
        self._of_groups[group] += reads  # type: ignore[assignment]

    @property
    def left(self) -> float:
        """The seconds that are left; none are, when it is over."""
        return max(0.0, self._until - self._clock())

    @property
    def is_over(self) -> bool:
        """Whether the query has taken all its time, or all its reads but those kept back."""
        return self._clock() > self._until or self.reads_left <= self._kept_back

    def check(self) -> None:
        """Raise OverBudget if the query has taken all its time, or all its reads."""
        if self.is_over:
            raise OverBudget(f"the query takes more than {self._limit()}; {ADVICE}")

    def _limit(self) -> str:
        is_late = self._clock() > self._until
        return f"{self.seconds:g} s" if is_late else f"{self.most_reads:g} reads"

    def leaves_out(self, what: str) -> bool:
        """Whether the time is over, so that `what` the answer says is true of it."""
        if self.is_over:
            self.leave_out(what)
            return True
        return False

    def leave_out(self, *what: str) -> None:
        """Say in the answer what is missing."""
        self.left_out.update(dict.fromkeys(what))

    def notes(self) -> list[str]:
        """What the answer says about it: nothing, if all was done in time."""
        if not self.left_out:
            return []
        missing = "; ".join(self.left_out)
        return [f"stopped after {self._limit()}: {missing}. For a whole answer {ADVICE}"]


UNLIMITED = Budget()


def check_words(plan: Plan, snapshot: Snapshot) -> None:
    """Refuse prefixes that begin too many words; no word is read for that."""
    prefixes = {leaf.looked_up: leaf for leaf in plan.leaves() if isinstance(leaf, Beginning)}
    words = {prefix: _words(AS_WRITTEN + prefix, snapshot) for prefix in prefixes}
    if sum(words.values()) > MOST_WORDS:
        widest = max(words, key=words.__getitem__)
        raise QueryError(
            f"{sum(words.values()):,} words may begin so, and a query looks up at most"
            f' {MOST_WORDS:,}: type more letters before the star of "{prefixes[widest].prefix}*"',
            0,
        )


def _words(prefix: str, snapshot: Snapshot) -> int:
    """How many words begin so at most, by the blocks that they lie in."""
    indexes = [part.view.segment.sparse for part in snapshot.parts]
    return sum(BLOCK_TERMS * len(each.blocks_between(prefix, prefix + AFTER)) for each in indexes)
