"""The command `gossamer index`: index what was crawled, WARC files, or judged collections."""

from __future__ import annotations

import json
import sys
import time
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import msgspec
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.statusandheaders import StatusAndHeadersParserException

from gossamer.bolts.index import made_otherwise
from gossamer.core.crawl.job import JobConfig, Rules
from gossamer.core.errors import ConfigurationError
from gossamer.core.page.document import Document
from gossamer.core.page.read_response import READERS, read_response
from gossamer.core.search.metrics import parse_entry
from gossamer.core.urls import normalise, url_id
from gossamer.entrypoints.cli.command import DONE, print_result, progress, settings_of
from gossamer.entrypoints.local import session
from gossamer.entrypoints.local.index_workers import index_all
from gossamer.entrypoints.local.report import size

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from warcio.recordloader import ArcWarcRecord

    from gossamer.ports.home import Home
    from gossamer.settings import Settings

DAMAGE = (OSError, EOFError, ValueError, ArchiveLoadFailed, StatusAndHeadersParserException)
READ_BYTES = 65_536
NO_PAGE = (
    "text/plain"  # in a WARC file it is robots.txt or a list of addresses, more often than not
)


class Indexed(msgspec.Struct, frozen=True, kw_only=True):
    """What was indexed, and how large the index is now."""

    added: int  # documents from the given sources
    indexed: int
    documents: int
    seconds: float
    index_bytes: int
    outdated: int = 0  # documents that were indexed by other settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is indexed besides what was crawled."""
    parser.add_argument(
        "sources", nargs="*", metavar="WARC|FOLDER",
        help="WARC files, or folders with a corpus.jsonl (default: what was crawled)",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Index what was crawled, or the given WARC files or folders."""
    settings = settings_of(args)
    with session.locked(settings, "index") as home:
        done = _index(home, settings, [Path(name) for name in args.sources], progress(args))
    text = (
        f"{done.indexed:,} documents indexed in {done.seconds:.1f} s; the index holds"
        f" {done.documents:,} in {size(done.index_bytes)}"
    )
    print_result(args, done, text)
    if done.outdated:
        print(
            f"gossamer: {done.outdated:,} of them were indexed by other settings or by an earlier"
            " version; `gossamer reindex` indexes them anew",
            file=sys.stderr,
        )
    return DONE


def _index(
    home: Home, settings: Settings, sources: list[Path], show: Callable[[str], None]
) -> Indexed:
    added = sum(_add(home, path) for path in sources)
    began = time.perf_counter()
    indexed = index_all(home, settings, lambda done: show(f"{done:,} documents indexed"))
    show("")
    return Indexed(
        added=added,
        indexed=indexed,
        documents=home.index.manifest().live,
        seconds=round(time.perf_counter() - began, 3),
        index_bytes=home.index.manifest().size,
        outdated=made_otherwise(home),
    )


def _add(home: Home, path: Path) -> int:
    if path.is_dir():
        return add_beir(home, path)
    if not path.is_file():
        raise ConfigurationError(f"cannot index {path}: no such file or folder")
    return add_warc(home, path)


def add_warc(home: Home, path: Path) -> int:
    """Keep the documents of a WARC file of any crawler; returns how many."""
    count = 0
    try:
        with path.open("rb") as file, redirect_stderr(StringIO()):  # warcio warns there
            for url, documents, fetched_at in pages_of(file):
                home.documents.put(url_id(url), documents, fetched_at)
                count += len(documents)
    except DAMAGE as error:
        raise ConfigurationError(f"cannot read {path}: {_one_line(error)}") from error
    home.commit()
    return count


def _one_line(error: Exception) -> str:
    text = "".join(c if c.isprintable() else " " for c in str(error)[:120])
    return " ".join(text.split()) or type(error).__name__


def pages_of(file: BinaryIO) -> Iterator[tuple[str, list[Document], float]]:
    """The pages of a WARC file of any crawler: URL, documents and date."""
    rules = Rules(JobConfig())
    for record in _records_of(file):
        url = normalise(record.rec_headers.get_header("WARC-Target-URI") or "")
        if record.rec_type != "response" or url is None or record.http_headers is None:
            continue
        if record.http_headers.get_statuscode() != "200" or not _is_page(record):
            continue
        headers = tuple(record.http_headers.headers)
        parsed = read_response("page", record.content_stream().read(), url, headers, rules)
        if not parsed.noindex:
            yield url, parsed.documents, _date_of(record)


def _is_page(record: ArcWarcRecord) -> bool:
    kind = record.http_headers.get_header("Content-Type", "").partition(";")[0].strip().lower()
    return kind in READERS and kind != NO_PAGE


def _records_of(file: BinaryIO) -> Iterator[ArcWarcRecord]:
    for record in ArchiveIterator(file):
        if record.format != "warc":
            raise ArchiveLoadFailed("it is no WARC file")
        yield record
        while record.raw_stream.read(READ_BYTES):
            pass
        if record.length is None or record.raw_stream.limit:
            raise ArchiveLoadFailed("a record is cut short")


def _date_of(record: ArcWarcRecord) -> float:
    from datetime import datetime

    text = record.rec_headers.get_header("WARC-Date") or "1970-01-01T00:00:00Z"
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def add_beir(home: Home, folder: Path) -> int:
    """Keep the documents of a folder in BEIR's layout (corpus.jsonl); returns how many."""
    count = 0
    try:
        changed_at = (folder / "corpus.jsonl").stat().st_mtime
        with (folder / "corpus.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                if line.strip():
                    entry = parse_entry(line)
                    document = Document(url=f"beir:{entry.id}", title=entry.title, text=entry.text)
                    home.documents.put(url_id(document.url), [document], changed_at)
                    count += 1
    except (OSError, json.JSONDecodeError, ValueError) as error:
        raise ConfigurationError(f"cannot read {folder / 'corpus.jsonl'}: {error}") from error
    home.commit()
    return count
