"""Documents from WARC files of any crawler; of a page that was fetched twice, the newest.

A file is read by one task, whole: those of a stack have some megabytes.
"""

from __future__ import annotations

from contextlib import redirect_stderr
from io import BytesIO, StringIO
from typing import TYPE_CHECKING

import msgspec
from pyspark.sql import functions as F

from gossamer.core.ids import document_id
from gossamer.core.urls import url_id
from gossamer.entrypoints.cli.indexing.index import DAMAGE, documents_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    Found = tuple[bytes, str, float, list[str], bytes]

COLUMNS = "id binary, url string, fetched_at double, anchors array<string>, body binary"


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
            yield from _documents(file[1])
        except DAMAGE:  # what was read before the damage counts
            damaged.add(1)

    rows = spark.sparkContext.binaryFiles(args.input).flatMap(read)
    every = F.struct("fetched_at", "url", "anchors", "body")
    newest = rows.toDF(COLUMNS).groupBy("id").agg(F.max_by(every, "fetched_at").alias("of"))
    found = newest.select("id", "of.url", "of.fetched_at", "of.anchors", "of.body")
    found.write.mode("overwrite").parquet(args.output)
    return {"documents": spark.read.parquet(args.output).count(), "damaged_files": damaged.value}


def _documents(warc: bytes) -> Iterator[Found]:
    with redirect_stderr(StringIO()):  # warcio warns there
        for url, document, fetched_at in documents_of(BytesIO(warc)):
            id = document_id(url_id(url))
            yield id, url, fetched_at, [], msgspec.msgpack.encode(document)
