"""The worth of hosts, from the rank that links of other hosts pass to their pages.

As RANK works it out (`core.crawl.host_worth`): a page passes its rank on in equal shares over the
pages that it links to. Writes `host` and `worth`. The numbers of all hosts are in the driver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pyspark.sql import functions as F

from gossamer.core.crawl.host_worth import powers
from scripts.spark.names import known_pages
from scripts.spark.rank import followed_of, links_of

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import DataFrame, SparkSession


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is read and written."""
    parser.add_argument("--edges", required=True, help="Parquet of `gossamer export --what edges`")
    parser.add_argument("--ranks", required=True, help="Parquet of the job rank")
    parser.add_argument("--documents", required=True, help="Parquet: id and url of the documents")
    parser.add_argument("--output", required=True, help="Parquet: host, worth; overwritten")


def check(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """Nothing can be wrong."""


def run(spark: SparkSession, args: argparse.Namespace) -> dict[str, object]:
    """Add up what hosts receive, and write what that is worth."""
    pages = known_pages(spark, args)
    received = _received(links_of(followed_of(spark.read.parquet(args.edges)), 1.0), pages)
    sizes = pages.groupBy("host").agg(F.count("*").alias("size"))
    rows = sizes.join(received, "host", "left").fillna({"received": 0.0}).orderBy("host").collect()
    found = powers(
        np.array([row.received for row in rows]), np.array([row.size for row in rows], np.int64)
    )
    worths = [(row.host, worth) for row, worth in zip(rows, found.tolist(), strict=True)]
    table = spark.createDataFrame(worths, "host string, worth int")
    table.write.mode("overwrite").parquet(args.output)
    return {"hosts": len(worths)}


def _received(links: DataFrame, pages: DataFrame) -> DataFrame:
    """What every host receives from others: host, received."""
    sources = pages.select(F.col("id").alias("source"), F.col("host").alias("by"), "rank")
    targets = pages.select(F.col("id").alias("target"), "host")
    known = links.join(sources, "source").join(targets, "target")
    given = known.groupBy("source").agg(F.count("*").alias("links"))
    share = F.sum(F.col("rank") / F.col("links")).alias("received")
    return known.join(given, "source").where("by != host").groupBy("host").agg(share)
