"""PageRank from links in Parquet.

Gives the same ranks as core/links/pagerank.py: self-links and links marked nofollow are dropped, a
link counts once, the rank of pages without links is spread over all pages. It reads Parquet
with the columns `source` and `target` (binary or long), and if they are there `nofollow` (boolean)
and `source_host` and `target_host` (anything that can be compared); it writes `id`, `rank`, `level`
(the rank as a byte, as the index has it) and `floor` (the lowest rank that a page can have).
Set the number of partitions with --conf spark.sql.shuffle.partitions=…, two or three per core:
Spark's default of 200 is too many for a small cluster.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark import StorageLevel
from pyspark.sql import functions as F

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import DataFrame, SparkSession

ENDS = ("source", "target")
HOSTS = ("source_host", "target_host")
TOLERANCE = 1e-6  # in L1, over all pages
HIGHEST = 255  # of the levels


@dataclass(frozen=True, slots=True)
class Outcome:
    """The ranks, and whether they converged."""

    ranks: DataFrame  # id, rank
    floor: float  # the lowest rank that a page can have
    iterations: int
    residual: float  # how far the last iteration moved, in L1
    converged: bool


def followed_of(edges: DataFrame) -> DataFrame:
    """The edges without those marked nofollow."""
    if "nofollow" not in edges.columns:
        return edges
    return edges.where(~F.coalesce("nofollow", F.lit(False)))


def links_of(followed: DataFrame, internal: float) -> DataFrame:
    """Each link that counts once, with its weight: source, target, weight."""
    weight = F.lit(1.0)
    if internal != 1.0:
        is_inside = F.col(HOSTS[0]).eqNullSafe(F.col(HOSTS[1]))
        weight = F.when(is_inside, F.lit(internal)).otherwise(weight)
    weighed = followed.where("source != target").select("source", "target", weight.alias("weight"))
    return weighed.dropDuplicates(["source", "target"])


def nodes_of(followed: DataFrame) -> DataFrame:
    """All sources and targets, also of self-links."""
    sources, targets = (followed.select(F.col(end).alias("id")) for end in ENDS)
    return sources.union(targets).distinct()


def pages_of(documents: DataFrame) -> DataFrame:
    """The ids of the pages of some documents: a page may have several."""
    is_binary = dict(documents.dtypes)["id"] == "binary"
    return documents.select(F.substring("id", 1, 16).alias("id") if is_binary else "id")


@dataclass(frozen=True, slots=True)
class Walk:
    """What is the same in every iteration, partitioned as the joins need it."""

    shares: DataFrame  # source, target, share of the source's rank that the link passes on
    nodes: DataFrame  # id, dangling
    size: int

    @classmethod
    def over(cls, nodes: DataFrame, links: DataFrame) -> Walk:
        """Compute and cache the shares."""
        given = links.groupBy("source").agg(F.sum("weight").alias("given")).where("given > 0")
        share = (F.col("weight") / F.col("given")).alias("share")
        shares = links.join(given, "source").select("source", "target", share)
        is_dangling = F.col("given").isNull().alias("dangling")
        known = nodes.join(given.withColumnRenamed("source", "id"), "id", "left")
        shares = _kept(shares.repartition("source"))
        known = _kept(known.select("id", is_dangling).repartition("id"))
        return cls(shares, known, known.count())

    def begin(self) -> DataFrame:
        """Equal ranks."""
        return self.nodes.withColumn("rank", F.lit(1.0 / self.size))

    def floor(self, damping: float, dangling: float) -> float:
        """What every page gets, linked or not."""
        return (1.0 - damping + damping * dangling) / self.size

    def step(self, ranks: DataFrame, damping: float, dangling: float) -> DataFrame:
        """The next ranks: id, dangling, rank, and how far each moved."""
        passed = ranks.select(F.col("id").alias("source"), "rank").join(self.shares, "source")
        received = passed.groupBy(F.col("target").alias("id")).agg(
            F.sum(F.col("rank") * F.col("share")).alias("received")
        )
        rank = F.coalesce("received", F.lit(0.0)) * damping + self.floor(damping, dangling)
        moved = F.abs(rank - F.col("rank")).alias("moved")
        both = ranks.join(received, "id", "left")
        return both.select("id", "dangling", rank.alias("rank"), moved)


def pagerank(
    nodes: DataFrame,
    links: DataFrame,
    *,
    damping: float,
    tolerance: float,
    most: int,
    reliable: bool = False,
) -> Outcome:
    """Iterate until ranks move by less than `tolerance`, or `most` times: one Spark job each."""
    walk = Walk.over(nodes, links)
    ranks = walk.begin()
    if not walk.size:
        return Outcome(ranks.select("id", "rank"), 1.0, 0, 0.0, converged=True)
    dangling = walk.nodes.where("dangling").count() / walk.size
    residual, floor, iterations = float("inf"), 1.0, 0
    while residual >= tolerance and iterations < most:
        following, floor = walk.step(ranks, damping, dangling), walk.floor(damping, dangling)
        # Cut the plan: otherwise iteration 50 would be planned as fifty joins. Spark drops the data
        # of earlier iterations once nothing refers to it.
        ranks = following.checkpoint(eager=False) if reliable else following.localCheckpoint(False)
        residual, dangling = _sums(ranks)
        iterations += 1
    found = ranks.select("id", "rank")
    return Outcome(found, floor, iterations, residual, converged=residual < tolerance)


def with_levels(outcome: Outcome) -> DataFrame:
    """Ranks with their levels, as `core.links.pagerank.levels` has them."""
    floor = F.lit(outcome.floor)
    above = F.log(F.greatest(F.col("rank") / floor, F.lit(1.0)))
    (row,) = outcome.ranks.agg(F.max(above)).collect()
    highest = row[0] or 0.0
    level = F.rint(HIGHEST * above / highest) if highest >= TOLERANCE else F.lit(0)
    found = outcome.ranks.withColumn("level", level.cast("int"))
    return found.withColumn("floor", floor)


def _sums(ranks: DataFrame) -> tuple[float, float]:
    """How far all ranks moved, and the rank of all pages without links."""
    on_dangling = F.when(F.col("dangling"), F.col("rank")).otherwise(0.0)
    (row,) = ranks.agg(F.sum("moved"), F.sum(on_dangling)).collect()
    return float(row[0]), float(row[1])


def _kept(frame: DataFrame) -> DataFrame:
    return frame.persist(StorageLevel.MEMORY_AND_DISK)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is read and written, and how links are weighed."""
    parser.add_argument("--input", required=True, help="Parquet: source, target, nofollow, …")
    parser.add_argument("--output", required=True, help="Parquet: id, rank, …; overwritten")
    parser.add_argument("--nodes", help="Parquet with `id`: only these are pages; default all")
    parser.add_argument("--damping", type=float, default=0.85)
    parser.add_argument("--tolerance", type=float, default=TOLERANCE, help="in L1, over all pages")
    parser.add_argument("--most", type=int, default=100, help="iterations")
    parser.add_argument(
        "--internal", type=float, default=1.0, help="weight of links inside of a host, 0 to 1"
    )


