"""Corpora indexed with `gossamer index`, and the time and memory that took."""

import argparse
import json
import resource
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gossamer import homes
from gossamer.core.index.segments.reader import Segment
from gossamer.core.index.segments.stored import BLOCKS
from gossamer.settings import Settings
from scripts.bench.failure import BenchFailure
from scripts.bench.machine.processes import Finished, run
from scripts.bench.machine.progress import log
from scripts.bench.worlds import corpora
from scripts.bench.worlds.corpora import Corpus

FACTS = "facts.json"

_built: dict[int, "Indexed"] = {}  # by number of documents: one index of each size per run


@dataclass(frozen=True, slots=True)
class Indexed:
    """An indexed corpus and its cost, compaction included."""

    corpus: Corpus
    data: Path
    seconds: float  # as Gossamer reports them, without the start of the process
    cpu_seconds: float  # without the start; other load on the machine does not change it
    index_bytes: int
    stored_bytes: int  # of these: documents as results show them
    peak_mb: float

    @property
    def rate(self) -> float:
        """Documents per second of one core."""
        return self.corpus.documents / self.cpu_seconds

    @property
    def share(self) -> float:
        """Bytes of index, without stored documents, per byte of text."""
        return (self.index_bytes - self.stored_bytes) / self.corpus.text_bytes

    def facts(self) -> dict[str, float]:
        """The cost, as it is stored."""
        names = ("seconds", "cpu_seconds", "index_bytes", "stored_bytes", "peak_mb")
        return {name: getattr(self, name) for name in names}

    def record(self) -> dict[str, Any]:
        """For the JSON report."""
        return {
            "corpus": self.corpus.name,
            "documents": self.corpus.documents,
            "text_bytes": self.corpus.text_bytes,
            "index_bytes": self.index_bytes,
            "stored_bytes": self.stored_bytes,
            "index_share": round(self.share, 4),
            "seconds": round(self.seconds, 3),
            "cpu_seconds": round(self.cpu_seconds, 3),
            "documents_per_core_second": round(self.rate, 1),
            "peak_mb": self.peak_mb,
        }


def build(corpus: Corpus, settings: argparse.Namespace, data: Path) -> Indexed:
    """Index a copy of a corpus in a new folder."""
    start = _start_seconds(settings)
    data.mkdir(parents=True)
    shutil.copy(corpus.database, data)
    finished, said, cpu = _run(settings, data)
    if said["documents"] != corpus.documents:
        raise BenchFailure(f"{corpus.name}: {said['documents']} of {corpus.documents} indexed")
    found = Indexed(
        corpus,
        data,
        said["seconds"],
        cpu - start,
        said["index_bytes"],
        _stored_bytes(data),
        finished.peak_mb,
    )
    log(f"{corpus.name}: {found.seconds:.1f} s, {found.cpu_seconds:.1f} s CPU")
    return found


def _stored_bytes(data: Path) -> int:
    with closing(homes.open_home(Settings(data=str(data)), read_only=True)) as home:
        opened = [
            Segment(info.name, info.size, home.index.read)
            for info in home.index.manifest().segments
        ]
        return sum(segment.footer.regions[BLOCKS].size for segment in opened)


@contextmanager
def temporary(corpus: Corpus, settings: argparse.Namespace) -> Iterator[Indexed]:
    """An index that is removed after the `with` block."""
    with tempfile.TemporaryDirectory(dir=settings.cache, prefix="run-") as folder:
        yield build(corpus, settings, Path(folder) / "data")


def of_size(settings: argparse.Namespace, count: int) -> Indexed:
    """The synthetic corpus of this size, indexed once per run and kept in the cache.

    With `reuse`, take the index and the cost of an earlier run.
    """
    if count not in _built:
        corpus = corpora.of_size(settings, count)
        data: Path = settings.cache / "indexed" / corpus.name
        known = data / FACTS
        if getattr(settings, "reuse", False) and known.exists():
            _built[count] = Indexed(corpus, data, **json.loads(known.read_text()))
            return _built[count]
        shutil.rmtree(data, ignore_errors=True)
        _built[count] = build(corpus, settings, data)
        known.write_text(json.dumps(_built[count].facts()))
    return _built[count]


def _start_seconds(settings: argparse.Namespace) -> float:
    """CPU time of a process that has nothing to index."""
    with tempfile.TemporaryDirectory(dir=settings.cache, prefix="run-") as folder:
        homes.open_home(Settings(data=folder)).close()  # an empty collection
        return _run(settings, Path(folder))[2]


def _run(settings: argparse.Namespace, data: Path) -> tuple[Finished, dict[str, Any], float]:
    """Index a folder: the process, its report, its CPU time."""
    before = _cpu_seconds()
    finished = run([settings.gossamer, "index", "--data", data, "--json"], limit=settings.limit)
    if finished.code != 0:
        raise BenchFailure(f"index in {data}: exit {finished.code}: {finished.errors}")
    return finished, json.loads(finished.output), _cpu_seconds() - before


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
