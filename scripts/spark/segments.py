"""Build the index of a home from documents in Parquet: a partition is a segment.

A task analyses its pages lot by lot and joins the parts, as `gossamer index` does, and writes one
file where the home keeps its segments. When all are written, one replacement of the manifest
puts them in place of the old index, which answers until then. A task that runs twice leaves a file
that no manifest names; the sweep of the home deletes it.

With clusters (job near_duplicates) and names (job names) documents enter with their cluster, names
and level, as if they had been indexed after they were ranked.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
from pyspark.sql import functions as F

from gossamer import homes
from gossamer.batch.compact import join
from gossamer.bolts.heads import put_heads
from gossamer.bolts.index import Batch, part_of, words_of
from gossamer.bolts.manifest import replace_all
from gossamer.core.ids import DocumentId, UrlId
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.anchors import kept
from gossamer.core.index.segments.layout import Range
from gossamer.core.index.segments.manifest import SegmentInfo
from gossamer.settings import Settings
from scripts.spark.rows import home_settings, lots, page_in

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from pyspark.sql import DataFrame, Row, SparkSession

    from gossamer.bolts.manifest import IndexWriter
    from gossamer.core.collection import IndexSchema
    from gossamer.ports.documents import Version
    from gossamer.ports.home import Home

PER_SEGMENT = 200_000  # pages
PIECE = 8 << 20  # bytes that are copied at a time


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is read, and into how many segments."""
    parser.add_argument("--documents", required=True, help="Parquet of documents")
    parser.add_argument("--clusters", default="", help="Parquet of the job near_duplicates")
    parser.add_argument("--names", default="", help="Parquet of the job names")
    parser.add_argument(
        "--segments", type=int, default=0, help=f"how many; default {PER_SEGMENT:,} pages each"
    )


def check(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """A number of segments must be one."""
    if args.segments < 0:
        parser.error("--segments must be at least 1")


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a task needs to know: where segments go, and how documents are analysed."""

    settings: Settings
    analyzer: dict[str, str | int | bool]
    schema: IndexSchema


def run(spark: SparkSession, args: argparse.Namespace) -> dict[str, object]:
    """Build all segments, and publish them together."""
    home = homes.open_home(home_settings())
    settings = home.settings.get()
    analyzer = Analyzer(**msgspec.structs.asdict(settings.analyzer))
    recipe = Recipe(home_settings(), analyzer.describe(), settings.schema)
    rows = _rows(spark, args)
    count = args.segments or max(1, -(-rows.count() // PER_SEGMENT))
    parts = rows.repartitionByRange(count, "id")
    built = parts.rdd.mapPartitions(lambda part: _build(part, recipe)).collect()
    segments = [msgspec.convert(info, SegmentInfo) for info in built]
    made = settings.schema.digest(recipe.analyzer)
    replace_all(homes.index_writer(home), segments, recipe.analyzer, made)
    home.close()
    return {"segments": len(segments), "documents": sum(info.documents for info in segments)}


def _rows(spark: SparkSession, args: argparse.Namespace) -> DataFrame:
    """Pages with clusters of their documents, names and levels, as far as these were given."""
    rows = spark.read.parquet(args.documents)
    if args.clusters:
        clusters = _clusters(spark.read.parquet(args.clusters))
        rows = rows.join(clusters, "id", "left")
    else:
        rows = rows.withColumn("clusters", F.lit(None))
    if not args.names:
        return rows.withColumn("names", F.col("anchors")).withColumn("level", F.lit(0))
    names = spark.read.parquet(args.names).select("id", "names", "level")
    return rows.join(names, "id", "left")


def _clusters(clusters: DataFrame) -> DataFrame:
    """The clusters of the documents of each page together."""
    each = F.struct(F.col("id").alias("document"), F.col("cluster"))
    rows = clusters.select(F.substring("id", 1, 16).alias("page"), each.alias("each"))
    found = rows.groupBy("page").agg(F.collect_list("each").alias("clusters"))
    return found.withColumnRenamed("page", "id")


def _build(rows: Iterable[Row], recipe: Recipe) -> Iterator[dict[str, Any]]:
    """The segment of a partition; none of an empty one."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = homes.open_home(Settings(data=folder))
        writer = homes.index_writer(scratch)
        parts = [_part(lot, writer, recipe) for lot in lots(rows)]
        if parts:
            info = join(writer, parts)
            yield msgspec.to_builtins(_put(info, scratch, recipe.settings))
        scratch.close()


def _part(lot: list[Row], writer: IndexWriter, recipe: Recipe) -> SegmentInfo:
    """Some pages as a part, which is merged with others."""
    analyzer, name = Analyzer.from_description(recipe.analyzer), writer.name()
    versions = sorted((v for row in lot for v in _versions(row)), key=lambda v: v.id)
    clusters = {
        DocumentId(bytes(each.document)): int(each.cluster or 0)
        for row in lot
        for each in row.clusters or ()
    }
    levels = {UrlId(bytes(row.id)): int(row.level or 0) for row in lot}
    batch = Batch(versions, words_of(versions, analyzer, recipe.schema.fields), clusters, levels)
    size = writer.store.put(name, part_of(batch, analyzer, recipe.schema))
    return SegmentInfo(name=name, size=size, documents=len(versions), live=len(versions))


def _versions(row: Row) -> list[Version]:
    """The documents of a page, with the names that others have for it."""
    page = msgspec.structs.replace(page_in(row), anchors=kept(row.names or ()))
    return page.versions()


def _put(info: SegmentInfo, scratch: Home, settings: Settings) -> SegmentInfo:
    """Write a segment where the home keeps its own."""
    target = homes.open_home(settings, read_only=True)  # other tasks write, too: only files
    try:
        writer = homes.index_writer(target)
        name = writer.name()
        size = target.index.put(name, _pieces(info, scratch))
        heads = put_heads(writer, name, size, info.documents, target.index.read)
        return msgspec.structs.replace(
            info, name=name, at=writer.clock(), has_heads=heads.has_heads, names=heads.names
        )
    finally:
        target.close()


def _pieces(info: SegmentInfo, scratch: Home) -> Iterator[bytes]:
    for at in range(0, info.size, PIECE):
        [piece] = scratch.index.read([Range(info.name, at, min(PIECE, info.size - at))])
        yield bytes(piece)
