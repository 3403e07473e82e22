"""Start a job on the EMR Serverless application of a stack (deployed with SparkRank=true).

    python -m scripts.spark.submit --stack gossamer-dev rank --input bucket:edges --output …
    python -m scripts.spark.submit --stack gossamer-dev --wait segments --documents …
    python -m scripts.spark.submit --stack gossamer-dev code      only copy the code

`bucket:NAME` is s3://BUCKET/spark/NAME in the stack's own bucket, where jobs may read and write.
Code and packages are packed and copied there first; packages only if they are not there yet.
`gossamer --stack NAME bulk` runs the jobs in their order, with the code that was copied last.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING

from gossamer.adapters.aws.clients import Clients
from gossamer.adapters.aws.stack.deployment import find_stack
from gossamer.adapters.aws.stack.spark import ARCHIVE, ENTRY, SparkCluster, packages
from gossamer.core.errors import GossamerError
from gossamer.ports.admin.bulk import MAX_JOB_HOURS, SUCCESS
from scripts.spark.jobs import JOBS
from scripts.spark.package import PLATFORMS, ROOT, pack_code, pack_packages

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from gossamer.ports.admin.bulk import Cluster

BUILD = ROOT / "build" / "spark"
EVERY = 10.0  # seconds between two looks at a job
CODE = "code"  # no job: only copy what jobs need


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The stack, and the job with its own arguments."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--stack", required=True, help="the CloudFormation stack")
    parser.add_argument("--collection", default="", help="default: that of the stack")
    parser.add_argument(
        "--architecture", choices=sorted(PLATFORMS), default="", help="default: of the application"
    )
    parser.add_argument("--conf", action="append", default=[], help="of Spark: name=value")
    parser.add_argument(
        "--max-hours", type=float, default=MAX_JOB_HOURS, help="end a job that takes longer"
    )
    parser.add_argument("--wait", action="store_true", help="until the job has ended")
    parser.add_argument(
        "job", choices=sorted([*JOBS, CODE]), help="python -m scripts.spark.jobs JOB --help"
    )
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="of the job")
    return parser.parse_args(arguments)


def upload(clients: Clients, bucket: str, architecture: str) -> None:
    """Copy code and packages to the bucket."""
    kept = packages(architecture)
    _put(clients, bucket, ENTRY, ROOT / "scripts" / "spark" / "job.py")
    _put(clients, bucket, ARCHIVE, pack_code(BUILD / "code.zip"))
    if kept not in clients.objects(bucket, kept):
        file = pack_packages(BUILD / f"packages-{architecture}.zip", architecture)
        _put(clients, bucket, kept, file)


def _put(clients: Clients, bucket: str, key: str, file: Path) -> None:
    clients.call("s3", "PutObject", key, Bucket=bucket, Key=key, Body=file.read_bytes())


def submit(clients: Clients, args: argparse.Namespace) -> tuple[SparkCluster, str]:
    """Copy the code and start a job; returns where it runs and its id, "" without a job."""
    found = find_stack(clients, args.stack)
    conf = dict(each.split("=", 1) for each in args.conf)
    cluster = SparkCluster(clients, found, args.collection, conf, args.max_hours)
    upload(clients, found.bucket, args.architecture or cluster.application.architecture)
    return cluster, "" if args.job == CODE else cluster.start(args.job, args.arguments)


def wait(cluster: Cluster, run: str, sleep: Callable[[float], None]) -> str:
    """Wait until a job has ended; returns how."""
    while not (found := cluster.look(run)).has_ended:
        sleep(EVERY)
    return found.state


def main(arguments: Sequence[str] | None = None) -> int:
    """Start a job, and say how to follow it."""
    args, clients = parse(arguments), Clients()
    try:
        cluster, run = submit(clients, args)
    except GossamerError as error:
        print(f"submit: {error}", file=sys.stderr)
        return 2
    if not run:
        print("the code is in the bucket")
        return 0
    print(f"job {run} of application {cluster.application.id}", flush=True)
    if not args.wait:
        return 0
    state = wait(cluster, run, time.sleep)
    print(state)
    return 0 if state == SUCCESS else 1


if __name__ == "__main__":
    sys.exit(main())
