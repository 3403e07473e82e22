"""The jobs by name.

    python -m scripts.spark.jobs rank --input edges/ --output ranks/          on two cores here
    spark-submit --py-files gossamer.zip job.py rank --input s3://… --output s3://…

`python -m scripts.spark.submit` starts a job on EMR Serverless. The order of a whole run, and what
each job reads and writes, is in docs/bulk.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

JOBS = {
    "documents": "read WARC files: documents",
    "rank": "compute PageRank from links",
    "names": "find who links to each page, and what they call it",
    "worths": "find what hosts are worth to others",
    "near_duplicates": "find clusters of nearly equal documents",
    "segments": "build the index of a home, a segment from each partition",
    "load": "keep documents, names and founders of clusters in the stores of a home",
    "recrawl": "plan which URLs are fetched again",
}


class Job(Protocol):
    """What the module of a job has."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Describe what it reads and writes."""

    def check(self, parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
        """Refuse what makes no sense."""

    def run(self, spark: SparkSession, args: argparse.Namespace) -> dict[str, object]:
        """Do it; returns what there is to say."""


def module_of(name: str) -> Job:
    """The module of a job."""
    return cast("Job", import_module(f"scripts.spark.{name}"))


def parse(arguments: Sequence[str] | None) -> tuple[Job, argparse.Namespace]:
    """The job, and its settings given on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    jobs = parser.add_subparsers(metavar="JOB", required=True, dest="job")
    parsers = {name: jobs.add_parser(name, help=help) for name, help in JOBS.items()}
    chosen = next((name for name in arguments or sys.argv[1:] if name in JOBS), "")
    if chosen:
        module_of(chosen).add_arguments(parsers[chosen])
        parsers[chosen].add_argument(
            "--checkpoints", default="", metavar="FOLDER",
            help="that all workers can reach; without it, losing a worker may end the job",
        )  # fmt: skip
    args = parser.parse_args(arguments)
    job = module_of(args.job)
    job.check(parsers[args.job], args)
    return job, args


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a job; prints one JSON object. Exit code 1 if it has not come to its end."""
    from scripts.spark.session import session

    job, args = parse(arguments)
    spark = session(args.job, args.checkpoints)
    try:
        done = job.run(spark, args)
    finally:
        spark.stop()
    print(json.dumps({"job": args.job, **done}), flush=True)
    return 0 if done.get("converged", True) else 1


if __name__ == "__main__":
    sys.exit(main())
