"""Clusters of nearly equal documents, as INDEX finds them when it reads documents by id.

A document is compared with founders of clusters that share one of its keys. So documents without a
common key, also by way of others, cannot change each other's cluster: such groups are found first,
and within each group the library decides about one document after another, by id.

Writes `id` and `cluster` to OUTPUT/clusters, and what INDEX must know to go on (`key`, `founders`)
to OUTPUT/founders. The texts of one group must fit into the memory of a task.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from pyspark import StorageLevel
from pyspark.sql import functions as F

from gossamer.batch.near_duplicates import Print, clusters_of, prints_of
from gossamer.bolts.index import words_of
from gossamer.core.ids import DocumentId, UrlId, page_of, part_of
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.page.packed_documents import unpack
from gossamer.ports.documents import PageVersion
from scripts.spark.rows import lots, page_in

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyspark.sql import DataFrame, Row, SparkSession

    from gossamer.ports.content_owners import Founder
    from gossamer.ports.documents import Version

PRINTS = "id binary, page binary, value decimal(20, 0), keys array<binary>, name decimal(20, 0),"
PRINTS += " said decimal(20, 0)"
FOUNDERS = "array<struct<id: binary, value: decimal(20, 0)>>"
DECIDED = (
    f"id binary, cluster decimal(20, 0), keys array<struct<key: binary, founders: {FOUNDERS}>>"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is read and written."""
    parser.add_argument("--input", required=True, help="Parquet of documents")
    parser.add_argument("--output", required=True, help="folder of clusters and founders")


def check(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """Nothing can be wrong."""


def run(spark: SparkSession, args: argparse.Namespace) -> dict[str, object]:
    """Find groups, decide within each, and write."""
    documents = spark.read.parquet(args.input)
    prints = documents.rdd.mapPartitions(_prints).toDF(PRINTS).persist(StorageLevel.DISK_ONLY)
    groups = _groups(prints, reliable=bool(args.checkpoints))
    rows = prints.join(groups, "id", "left").join(_texts(documents, groups), "page", "left")
    rows = rows.withColumn("group", F.coalesce("group", "id"))
    ordered = rows.repartition("group").sortWithinPartitions("group", "id")
    decided = ordered.rdd.mapPartitions(_decide).toDF(DECIDED).persist(StorageLevel.DISK_ONLY)
    clusters = decided.select("id", "cluster")
    clusters.write.mode("overwrite").parquet(f"{args.output}/clusters")
    founders = decided.select(F.explode("keys").alias("of")).select("of.key", "of.founders")
    founders.write.mode("overwrite").parquet(f"{args.output}/founders")
    found = clusters.where("cluster != 0")
    return {"documents": clusters.count(), "clusters": found.select("cluster").distinct().count()}


def _prints(rows: Iterable[Row]) -> Iterator[tuple[Any, ...]]:
    analyzer = Analyzer()  # its settings do not matter: words are compared as written
    for lot in lots(rows):
        versions = [version for row in lot for version in page_in(row).versions()]
        for each in prints_of(versions, words_of(versions, analyzer)):
            keys = list(each.keys)
            numbers = _decimal(each.name), _decimal(each.said)
            yield each.id, page_of(each.id), _decimal(each.value), keys, *numbers


def _decimal(value: int | None) -> Any:
    """64 bits without a sign, which Spark's numbers do not have."""
    from decimal import Decimal

    return None if value is None else Decimal(value)


def _groups(prints: DataFrame, *, reliable: bool) -> DataFrame:
    """Documents that share keys, and the least id of all that they share some with."""
    keyed = prints.select("id", F.explode("keys").alias("key"))
    shared = keyed.groupBy("key").agg(F.count("*").alias("n")).where("n > 1").select("key")
    pairs = keyed.join(shared, "key").repartition("key").persist(StorageLevel.DISK_ONLY)
    labels = pairs.select("id").distinct().withColumn("group", F.col("id"))
    while True:
        least = pairs.join(labels, "id").groupBy("key").agg(F.min("group").alias("group"))
        reached = pairs.join(least, "key").groupBy("id").agg(F.min("group").alias("group"))
        reached = reached.checkpoint() if reliable else reached.localCheckpoint()
        before = labels.withColumnRenamed("group", "before")
        if not reached.join(before, "id").where("group != before").take(1):
            return reached
        labels = reached


def _texts(documents: DataFrame, groups: DataFrame) -> DataFrame:
    """The pages of groups: others are compared with nothing."""
    wanted = groups.select(F.substring("id", 1, 16).alias("page")).distinct()
    pages = documents.withColumnRenamed("id", "page").join(wanted, "page", "left_semi")
    return pages.select("page", F.struct("fetched_at", "anchors", "parts", "body").alias("text"))


def _decide(rows: Iterable[Row]) -> Iterator[tuple[Any, ...]]:
    for _, members in groupby(rows, key=lambda row: bytes(row.group)):
        group = list(members)
        contents, documents = Contents(), Documents(group)
        clusters = clusters_of([_print(row) for row in group], contents, documents)
        keys = [
            (key, [(bytes(f.id), _decimal(f.value)) for f in known])
            for key, known in contents.known.items()
        ]
        for row in group:
            yield bytes(row.id), _decimal(clusters[DocumentId(bytes(row.id))]), keys
            keys = []  # with the first of a group


def _print(row: Row) -> Print:
    value = None if row.value is None else int(row.value)
    keys, name, said = tuple(map(bytes, row["keys"])), int(row.name), int(row.said)
    return Print(DocumentId(bytes(row.id)), value, keys, name, said)


class Documents:
    """The documents of a group, where a document store is asked for their texts."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = {bytes(row.page): row for row in rows if row.text is not None}

    def read(self, ids: Sequence[DocumentId]) -> list[Version]:
        """Some documents, in this order."""
        known = [(self._rows[page_of(id)], part_of(id)) for id in ids if page_of(id) in self._rows]
        return [self._page(row).version(part) for row, part in known]

    def _page(self, row: Row) -> PageVersion:
        parts = None if row.text.parts is None else bytes(row.text.parts)
        documents = unpack(parts, bytes(row.text.body))
        return PageVersion(UrlId(bytes(row.page)), row.text.fetched_at, documents)


class Contents:
    """Keys of a group and their founders, where a content store is asked for them."""

    def __init__(self) -> None:
        self.known: dict[bytes, list[Founder]] = {}

    def founders(self, keys: Sequence[bytes]) -> dict[bytes, list[Founder]]:
        """The founders under each of these keys."""
        return {key: list(self.known[key]) for key in keys if key in self.known}

    def put_founders(self, founders: Mapping[bytes, Sequence[Founder]]) -> None:
        """Replace the founders under these keys."""
        self.known |= {key: list(known) for key, known in founders.items()}
