"""Words of an index that a misspelt one may be, and which words occur together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from gossamer.core.errors import OverBudget
from gossamer.core.index.postings import AS_WRITTEN
from gossamer.core.search.plan import Asked, Kind, Plan, Wanted
from gossamer.core.search.planning import compounds
from gossamer.core.search.spelling import Near, ranked, similar, suggestions
from gossamer.core.search.written_forms import Written, form_in
from gossamer.search.results.texts import Texts
from gossamer.search.rounds import Rounds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gossamer.core.index.analyzer import Analyzer
    from gossamer.core.index.segments.vocabulary import Vocabulary
    from gossamer.core.search.planning.other_languages import Readers
    from gossamer.ports.segments import SegmentStore
    from gossamer.search.budget import Budget
    from gossamer.search.snapshot import Part, Snapshot, Snapshots

    # A word, and how many edits away others may be; 0: as far as suggestions may be.
    Misspelt = tuple[str, int]
    Mask = npt.NDArray[np.bool_]

READ = 2  # documents of a segment, to see how they write a word
READS_OF_A_WORD = 3  # to see that: where its list lies, the list, and a text
MOST = 40  # neighbours of a word that are looked at, as many as are compared in earnest


class Neighbours(Protocol):
    """An index, or groups of its segments."""

    def near(self, words: Sequence[Misspelt]) -> list[list[Near]]:
        """For each word others that it may be, the likeliest first."""

    def together(self, pairs: Sequence[tuple[str, str]]) -> list[int]:
        """How many documents have both of two terms."""

    def written(self, words: Sequence[str], readers: Readers) -> list[Written]:
        """How documents write words that the index has without accents."""


class KnownWords(Neighbours, Protocol):
    """The same, with how words are made of others."""

    def compounds(self, words: Sequence[str], reader: Analyzer) -> list[list[compounds.Found]]:
        """For each word what it is a part of, and its own parts."""


@dataclass(frozen=True, slots=True)
class InSnapshot:
    """The words of a snapshot."""

    index: SegmentStore
    opened: Snapshots
    snapshot: Snapshot
    budget: Budget

    def near(self, words: Sequence[Misspelt]) -> list[list[Near]]:
        """For each word others that it may be; none if there are no reads left to look for them."""
        known = self._vocabularies()
        return [_near(known, word, edits)[:MOST] for word, edits in words]

    def compounds(self, words: Sequence[str], reader: Analyzer) -> list[list[compounds.Found]]:
        """For each word what it is a part of, and its own parts."""
        known = self._vocabularies()
        return [compounds.related(known, word, reader.term) for word in words]

    def _vocabularies(self) -> list[Vocabulary]:
        """Those of all segments that have one, read at once."""
        views = [part.view for part in self.snapshot.parts]
        wishes = [wish for view in views for wish in view.missing_vocabulary()]
        if wishes:
            self.budget.check()
            if len(wishes) > self.budget.reads_left / 2:
                raise OverBudget("there are too few reads left to look for other spellings")
            fetched = self.opened.read([place for place, _ in wishes])
            for (_, learn), data in zip(wishes, fetched, strict=True):
                learn(data)
        return [known for view in views if (known := view.vocabulary()) is not None]

    def together(self, pairs: Sequence[tuple[str, str]]) -> list[int]:
        """How many documents have both of two terms."""
        self._fetch({term for pair in pairs for term in pair})
        counts = np.zeros(len(pairs), np.int64)
        for part in self.snapshot.parts:
            counts += [self._count_common(part, *pair) for pair in pairs]
        return counts.tolist()

    def written(self, words: Sequence[str], readers: Readers) -> list[Written]:
        """How documents write words that the index has without accents."""
        known = self._vocabularies()
        counts = [sum(each.documents for each in similar(known, word, 0)) for word in words]
        there = [word for word, count in zip(words, counts, strict=True) if count]
        if len(there) > self.budget.reads_left / (2 * READS_OF_A_WORD):
            raise OverBudget("there are too few reads left to see how words are written")
        self._fetch({AS_WRITTEN + word for word in there})
        forms = {word: self._form(word, readers) for word in there}
        return [Written(forms.get(word, ""), n) for word, n in zip(words, counts, strict=True)]

    def _form(self, word: str, readers: Readers) -> str:
        """How the first documents that have a word write it."""
        texts = Texts(self.opened)
        for part in self.snapshot.parts:
            documents = np.flatnonzero(self._live_documents(part, AS_WRITTEN + word))
            for number in documents[:READ].tolist():
                [stored] = texts.fetch([(part.view, number)])
                shown = (stored.title, *stored.headings, stored.text, stored.description)
                if form := form_in(shown, word, readers, stored.language):
                    return form
        return ""

    def _count_common(self, part: Part, *terms: str) -> int:
        """Return how many live documents of a segment have both of two terms."""
        self.budget.check()
        shorter, longer = sorted(terms, key=lambda term: part.view.term(term).df)
        mask = self._live_documents(part, longer)
        short_list = part.view.term(shorter)
        if short_list.by_document() is not None:
            return int(np.count_nonzero(mask & part.view.having(shorter)))
        return sum([int(mask[layer.documents].sum()) for layer in short_list.layers()])

    def _live_documents(self, part: Part, term: str) -> Mask:
        """Return a mask of the live documents of a segment that have a term."""
        self.budget.check()
        mask = part.view.having(term)
        return mask if part.is_whole else mask & part.live

    def _fetch(self, terms: Iterable[str]) -> None:
        """Have the lists at hand, if a read takes long."""
        if self.index.is_far:
            asked = tuple([Asked(Kind.TERM, term) for term in sorted(terms)])
            plan = Plan("boolean", None, asked, None, Wanted())
            Rounds(self.opened, self.budget).fetch(plan, self.snapshot)


def _near(known: Sequence[Vocabulary], word: str, edits: int) -> list[Near]:
    return similar(known, word, edits) if edits else suggestions(known, word)


def merged(typed: str, found: Iterable[Sequence[Near]]) -> list[Near]:
    """What several groups of segments know of a word, as one list."""
    by_word: dict[str, Near] = {}
    for near in (near for each in found for near in each):
        before = by_word.get(near.word)
        count = near.documents + (before.documents if before else 0)
        by_word[near.word] = near._replace(documents=count)
    return ranked(typed, list(by_word.values()))[:MOST]