def check(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """Refuse what makes no sense."""
    if not 0.0 <= args.damping < 1.0:
        parser.error("--damping must be at least 0 and less than 1")
    if not 0.0 <= args.internal <= 1.0:
        parser.error("--internal must be from 0 to 1")
    if args.most < 1:
        parser.error("--most must be at least 1")


def run(spark: SparkSession, args: argparse.Namespace) -> dict[str, object]:
    """Read, rank and write."""
    followed = followed_of(spark.read.parquet(args.input))
    if args.internal != 1.0 and not set(HOSTS) <= set(followed.columns):
        raise SystemExit(f"--internal needs the columns {' and '.join(HOSTS)}")
    nodes, links = nodes_of(followed), links_of(followed, args.internal)
    if args.nodes:
        nodes = pages_of(spark.read.parquet(args.nodes)).distinct()
        for end in ENDS:
            links = links.join(nodes.withColumnRenamed("id", end), end, "left_semi")
    how = {"damping": args.damping, "tolerance": args.tolerance, "most": args.most}
    outcome = pagerank(nodes, links, reliable=bool(args.checkpoints), **how)
    with_levels(outcome).write.mode("overwrite").parquet(args.output)
    return {
        "iterations": outcome.iterations,
        "residual": outcome.residual,
        "converged": outcome.converged,
    }
