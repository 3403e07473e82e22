"""Pages and their documents from WARC files of any crawler; of a page fetched twice the newest.

A file is read by one task, whole: those of a stack have some megabytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from gossamer.core.page.packed_documents import pack
from gossamer.entrypoints.local.warc_pages import DAMAGE, pages_in

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    Found = tuple[bytes, str, float, list[str], bytes | None, bytes]

COLUMNS = (
    "id binary, url string, fetched_at double, anchors array<string>, parts binary, body binary"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is read and written."""
    parser.add_argument("--input", required=True, help="WARC files: s3://…/warc/web/*/*.warc.gz")
    parser.add_argument("--output", required=True, help="Parquet of documents; overwritten")


def check(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """Nothing can be wrong."""


def run(spark: SparkSession, args: argparse.Namespace) -> dict[str, object]:
    """Read and write."""
    damaged = spark.sparkContext.accumulator(0)

    def read(file: tuple[str, bytes]) -> Iterator[Found]:
        try:
            yield from _pages(file[1])
        except DAMAGE:  # what was read before the damage counts
            damaged.add(1)

    rows = spark.sparkContext.binaryFiles(args.input).flatMap(read)
    every = F.struct("url", "fetched_at", "anchors", "parts", "body")
    newest = rows.toDF(COLUMNS).groupBy("id").agg(F.max_by(every, "fetched_at").alias("of"))
    found = newest.select("id", "of.*")
    found.write.mode("overwrite").parquet(args.output)
    return {"pages": spark.read.parquet(args.output).count(), "damaged_files": damaged.value}


def _pages(warc: bytes) -> Iterator[Found]:
    for page in pages_in(warc):
        if page.documents:
            url = page.documents[0].url
            yield page.id, url, page.fetched_at, [], *pack(page.documents)
