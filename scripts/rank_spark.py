"""PageRank on Spark, for links that do not fit into one machine.

    python scripts/rank_spark.py --input edges/ --output ranks/               on two cores here
    spark-submit scripts/rank_spark.py --input s3://…/edges --output s3://…/ranks

Gives the same ranks as core/links/pagerank.py: self-links and links marked nofollow are dropped, a
link counts once, the rank of pages without links is spread over all pages. It reads Parquet
with the columns `source` and `target` (binary or long), and if they are there `nofollow` (boolean)
and `source_host` and `target_host` (anything that can be compared); it writes `id` and `rank`.
It imports nothing of Gossamer, so a cluster needs only this file. Set the number of partitions with
--conf spark.sql.shuffle.partitions=…, two or three per core: Spark's default of 200 is too many for
a small cluster.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark import StorageLevel
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

ENDS = ("source", "target")
HOSTS = ("source_host", "target_host")
LOCAL_MASTER, LOCAL_PARTITIONS = "local[2]", 2


@dataclass(frozen=True, slots=True)
class Outcome:
    """The ranks, and whether they converged."""

    ranks: DataFrame  # id, rank
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

    def step(self, ranks: DataFrame, damping: float, dangling: float) -> DataFrame:
        """The next ranks: id, dangling, rank, and how far each moved."""
        passed = ranks.select(F.col("id").alias("source"), "rank").join(self.shares, "source")
        received = passed.groupBy(F.col("target").alias("id")).agg(
            F.sum(F.col("rank") * F.col("share")).alias("received")
        )
        floor = (1.0 - damping + damping * dangling) / self.size
        rank = F.coalesce("received", F.lit(0.0)) * damping + floor
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
        return Outcome(ranks.select("id", "rank"), 0, 0.0, converged=True)
    dangling = walk.nodes.where("dangling").count() / walk.size
    residual, iterations = float("inf"), 0
    while residual >= tolerance and iterations < most:
        following = walk.step(ranks, damping, dangling)
        # Cut the plan: otherwise iteration 50 would be planned as fifty joins. Spark drops the data
        # of earlier iterations once nothing refers to it.
        ranks = following.checkpoint(eager=False) if reliable else following.localCheckpoint(False)
        residual, dangling = _sums(ranks)
        iterations += 1
    return Outcome(ranks.select("id", "rank"), iterations, residual, residual < tolerance)


def _sums(ranks: DataFrame) -> tuple[float, float]:
    """How far all ranks moved, and the rank of all pages without links."""
    on_dangling = F.when(F.col("dangling"), F.col("rank")).otherwise(0.0)
    (row,) = ranks.agg(F.sum("moved"), F.sum(on_dangling)).collect()
    return float(row[0]), float(row[1])


def _kept(frame: DataFrame) -> DataFrame:
    return frame.persist(StorageLevel.MEMORY_AND_DISK)


def session(checkpoints: str) -> SparkSession:
    """The session of spark-submit, or a local one with two cores."""
    # Adaptive plans choose the number of partitions for every join. Here ranks and links must keep
    # the same partitions in all iterations, so that only the received ranks are shuffled.
    builder = SparkSession.builder.appName("gossamer-rank").config(
        "spark.sql.adaptive.enabled", "false"
    )
    if "PYSPARK_GATEWAY_PORT" not in os.environ:  # spark-submit sets it
        builder = (
            builder.master(LOCAL_MASTER)
            .config("spark.sql.shuffle.partitions", LOCAL_PARTITIONS)
            .config("spark.ui.enabled", "false")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
        )
    spark: SparkSession = builder.getOrCreate()
    if checkpoints:
        spark.sparkContext.setCheckpointDir(checkpoints)
    return spark


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The settings given on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--input", required=True, help="Parquet: source, target, nofollow, …")
    parser.add_argument("--output", required=True, help="Parquet: id, rank; overwritten")
    parser.add_argument("--nodes", help="Parquet with `id`: only these are pages; default all")
    parser.add_argument("--damping", type=float, default=0.85)
    parser.add_argument("--tolerance", type=float, default=1e-6, help="in L1, over all pages")
    parser.add_argument("--most", type=int, default=100, help="iterations")
    parser.add_argument(
        "--internal", type=float, default=1.0, help="weight of links inside of a host, 0 to 1"
    )
    parser.add_argument(
        "--checkpoints",
        default="",
        help="a folder that all workers can reach; without it, losing a worker ends the job",
    )
    settings = parser.parse_args(arguments)
    if not 0.0 <= settings.damping < 1.0:
        parser.error("--damping must be at least 0 and less than 1")
    if not 0.0 <= settings.internal <= 1.0:
        parser.error("--internal must be from 0 to 1")
    if settings.most < 1:
        parser.error("--most must be at least 1")
    return settings


def rank(spark: SparkSession, settings: argparse.Namespace) -> Outcome:
    """Read, rank and write."""
    followed = followed_of(spark.read.parquet(settings.input))
    if settings.internal != 1.0 and not set(HOSTS) <= set(followed.columns):
        raise SystemExit(f"--internal needs the columns {' and '.join(HOSTS)}")
    nodes, links = nodes_of(followed), links_of(followed, settings.internal)
    if settings.nodes:
        nodes = spark.read.parquet(settings.nodes).select("id").distinct()
        for end in ENDS:
            links = links.join(nodes.withColumnRenamed("id", end), end, "left_semi")
    outcome = pagerank(
        nodes,
        links,
        damping=settings.damping,
        tolerance=settings.tolerance,
        most=settings.most,
        reliable=bool(settings.checkpoints),
    )
    outcome.ranks.write.mode("overwrite").parquet(settings.output)
    return outcome


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 if the ranks converged, 1 if not; they are written in both cases."""
    settings = parse(arguments)
    spark = session(settings.checkpoints)
    try:
        outcome = rank(spark, settings)
    finally:
        spark.stop()
    state = "converged" if outcome.converged else "NOT converged"
    print(f"{outcome.iterations} iterations, residual {outcome.residual:.3e}, {state}", flush=True)
    return 0 if outcome.converged else 1


if __name__ == "__main__":
    sys.exit(main())
