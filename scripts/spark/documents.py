"""Pages and their documents from WARC files of any crawler; of a page fetched twice the newest.

Of pages with the same bytes the first is kept, as in a crawl.

A file is read by one task, whole: those of a stack have some megabytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

from gossamer.core.page.packed_documents import pack
from gossamer.entrypoints.local.warc_pages import DAMAGE, pages_in

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

    Found = tuple[bytes, str, float, list[str], bytes | None, bytes, bytes]

COLUMNS = (
    "id binary, url string, fetched_at double, anchors array<string>, parts binary, body binary,"
    " md5 binary"
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
        damages: list[None] = []
        try:
            yield from _pages(file[1], lambda: damages.append(None))
        except DAMAGE:  # it is no WARC file
            damages.append(None)
        damaged.add(len(damages))

    rows = spark.sparkContext.binaryFiles(args.input).flatMap(read)
    every = F.struct("url", "fetched_at", "anchors", "parts", "body", "md5")
    newest = rows.toDF(COLUMNS).groupBy("id").agg(F.max_by(every, "fetched_at").alias("of"))
    in_order = Window.partitionBy("md5").orderBy("fetched_at", "id")
    numbered = newest.select("id", "of.*").withColumn("number", F.row_number().over(in_order))
    first = numbered.where("number = 1").drop("md5", "number")
    first.write.mode("overwrite").parquet(args.output)
    return {"pages": spark.read.parquet(args.output).count(), "damaged": damaged.value}


def _pages(warc: bytes, damaged: Callable[[], None]) -> Iterator[Found]:
    for page in pages_in(warc, damaged):
        if page.documents:
            url = page.documents[0].url
            yield page.id, url, page.fetched_at, [], *pack(page.documents), page.md5
