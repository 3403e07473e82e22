"""What is asked of a group of segments, and what it answers: both travel as JSON."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from gossamer.core.index.segments.manifest import Manifest
from gossamer.core.search import spelling
from gossamer.core.search.planning import compounds
from gossamer.core.search.result import DocumentView, Hit, HowRead
from gossamer.core.search.written_forms import Written
from gossamer.search.asked_terms import Whole
from gossamer.search.suggest.completions import Completion


class _Limited(msgspec.Struct, frozen=True, kw_only=True):
    # What the answer may take: read units and seconds; None: as many as it needs.
    reads: float | None = None
    seconds: float | None = None


class _OfAQuery(_Limited, frozen=True):
    manifest: Manifest  # names the segments of the group, and no others
    query: str
    how: HowRead


class Count(_OfAQuery, frozen=True, tag="count"):
    """In how many documents is each term of the query?"""


class Rank(_OfAQuery, frozen=True, tag="rank"):
    """Which documents are the best?"""

    whole: Whole
    count: int  # how many at most


class Show(_OfAQuery, frozen=True, tag="show"):
    """What do some of them say?"""

    whole: Whole
    places: list[tuple[int, int, float]]  # parts, numbers in them and scores


class Near(_Limited, frozen=True, tag="near"):
    """Which words are some misspelt ones likely to be?"""

    manifest: Manifest
    words: list[tuple[str, int]]  # with the edits that others may be away


class Together(_Limited, frozen=True, tag="together"):
    """How many documents have both of two terms?"""

    manifest: Manifest
    pairs: list[tuple[str, str]]


class Compounds(_Limited, frozen=True, tag="compounds"):
    """What are some words parts of, and made of?"""

    manifest: Manifest
    words: list[str]
    languages: list[str]


class Write(_Limited, frozen=True, tag="write"):
    """How do documents write words that the index has without accents?"""

    manifest: Manifest
    words: list[str]
    languages: list[str]


class Find(msgspec.Struct, frozen=True, tag="find"):
    """Is there a document with this id?"""

    manifest: Manifest
    id: bytes


class Suggest(_Limited, frozen=True, tag="suggest"):
    """What may be meant by what was typed?"""

    manifest: Manifest
    typed: str


# What may take many reads; to find a document takes one of each segment.
Costly: TypeAlias = Count | Rank | Show | Near | Together | Compounds | Write | Suggest
Question: TypeAlias = Costly | Find


class _Paid(msgspec.Struct, frozen=True, kw_only=True):
    left_out: list[str] = []  # of the answer, as its budget was over; see `search.budget`
    reads: float = 0.0  # that it took


class Counted(_Paid, frozen=True, tag="counted"):
    """By term of the plan, or by pair of terms, how many documents have it."""

    dfs: list[int]


class Row(msgspec.Struct, frozen=True, array_like=True):
    """One of the best documents of a group."""

    id: bytes
    part: int
    document: int
    score: float
    cluster: int  # equal for similar pages; 0 for what is like no other
    value: float | str | None = None  # of the column that results are sorted by


class RankedRows(_Paid, frozen=True, kw_only=True, tag="ranked"):
    """The best documents of a group, and what is counted of all that match."""

    best: list[Row]
    total: int
    is_exact: bool
    facets: dict[str, dict[str, int]]
    pinned: int = 0  # of the best: these come first, whatever their scores


class Candidate(msgspec.Struct, frozen=True):
    """A result, if it is chosen among those like it."""

    hit: Hit
    canonical: str
    is_over: bool = False  # its page asked not to be found any more
    template: str = ""
    kind: str = ""
    fetched_at: float = 0.0

    @property
    def url(self) -> str:
        """Where it is."""
        return self.hit.url

    @property
    def language(self) -> str:
        """The language of its text."""
        return self.hit.language


class Shown(_Paid, frozen=True, tag="shown"):
    """What was asked to be shown, in the same order."""

    candidates: list[Candidate]


class NearWords(_Paid, frozen=True, tag="near words"):
    """By misspelt word, others that it may be."""

    found: list[list[spelling.Near]]


class CompoundWords(_Paid, frozen=True, tag="compound words"):
    """By word, what it is a part of, and its own parts."""

    found: list[list[compounds.Found]]


class WrittenWords(_Paid, frozen=True, tag="written words"):
    """Each word as a document of the group writes it."""

    found: list[Written]


class FoundDocument(msgspec.Struct, frozen=True, tag="found"):
    """The document, if the group has it."""

    document: DocumentView | None


class Suggested(_Paid, frozen=True, tag="suggested"):
    """The best completions of the group."""

    completions: list[Completion]


class Gone(msgspec.Struct, frozen=True, tag="gone"):
    """Files that the manifest names were deleted meanwhile: ask again with the next one."""


Answer: TypeAlias = (
    Counted
    | RankedRows
    | Shown
    | NearWords
    | CompoundWords
    | WrittenWords
    | FoundDocument
    | Suggested
    | Gone
)
