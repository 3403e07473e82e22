"""PageStore over WARC files: one gzip member per record, appended, never changed."""

from __future__ import annotations

import os
import zlib
from contextlib import nullcontext
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gossamer.adapters.local.segments import write_file
from gossamer.adapters.warc_file import WarcFile, original_of
from gossamer.adapters.warc_lookup import responses_among, responses_to
from gossamer.adapters.warc_reading import ABOUT, exchange, read_member, read_original
from gossamer.core.crawl.url_record import PageRef
from gossamer.core.errors import CorruptRecord, StoreFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from gossamer.adapters.local.database import Store
    from gossamer.adapters.warc import Original
    from gossamer.ports.fetcher import HttpResponse
    from gossamer.ports.pages import Earlier, KeptResponse, RequestFacts, StoredPage

MAX_FILE_BYTES = 1_000_000_000
PIECE = 1 << 20  # bytes of a file that are copied at a time
HEAD = 4096  # bytes of a packed record that hold its fields


class WarcPages:
    """The WARC files of a collection. A run opens its own file and appends to it alone."""

    def __init__(self, folder: Path, store: Store, decode: Callable[[bytes, str], bytes]) -> None:
        self.folder = folder
        self._store = store
        self.decode = decode
        self._fd = -1
        self._file = WarcFile("", "")

    async def append(
        self, response: HttpResponse, facts: RequestFacts, earlier: Earlier | None = None
    ) -> PageRef:
        if self._fd < 0 or self._file.size > MAX_FILE_BYTES:
            self._open_next(facts.agent)
        original = original_of(response, earlier, self._original)
        ref, records = self._file.add(response, facts, original)
        self._write(records, ref)
        self._store.count("requests")
        self._store.count("bytes", len(response.raw))
        self._store.count(f"code:{response.code}" if response.code else "code:none")
        return ref

    def read(self, ref: PageRef) -> StoredPage:
        return read_page_record(self.folder / ref.file, ref, self.decode)

    def _original(self, ref: PageRef) -> Original | None:
        try:
            head = PageRef(ref.file, ref.offset, min(ref.length, HEAD))
            return read_original(_bytes(self.folder / ref.file, head), ref)
        except CorruptRecord:
            return None

    def exchange(self, ref: PageRef) -> list[bytes]:
        behind = PageRef(ref.file, ref.offset + ref.length, ABOUT)
        about = _bytes(self.folder / name_here(ref.file), behind)
        return exchange(self._member, about, ref)

    def _member(self, place: PageRef) -> bytes:
        return _bytes(self.folder / name_here(place.file), place)

    def files(self) -> list[Path]:
        """All WARC files, in the order of their making."""
        return sorted(self.folder.glob("*.warc.gz"))

    def task(self) -> nullcontext[None]:
        return nullcontext()

    def download(self, folder: Path) -> Iterator[Path]:
        yield from self.files()

    def responses_to(self, url: str, is_late: Callable[[], bool]) -> Iterator[KeptResponse]:
        for path in reversed(self.files()):
            yield from responses_to(url, path, is_late)

    def responses_among(self, is_wanted: Callable[[str], bool]) -> Iterator[KeptResponse]:
        for path in reversed(self.files()):
            yield from responses_among(path.name, self.file_pieces(path.name), is_wanted)

    def archived(self) -> Iterator[tuple[str, int]]:
        return ((path.name, path.stat().st_size) for path in self.files())

    def file_pieces(self, name: str) -> Iterator[bytes]:
        with (self.folder / name).open("rb") as file:
            while piece := file.read(PIECE):
                yield piece

    def name_here(self, name: str) -> str:
        return name_here(name)

    def join_small(self, now: float, goes_on: Callable[[], bool]) -> int:
        del now, goes_on
        return 0  # a run writes one large file

    def adopt(self, name: str, size: int, pieces: Iterable[bytes]) -> None:
        path = self.folder / self.name_here(name)
        if path.exists() and path.stat().st_size == size:
            return
        write_file(self.folder, path.name, pieces, instead=True)
        # It consists of whole records: nothing is to be mended.
        self._store.count(
            end_counter(path.name), size - self._store.counters.get(end_counter(path.name), 0)
        )

    def purge(self) -> int:
        """Delete all files; returns how many."""
        self.close()
        files = self.files()
        for path in files:
            path.unlink()
        return len(files)

    def sync(self) -> None:
        """Make what was appended survive a power cut."""
        if self._fd >= 0:
            os.fsync(self._fd)

    def close(self) -> None:
        if self._fd >= 0:
            self.sync()
            os.close(self._fd)
            self._fd = -1

    def mend(self) -> None:
        """Cut a record that a kill left half-written off the end of the newest file."""
        for path in self.files()[-1:]:
            known = self._store.counters.get(end_counter(path.name), 0)
            whole = _whole_length(path, min(known, path.stat().st_size))
            os.truncate(path, whole)

    def _open_next(self, agent: str) -> None:
        self.close()
        self.folder.mkdir(parents=True, exist_ok=True)
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
        name = f"web-{stamp}.warc.gz"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        self._fd = os.open(self.folder / name, flags, 0o644)
        self._file = WarcFile(name, agent)
        self._write(self._file.head, PageRef(name, 0, 0))

    def _write(self, data: bytes, ref: PageRef) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._fd, view) :]
        except OSError as error:  # no half record may stand before the next one
            os.ftruncate(self._fd, ref.offset)
            self._file.undo(ref)
            raise StoreFailed(f"cannot write {self.folder / ref.file}: {error}") from error
        self._store.count(end_counter(ref.file), len(data))


def read_page_record(path: Path, ref: PageRef, decode: Callable[[bytes, str], bytes]) -> StoredPage:
    """Read one response record of ours from its byte range."""

    def read_original(place: PageRef) -> bytes:
        return _bytes(path.parent / name_here(place.file), place)

    if path.name != ref.file:  # nothing that came by a queue may lead out of the folder
        raise CorruptRecord(f"{ref.file!r} is not the name of a WARC file")
    return read_member(_bytes(path, ref), decode, f"{path.name} at {ref.offset}", read_original)


def name_here(name: str) -> str:
    """What a WARC file of another home is called here: a reference must not lead elsewhere."""
    return name.replace("/", "-")


def _bytes(path: Path, ref: PageRef) -> bytes:
    """A record as it is packed, or as much of it as there is."""
    try:
        with path.open("rb") as file:
            file.seek(ref.offset)
            # As much as there is, whatever is asked for: room is made before anything is read.
            return file.read(max(0, min(ref.length, os.fstat(file.fileno()).st_size)))
    except (OSError, ValueError) as error:  # no such file, or no such name or place
        raise CorruptRecord(f"{path.name} at {ref.offset}: {error}") from error


def _whole_length(path: Path, whole: int) -> int:
    """Up to which byte a file consists of whole gzip members; up to `whole` is known."""
    with path.open("rb") as file:
        file.seek(whole)
        rest = file.read()
    while rest:
        member = zlib.decompressobj(wbits=31)
        try:
            member.decompress(rest)
        except zlib.error:
            break
        if not member.eof:
            break
        whole += len(rest) - len(member.unused_data)
        rest = member.unused_data
    return whole


def end_counter(name: str) -> str:
    """What counts up to which byte a file is whole."""
    return f"end:{name}"
