"""What does it take to index a corpus, through the command line, compaction included?"""

import argparse
import json
import resource
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.bench import corpora
from scripts.bench.corpora import Corpus
from scripts.bench.failure import BenchFailure
from scripts.bench.process import run
from scripts.bench.progress import tell

_built: dict[int, "Indexed"] = {}  # by this process: one run, one index of each size


@dataclass(frozen=True, slots=True)
class Indexed:
    """A corpus that was indexed, and what it took."""

    corpus: Corpus
    data: Path
    seconds: float  # by Gossamer's own clock: without the start of the process
    cpu_seconds: float  # of the whole process
    index_bytes: int
    peak_mb: float

    @property
    def rate(self) -> float:
        """Documents per second; the indexer is one thread, so this is per core."""
        return self.corpus.documents / self.seconds

    @property
    def share(self) -> float:
        """Bytes of index for a byte of text."""
        return self.index_bytes / self.corpus.text_bytes

    def record(self) -> dict[str, Any]:
        """For the JSON report."""
        return {
            "corpus": self.corpus.name,
            "documents": self.corpus.documents,
            "text_bytes": self.corpus.text_bytes,
            "index_bytes": self.index_bytes,
            "index_share": round(self.share, 4),
            "seconds": round(self.seconds, 3),
            "cpu_seconds": round(self.cpu_seconds, 3),
            "documents_per_second": round(self.rate, 1),
            "peak_mb": self.peak_mb,
        }


def build(corpus: Corpus, settings: argparse.Namespace, data: Path) -> Indexed:
    """Index a copy of a corpus in an empty folder."""
    data.mkdir(parents=True)
    shutil.copy(corpus.database, data)
    before = _cpu_seconds()
    command = [settings.gossamer, "index", "--data", data, "--json"]
    finished = run(command, limit=settings.limit)
    if finished.code != 0:
        raise BenchFailure(f"index of {corpus.name}: exit {finished.code}: {finished.errors}")
    said = json.loads(finished.output)
    if said["documents"] != corpus.documents:
        raise BenchFailure(f"{corpus.name}: {said['documents']} of {corpus.documents} indexed")
    cpu = _cpu_seconds() - before
    found = Indexed(corpus, data, said["seconds"], cpu, said["index_bytes"], finished.peak_mb)
    tell(f"{corpus.name}: {found.seconds:.1f} s ({cpu:.1f} s CPU), {found.rate:.0f} documents/s")
    return found


@contextmanager
def temporary(corpus: Corpus, settings: argparse.Namespace) -> Iterator[Indexed]:
    """An index for as long as the `with` block lasts."""
    with tempfile.TemporaryDirectory(dir=settings.cache, prefix="run-") as folder:
        yield build(corpus, settings, Path(folder) / "data")


def of_size(settings: argparse.Namespace, count: int) -> Indexed:
    """The synthetic corpus of this size, indexed once per run and left in the cache."""
    if count not in _built:
        corpus = corpora.of_size(settings, count)
        data: Path = settings.cache / "indexed" / corpus.name
        shutil.rmtree(data, ignore_errors=True)
        _built[count] = build(corpus, settings, data)
    return _built[count]


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
