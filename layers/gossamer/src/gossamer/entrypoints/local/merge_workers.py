"""Merge the terms of large segments on all cores, each process a range of the terms.

A process is forked when its range is to be merged: it sees the open segments and how documents are
numbered as the main process does, writes its run of terms to files, and ends. The main process puts
the runs together; meanwhile it merges everything but the terms.
"""

from __future__ import annotations

import multiprocessing
import os
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TYPE_CHECKING

import msgspec

from gossamer.batch.compact import written_here
from gossamer.core.errors import CorruptRecord, StoreFailed
from gossamer.core.index.segments.merger import merged_terms, term_edges
from gossamer.core.index.segments.vocabulary import Counted
from gossamer.core.index.segments.writer import Terms, TermWriter
from gossamer.entrypoints.local.garbage import collect_rarely

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import BinaryIO

    from gossamer.batch.compact import TermRuns, WriteTerms
    from gossamer.core.index.segments.merger import Fetch, Order, Source

WORTHWHILE = 500_000  # postings
FACTS, PROBLEM = "facts", "problem"  # files of a process


def write_terms(workers: int) -> WriteTerms:
    """What merges terms on so many cores; 0 for all there are."""
    width = workers or os.cpu_count() or 1
    here = partial(written_here, open_file=TemporaryFile)

    def write(sources: Sequence[Source], order: Order, fetch: Fetch) -> TermRuns:
        postings = sum(source.segment.footer.postings for source in sources)
        if width < 2 or postings < WORTHWHILE:
            return here(sources, order, fetch)
        return _Merging(sources, order, fetch, width)

    return write


class _Merging:
    """Processes at work; iterating waits for them, closing ends them."""

    def __init__(self, sources: Sequence[Source], order: Order, fetch: Fetch, width: int) -> None:
        self._folder = TemporaryDirectory(prefix="gossamer-merge-")
        context = multiprocessing.get_context("fork")
        self._processes = []
        segments = [source.segment for source in sources]
        for number, (low, high) in enumerate(pairwise(term_edges(segments, width))):
            place = Path(self._folder.name) / str(number)
            place.mkdir()
            work = partial(_merge, sources, order, fetch, low, high, place)
            process = context.Process(target=work, daemon=True)
            process.start()
            self._processes.append((process, place))

    def __iter__(self) -> Iterator[Terms]:
        for process, place in self._processes:
            process.join()
            if (place / PROBLEM).exists():
                raise CorruptRecord((place / PROBLEM).read_text())
            if process.exitcode:
                raise StoreFailed(
                    f"a process that merges the index ended with {process.exitcode}, perhaps"
                    " for want of memory or of room in the temporary folder; nothing is lost:"
                    " run the same command again"
                )
            yield _read(place)

    def close(self) -> None:
        """End what is still at work; runs that were taken stay readable."""
        for process, _ in self._processes:
            process.terminate()
            process.join()
        self._folder.cleanup()


def _merge(
    sources: Sequence[Source], order: Order, fetch: Fetch, low: str, high: str, place: Path
) -> None:
    """Merge a range of terms into files; in a process of its own."""
    collect_rarely()
    numbers = iter(range(3))

    def open_file() -> BinaryIO:
        return (place / str(next(numbers))).open("wb")

    terms = TermWriter(open_file)
    try:
        for table in merged_terms(sources, order, fetch, low, high):
            terms.add(table)
    except CorruptRecord as error:
        (place / PROBLEM).write_text(str(error))
        os._exit(1)
    written = terms.written
    written.close()
    counts = written.terms, written.postings, written.positions
    facts = written.first_terms, written.sizes, *counts, written.words
    (place / FACTS).write_bytes(msgspec.msgpack.encode(facts))
    os._exit(0)  # what was inherited from the main process is not ours to close


def _read(place: Path) -> Terms:
    """The run of terms that a process has written; its files are deleted when they are closed."""
    kind = tuple[list[str], list[tuple[int, int, int]], int, int, int, Counted]
    facts = msgspec.msgpack.decode((place / FACTS).read_bytes(), type=kind)
    names = TermWriter().written.files
    files: dict[str, BinaryIO] = {
        name: (place / str(number)).open("rb") for number, name in enumerate(names)
    }
    return Terms(files, *facts)
