"""The command `gossamer index`: index what was crawled, WARC files, or judged collections."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gossamer.batch.index_pages import Done
from gossamer.bolts.index import made_otherwise
from gossamer.core.errors import ConfigurationError
from gossamer.core.page.document import Document
from gossamer.core.page.values import is_name
from gossamer.core.search.metrics import parse_entry
from gossamer.core.urls import url_id
from gossamer.entrypoints.cli.command import DONE, cause, print_result, progress, settings_of
from gossamer.entrypoints.local import session
from gossamer.entrypoints.local.index_workers import index_all, index_warc
from gossamer.entrypoints.local.report import counted, size
from gossamer.entrypoints.local.warc_pages import find_pages

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from gossamer.batch.index import Tell
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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is indexed besides what was crawled."""
    parser.add_argument(
        "sources", nargs="*", metavar="WARC|FOLDER",
        help="WARC files, or folders with a corpus.jsonl (default: what was crawled)",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Index what was crawled, or the given WARC files or folders."""
    settings, sources = settings_of(args), [Path(name) for name in args.sources]
    for path in sources:  # before anything is made for them
        _check(path)
    with session.locked(settings, "index", create=bool(sources)) as home:
        done = _index(home, settings, sources, progress(args))
    text = (
        f"{counted(done.indexed, 'document')} indexed in {done.seconds:.1f} s; the index holds"
        f" {done.documents:,} in {size(done.index_bytes)}"
    )
    print_result(args, done, text)
    if done.damaged:
        what = "damaged record was" if done.damaged == 1 else "damaged records were"
        print(f"gossamer: {done.damaged:,} {what} left out; all others were read", file=sys.stderr)
    if done.outdated:
        print(
            f"gossamer: {done.outdated:,} of them were indexed by other settings or by an earlier"
            " version; `gossamer reindex` indexes them anew",
            file=sys.stderr,
        )
    return DONE


def _check(path: Path) -> None:
    """Raise ConfigurationError if nothing of a source can be read."""
    if not path.exists():
        raise ConfigurationError(f"cannot index {path}: no such file or folder")
    if not path.is_dir():
        next(find_pages(path), None)
    elif not (path / "corpus.jsonl").exists():
        raise ConfigurationError(
            f"cannot index {path}: a folder needs a corpus.jsonl; of one with WARC files, name"
            f" the files: {path}/*.warc.gz"
        )


def _index(
    home: Home, settings: Settings, sources: list[Path], show: Callable[[str], None]
) -> Indexed:
    began = time.perf_counter()

    def tell(count: int) -> None:
        show(f"{counted(count, 'document')} indexed")

    done = Done()
    for path in sources:
        _add(path, home, settings, done, tell)
    done.indexed += index_all(home, settings, lambda count: tell(done.indexed + count))
    show("")
    return Indexed(
        added=done.kept,
        indexed=done.indexed,
        documents=home.index.manifest().live,
        seconds=round(time.perf_counter() - began, 3),
        index_bytes=home.index.manifest().size,
        outdated=made_otherwise(home),
        damaged=done.damaged,
    )


def _add(path: Path, home: Home, settings: Settings, done: Done, tell: Tell) -> None:
    """Keep the documents of a source; those of a WARC file are indexed at once."""
    if path.is_dir():
        done.kept += add_beir(home, path)
    else:
        found = index_warc(path, home, settings, lambda count: tell(done.indexed + count))
        done.kept, done.indexed = done.kept + found.kept, done.indexed + found.indexed
        done.damaged += found.damaged


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
