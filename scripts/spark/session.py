"""The Spark session of a job: that of spark-submit, or two cores of this machine."""

from __future__ import annotations

import os

from pyspark.sql import SparkSession

LOCAL_MASTER, LOCAL_PARTITIONS = "local[2]", 2


def session(job: str, checkpoints: str = "") -> SparkSession:
    """Open the session; `checkpoints` is a folder that all workers can reach."""
    # Adaptive plans choose the number of partitions for every join. Ranks and links must keep the
    # same partitions in all iterations, and a partition of documents is a segment.
    builder = SparkSession.builder.appName(f"gossamer-{job}").config(
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
