"""Start a job on the EMR Serverless application of a stack (deployed with SparkRank=true).

    python -m scripts.spark.submit --stack gossamer-dev rank --input bucket:edges --output …
    python -m scripts.spark.submit --stack gossamer-dev --wait segments --documents …

`bucket:NAME` is s3://BUCKET/spark/NAME in the stack's own bucket, where jobs may read and write.
Code and packages are packed and copied there first; packages only if they are not there yet.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from gossamer.adapters.aws.clients import Clients
from gossamer.adapters.aws.stack.deployment import find_stack
from gossamer.core.errors import ConfigurationError, GossamerError, MissingResource
from scripts.spark.jobs import JOBS
from scripts.spark.package import PLATFORMS, ROOT, pack_code, pack_packages

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from gossamer.ports.admin.stack import Deployment

BUILD = ROOT / "build" / "spark"
PYTHON = "/usr/bin/python3.11"  # of EMR 7; the archive of packages is for this version
PATH = "./code:./packages"
ENDED = ("SUCCESS", "FAILED", "CANCELLED")
EVERY = 10.0  # seconds between two looks at a job


class Application(NamedTuple):
    """What runs the jobs of a stack, and in which role."""

    id: str
    role: str


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The stack, and the job with its own arguments."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--stack", required=True, help="the CloudFormation stack")
    parser.add_argument("--collection", default="", help="default: that of the stack")
    parser.add_argument("--architecture", choices=sorted(PLATFORMS), default="arm64")
    parser.add_argument("--conf", action="append", default=[], help="of Spark: name=value")
    parser.add_argument("--wait", action="store_true", help="until the job has ended")
    parser.add_argument("job", choices=sorted(JOBS), help="python -m scripts.spark.jobs JOB --help")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="of the job")
    return parser.parse_args(arguments)


def application_of(clients: Clients, stack: str) -> Application:
    """The application of a stack."""
    found = {}
    for name in ("SparkApplication", "SparkRole"):
        try:
            answer = clients.call(
                "cloudformation",
                "DescribeStackResource",
                f"{name} of stack {stack}",
                StackName=stack,
                LogicalResourceId=name,
            )
        except MissingResource as error:
            raise ConfigurationError(
                f"stack {stack} has no {name}: deploy it with SparkRank=true"
            ) from error
        found[name] = answer["StackResourceDetail"]["PhysicalResourceId"]
    role = clients.call("iam", "GetRole", found["SparkRole"], RoleName=found["SparkRole"])
    return Application(found["SparkApplication"], role["Role"]["Arn"])


def upload(clients: Clients, bucket: str, architecture: str) -> list[str]:
    """Copy code and packages to the bucket; returns the archives as Spark unpacks them."""
    packages = f"spark/code/packages-{architecture}.zip"
    _put(clients, bucket, "spark/code/job.py", ROOT / "scripts" / "spark" / "job.py")
    _put(clients, bucket, "spark/code/code.zip", pack_code(BUILD / "code.zip"))
    if packages not in clients.objects(bucket, packages):
        file = pack_packages(BUILD / f"packages-{architecture}.zip", architecture)
        _put(clients, bucket, packages, file)
    return [f"s3://{bucket}/spark/code/code.zip#code", f"s3://{bucket}/{packages}#packages"]


def _put(clients: Clients, bucket: str, key: str, file: Path) -> None:
    clients.call("s3", "PutObject", key, Bucket=bucket, Key=key, Body=file.read_bytes())


def environment(found: Deployment, collection: str) -> dict[str, str]:
    """What jobs know the stack by, and where they find their code."""
    return {
        "PYSPARK_PYTHON": PYTHON,
        "PYTHONPATH": PATH,
        "GOSSAMER_HOME": "aws",
        "GOSSAMER_STACK": found.stack,
        "GOSSAMER_BUCKET": found.bucket,
        "GOSSAMER_COLLECTION": collection or found.collection,
        "GOSSAMER_QUEUES": ",".join(f"{name}={url}" for name, url in found.queues.items()),
    }


def submission(args: argparse.Namespace, found: Deployment, archives: list[str]) -> dict[str, Any]:
    """What spark-submit is told."""
    given = {"spark.archives": ",".join(archives), "spark.pyspark.python": PYTHON}
    for name, value in environment(found, args.collection).items():
        given[f"spark.emr-serverless.driverEnv.{name}"] = value
        given[f"spark.executorEnv.{name}"] = value
    given |= dict(each.split("=", 1) for each in args.conf)
    home = f"s3://{found.bucket}/spark/"
    return {
        "entryPoint": f"{home}code/job.py",
        "entryPointArguments": [args.job, *(_place(each, home) for each in args.arguments)],
        "sparkSubmitParameters": " ".join(f"--conf {key}={given[key]}" for key in given),
    }


def _place(argument: str, home: str) -> str:
    return argument.replace("bucket:", home, 1) if argument.startswith("bucket:") else argument


def submit(clients: Clients, args: argparse.Namespace) -> tuple[Application, str]:
    """Start a job; returns where it runs and its id."""
    found = find_stack(clients, args.stack)
    application = application_of(clients, args.stack)
    archives = upload(clients, found.bucket, args.architecture)
    answer = clients.call(
        "emr-serverless",
        "StartJobRun",
        f"application {application.id}",
        applicationId=application.id,
        executionRoleArn=application.role,
        name=f"{args.stack}-{args.job}",
        jobDriver={"sparkSubmit": submission(args, found, archives)},
    )
    return application, str(answer["jobRunId"])


def wait(
    clients: Clients, application: Application, run: str, sleep: Callable[[float], None]
) -> str:
    """Wait until a job has ended; returns how."""
    while True:
        answer = clients.call(
            "emr-serverless",
            "GetJobRun",
            f"job {run}",
            applicationId=application.id,
            jobRunId=run,
        )
        state = str(answer["jobRun"]["state"])
        if state in ENDED:
            return state
        sleep(EVERY)


def main(arguments: Sequence[str] | None = None) -> int:
    """Start a job, and say how to follow it."""
    args, clients = parse(arguments), Clients()
    try:
        application, run = submit(clients, args)
    except GossamerError as error:
        print(f"submit: {error}", file=sys.stderr)
        return 2
    print(f"job {run} of application {application.id}", flush=True)
    if not args.wait:
        return 0
    state = wait(clients, application, run, time.sleep)
    print(state)
    return 0 if state == "SUCCESS" else 1


if __name__ == "__main__":
    sys.exit(main())
