"""`gossamer export --what warc`: pages as they were fetched, as one WARC or WACZ file."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gossamer import homes
from gossamer.core.errors import ConfigurationError, QueryError
from gossamer.entrypoints.archives.cutting import hits, write_wacz, write_warc
from gossamer.entrypoints.cli.command import DONE, cause, print_result
from gossamer.entrypoints.local.report import counted, size

if TYPE_CHECKING:
    import argparse

    from gossamer.core.ids import UrlId
    from gossamer.entrypoints.archives.cutting import Cut
    from gossamer.ports.home import Home

ENDINGS = (".warc.gz", ".wacz")


class Archived(msgspec.Struct, frozen=True, kw_only=True):
    """What went into an archive."""

    file: str
    responses: int
    pages: int  # of them; the others are redirects, sitemaps and errors
    missing: int  # that could not be read
    bytes: int


def export_archive(home: Home, args: argparse.Namespace) -> int:
    """Write the file that the arguments name."""
    path = Path(args.output or "")
    if not path.name.endswith(ENDINGS):
        raise ConfigurationError("pages go to a file: give --output FILE.warc.gz or FILE.wacz")
    wanted = None if args.query is None else _hits(home, args.query)
    try:
        cut = _write(home, wanted, path)
    except OSError as error:
        raise ConfigurationError(f"cannot write {path}: {cause(error)}") from error
    done = Archived(
        file=str(path),
        responses=len(cut.captured),
        pages=len(cut.of),
        missing=cut.missing,
        bytes=path.stat().st_size,
    )
    missing = f"; {done.missing:,} cannot be read and are left out" if done.missing else ""
    print_result(args, done, f"{counted(done.responses, 'response')} in {path},"
                 f" {size(done.bytes)}{missing}")  # fmt: skip
    return DONE


def _hits(home: Home, query: str) -> list[UrlId]:
    try:
        return hits(homes.searcher(home), query)
    except QueryError as error:
        raise ConfigurationError(f"cannot read the query {query!r}: {error}") from error


def _write(home: Home, wanted: list[UrlId] | None, path: Path) -> Cut:
    """Write beside the place first: what is there stays whole until the new file is."""
    unfinished = path.with_name(path.name + ".part")
    try:
        with unfinished.open("wb") as out:
            if path.suffix == ".wacz":
                cut = write_wacz(home, wanted, out, time.time())
            else:
                cut = write_warc(home, wanted, out, path.name)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return cut
