"""Who links to each page, and what they call it: what RANK works out in one process.

Reads links, ranks and documents; writes for every page (`id`) how many pages link to it (`total`),
the best of them (`links`: url and anchor), its level and the names that links give it (`names`).
The same library chooses names and links, from the same order: by falling rank of the linking page,
then by its id, then by the words.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.sql import functions as F

from gossamer.batch.rank import MOST_LINKS
from gossamer.core.links.anchor_names import names_of
from gossamer.core.links.link_buckets import LinksTo, tidied
from gossamer.core.urls import host_of
from scripts.spark.rank import followed_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from pyspark.sql import DataFrame, Row, SparkSession

COLUMNS = (
    "id binary, total int, links array<struct<url: string, anchor: string>>, names array<string>"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is read and written."""
    parser.add_argument("--edges", required=True, help="Parquet of `gossamer export --what edges`")
    parser.add_argument("--ranks", required=True, help="Parquet of the job rank")
    parser.add_argument("--documents", required=True, help="Parquet: id and url of the documents")
    parser.add_argument("--output", required=True, help="Parquet: id, names, …; overwritten")


def check(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """Nothing can be wrong."""


def run(spark: SparkSession, args: argparse.Namespace) -> dict[str, object]:
    """Read, choose and write."""
    pages = known_pages(spark, args)
    links = _links(spark.read.parquet(args.edges), pages)
    found = links.rdd.mapPartitions(_named).toDF(COLUMNS)
    every = pages.select("id", "level").join(found, "id", "left")
    every.withColumn("total", F.coalesce("total", F.lit(0))).write.mode("overwrite").parquet(
        args.output
    )
    return {"pages": spark.read.parquet(args.output).count()}


def known_pages(spark: SparkSession, args: argparse.Namespace) -> DataFrame:
    """Every page once: id, url, host, how many pages its host has, rank and level."""
    host = F.udf(host_of, "string", useArrow=False)
    documents = spark.read.parquet(args.documents)
    id = F.substring("id", 1, 16).alias("id")
    pages = documents.select(id, "url").groupBy("id").agg(F.min("url").alias("url"))
    pages = pages.withColumn("host", host("url"))
    sizes = pages.groupBy("host").agg(F.count("*").alias("size"))
    ranks = spark.read.parquet(args.ranks).select("id", "rank", "level")
    known = pages.join(sizes, "host").join(ranks, "id", "left")
    return known.fillna({"rank": 0.0, "level": 0})


def _links(edges: DataFrame, pages: DataFrame) -> DataFrame:
    """Links between pages, those to one page together and in order."""
    sources = pages.select(
        F.col("id").alias("source"),
        F.col("url").alias("source_url"),
        F.col("host").alias("by"),
        F.col("rank").alias("weight"),
    )
    targets = pages.select(F.col("id").alias("target"), "host", "size")
    tidy = F.udf(lambda words: tidied(words or ""), "string", useArrow=False)
    followed = followed_of(edges).where("source != target")
    said = followed.select("source", "target", tidy("anchor").alias("anchor")).distinct()
    joined = said.join(sources, "source").join(targets, "target")
    order = ["target", F.desc("weight"), "source", "anchor"]
    return joined.repartition("target").sortWithinPartitions(*order)


def _named(rows: Iterable[Row]) -> Iterator[tuple[Any, ...]]:
    for target, links in groupby(rows, key=lambda row: bytes(row.target)):
        yield _page(target, list(links))


def _page(target: bytes, links: list[Row]) -> tuple[Any, ...]:
    """A page by the links to it: they come as `LinkBucket.by_target` has them."""
    numbers: dict[bytes, int] = {}
    sources = [numbers.setdefault(bytes(link.source), len(numbers)) for link in links]
    texts = [link.anchor for link in links]
    urls = {number: link.source_url for number, link in zip(sources, links, strict=True)}
    linked = LinksTo(0, np.array(sources, np.int64), np.arange(len(texts)), texts)
    hosts = {links[0].host: 0}
    by = [hosts.setdefault(link.by, len(hosts)) for link in links]
    said = zip(by, linked.sources.tolist(), linked.words(), strict=True)
    names = names_of(said, 0, links[0].size)
    best = [(urls[at], words) for at, words in linked.best(MOST_LINKS).items()]
    return target, linked.total, best, names
