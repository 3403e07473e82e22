"""Keep in the stores of a home what the other jobs found: all that INDEX, RANK and people read.

Documents (of the job documents: a stack that was crawled has them already), names and who links to
a page (names), and founders of clusters (near_duplicates). Run it before `segments`, so that
nothing is indexed again for its names. Whatever is loaded twice is the same.

A stack is written by all tasks at once, a folder by one process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gossamer import homes
from gossamer.core.ids import DocumentId, UrlId
from gossamer.ports.content_owners import Founder
from gossamer.ports.edges import InLink, InLinks
from scripts.spark.rows import home_settings, page_in, portions

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from pyspark.sql import DataFrame, Row, SparkSession

    from gossamer.ports.home import Home
    from gossamer.settings import Settings

AT_ONCE = 500  # rows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is loaded."""
    parser.add_argument("--documents", default="", help="Parquet of the job documents")
    parser.add_argument("--names", default="", help="Parquet of the job names")
    parser.add_argument("--worths", default="", help="Parquet of the job worths")
    parser.add_argument("--founders", default="", help="Parquet of the job near_duplicates")


def check(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """Something must be loaded."""
    if not any(getattr(args, what) for what in KEEPERS):
        parser.error("give --documents, --names, --worths or --founders")


def run(spark: SparkSession, args: argparse.Namespace) -> dict[str, object]:
    """Load what was given."""
    settings, done = home_settings(), dict[str, object]()
    for what, keep in KEEPERS.items():
        if folder := getattr(args, what):
            rows = spark.read.parquet(folder)
            _load(rows, settings, keep)
            done[what] = rows.count()
    return done


def _load(rows: DataFrame, settings: Settings, keep: Callable[[Home, list[Any]], None]) -> None:
    if settings.home == "local":  # one writer
        _keep_all(rows.toLocalIterator(), settings, keep)
    else:
        rows.foreachPartition(lambda part: _keep_all(part, settings, keep))


def _keep_all(
    rows: Iterable[Row], settings: Settings, keep: Callable[[Home, list[Any]], None]
) -> None:
    home = homes.open_home(settings)
    try:
        for some in portions(rows, AT_ONCE):
            keep(home, some)
            home.commit()
    finally:
        home.close()


def keep_documents(home: Home, rows: list[Row]) -> None:
    """Keep documents, unless newer versions are there."""
    for page in map(page_in, rows):
        home.documents.put(page.id, list(page.documents.values()), page.fetched_at)


def keep_names(home: Home, rows: list[Row]) -> None:
    """Keep who links to pages and what they call them, as RANK does."""
    home.edges.put_inlinks(
        {UrlId(bytes(row.id)): _inlinks(row) for row in rows if row.total or row.level}
    )
    home.documents.put_anchors({UrlId(bytes(row.id)): row.names or [] for row in rows})


def _inlinks(row: Row) -> InLinks:
    links = [InLink(link.url, link.anchor) for link in row.links or ()]
    return InLinks(row.total, links, int(row.level or 0))


def keep_worths(home: Home, rows: list[Row]) -> None:
    """Keep what hosts are worth, from which they earn quotas."""
    home.reputation.set_worth({row.host: row.worth for row in rows})


def keep_founders(home: Home, rows: list[Row]) -> None:
    """Keep by which keys clusters are found."""
    home.contents.put_founders(
        {
            bytes(row.key): [Founder(DocumentId(bytes(f.id)), int(f.value)) for f in row.founders]
            for row in rows
        }
    )


# Documents first: names are kept beside them.
KEEPERS: dict[str, Callable[[Home, list[Any]], None]] = {
    "documents": keep_documents,
    "names": keep_names,
    "worths": keep_worths,
    "founders": keep_founders,
}
