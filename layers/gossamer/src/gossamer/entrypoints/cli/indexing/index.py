"""The command `gossamer index`: index what was crawled, archives, or folders of files."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gossamer.bolts.index import made_otherwise
from gossamer.core.errors import ConfigurationError
from gossamer.core.page.document import Document
from gossamer.core.page.values import is_name
from gossamer.core.search.metrics import parse_entry
from gossamer.core.urls import url_id
from gossamer.entrypoints.archives.unpacking import check_wacz, is_one_member, is_wacz, warcs_of
from gossamer.entrypoints.cli.command import DONE, cause, print_result, progress, settings_of
from gossamer.entrypoints.cli.rank import rank_home
from gossamer.entrypoints.folders.indexing import index_folder
from gossamer.entrypoints.folders.walking import UNREADABLE, Walk
from gossamer.entrypoints.lambdas.rank import Weighing
from gossamer.entrypoints.local import session
from gossamer.entrypoints.local.index_workers import index_all, index_warc
from gossamer.entrypoints.local.report import counted, size
from gossamer.entrypoints.local.warc_pages import MAX_BYTES, find_pages

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from gossamer.batch.index_pages import Done
    from gossamer.ports.home import Home
    from gossamer.settings import Settings


class Indexed(msgspec.Struct, frozen=True, kw_only=True):
    """What was indexed, and how large the index is now."""

    added: int  # documents from the given sources
    indexed: int
    documents: int
    seconds: float
    index_bytes: int
    outdated: int = 0  # documents that were indexed by other settings
    damaged: int = 0  # records of WARC files that could not be read
    too_large: int = 0  # pages in them that have more than `--max-bytes`
    files: int = 0  # of folders, that can be read
    removed: int = 0  # pages of files that are gone
    skipped: dict[str, int] = {}  # files without a document, by reason


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is indexed besides what was crawled."""
    parser.add_argument(
        "sources", nargs="*", metavar="ARCHIVE|FOLDER",
        help="WARC or WACZ files, folders of files (WARC and WACZ files among them), or of a"
        " corpus.jsonl (default: what was crawled)",
    )  # fmt: skip
    parser.add_argument(
        "--base", default="", metavar="URL",
        help="the folder is a static site that is published there: index its pages and links",
    )  # fmt: skip
    parser.add_argument(
        "--max-bytes", type=int, default=MAX_BYTES, metavar="N",
        help=f"leave out pages and files that are longer (default: {MAX_BYTES:,})",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Index what was crawled, or the given WARC files or folders."""
    settings, sources = settings_of(args), [Path(name) for name in args.sources]
    for path in sources:  # before anything is made for them
        _check(path)
    if args.base and not (sources and all(path.is_dir() for path in sources)):
        raise ConfigurationError("--base goes with a folder: the output of a static site")
    with session.locked(settings, "index", create=bool(sources)) as home:
        done = _Indexing(home, settings, args).index(sources)
    text = (
        f"{counted(done.indexed, 'document')} indexed in {done.seconds:.1f} s; the index holds"
        f" {done.documents:,} in {size(done.index_bytes)}"
    )
    print_result(args, done, text)
    for note in _notes(done, args.max_bytes):
        print(f"gossamer: {note}", file=sys.stderr)
    return DONE


def _notes(done: Indexed, max_bytes: int) -> Iterator[str]:
    """What else people should know."""
    if done.removed:
        yield f"{counted(done.removed, 'page')} of files that are gone left the index"
    if done.skipped:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in done.skipped.items())
        yield f"{counted(sum(done.skipped.values()), 'file')} without a document: {reasons}"
    if done.damaged:
        what = "damaged record was" if done.damaged == 1 else "damaged records were"
        yield f"{done.damaged:,} {what} left out; all others were read"
    if done.too_large:
        what = "page is" if done.too_large == 1 else "pages are"
        yield (
            f"{done.too_large:,} {what} longer than {max_bytes:,} bytes and left out;"
            " --max-bytes N admits longer ones"
        )
    if done.outdated:
        yield (
            f"{done.outdated:,} of them were indexed by other settings or by an earlier version;"
            " `gossamer reindex` indexes them anew"
        )


def _check(path: Path) -> None:
    """Raise ConfigurationError if nothing of a source can be read."""
    if not path.exists():
        raise ConfigurationError(f"cannot index {path}: no such file or folder")
    if path.is_dir():
        return
    if is_wacz(path):
        check_wacz(path)
    elif not is_one_member(path):
        next(find_pages(path), None)


class _Indexing:
    """Sources one after another, and what has become of them so far."""

    def __init__(self, home: Home, settings: Settings, args: argparse.Namespace) -> None:
        self._home, self._settings, self._show = home, settings, progress(args)
        self._base, self._max_bytes = args.base, args.max_bytes
        self._kept = self._indexed = self._damaged = self._too_large = 0
        self._files = self._removed = 0
        self._skipped: Counter[str] = Counter()
        self._is_linked = False

    def index(self, sources: Sequence[Path]) -> Indexed:
        """Index all sources, and what was kept before."""
        began = time.perf_counter()
        for path in sources:
            self._add(path)
        self._indexed += index_all(self._home, self._settings, self._tell)
        if self._is_linked:
            rank_home(self._home, self._settings, Weighing(), self._show)
        self._show("")
        return self._report(time.perf_counter() - began)

    def _report(self, seconds: float) -> Indexed:
        manifest = self._home.index.manifest()
        return Indexed(
            added=self._kept,
            indexed=self._indexed,
            documents=manifest.live,
            seconds=round(seconds, 3),
            index_bytes=manifest.size,
            outdated=made_otherwise(self._home),
            damaged=self._damaged,
            too_large=self._too_large,
            files=self._files,
            removed=self._removed,
            skipped=dict(self._skipped.most_common()),
        )

    def _tell(self, count: int) -> None:
        self._show(f"{counted(self._indexed + count, 'document')} indexed")

    def _add(self, path: Path) -> None:
        """Keep the documents of a source; those of archives and files are indexed at once."""
        if not path.is_dir():
            for warc in warcs_of(path):
                self._add_warc(path, warc)
        elif (path / "corpus.jsonl").exists() and not self._base:
            self._kept += add_beir(self._home, path)
        else:
            self._add_folder(path)

    def _add_warc(self, source: Path, warc: Path) -> None:
        home, settings = self._home, self._settings
        try:
            self._note(index_warc(warc, home, settings, self._tell, self._max_bytes))
        except ConfigurationError as error:
            named = source if source == warc else f"{warc.name} in {source}"
            raise ConfigurationError(str(error).replace(str(warc), str(named))) from error

    def _add_folder(self, path: Path) -> None:
        walk = Walk(path, self._base, self._max_bytes)
        found = index_folder(walk, self._home, self._settings, self._tell, time.time())
        self._note(found.done)
        self._files += found.files
        self._removed += found.removed
        self._skipped += found.skipped
        self._is_linked |= found.linked
        for archive in walk.archives:
            self._add_archive_of_folder(archive)

    def _add_archive_of_folder(self, archive: Path) -> None:
        """Index an archive that was not named; one that cannot be read does not end the others."""
        try:
            for warc in warcs_of(archive):
                self._add_warc(archive, warc)
        except ConfigurationError:
            self._skipped[UNREADABLE] += 1
        else:
            self._files += 1

    def _note(self, done: Done) -> None:
        self._kept += done.kept
        self._indexed += done.indexed
        self._damaged += done.damaged
        self._too_large += done.too_large


def add_beir(home: Home, folder: Path) -> int:
    """Keep the documents of a folder in BEIR's layout (corpus.jsonl); returns how many."""
    count = 0
    try:
        changed_at = (folder / "corpus.jsonl").stat().st_mtime
        with (folder / "corpus.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                if line.strip():
                    entry = parse_entry(line)
                    document = Document(
                        url=f"beir:{entry.id}",
                        title=entry.title,
                        text=entry.text,
                        values={n: v for n, v in entry.metadata.items() if is_name(n)},
                    )
                    home.documents.put(url_id(document.url), [document], changed_at)
                    count += 1
    except (OSError, json.JSONDecodeError, ValueError) as error:
        corpus = folder / "corpus.jsonl"
        raise ConfigurationError(f"cannot read {corpus}: {cause(error)}") from error
    home.commit()
    return count
