"""The jobs of scripts/spark on the EMR Serverless application of a stack.

Code and packages are archives in the bucket (`python -m scripts.spark.submit --stack NAME code`
copies them there); Spark unpacks them beside a job.
"""

from __future__ import annotations

from math import ceil
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, NamedTuple

from gossamer.adapters.aws.index.files import Files
from gossamer.core.errors import ConfigurationError, MissingResource
from gossamer.ports.admin.bulk import MAX_JOB_HOURS, Run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gossamer.adapters.aws.clients import Clients
    from gossamer.ports.admin.stack import Deployment

FOLDER = "spark/"
CODE = f"{FOLDER}code/"
ENTRY, ARCHIVE = f"{CODE}job.py", f"{CODE}code.zip"
PYTHON = "/usr/bin/python3.11"  # of EMR 7; the archive of packages is for this version
PATH = "./code:./packages"
BUCKET = "bucket:"
PIECE = 1 << 20  # bytes of a file that are read at once


class Application(NamedTuple):
    """What runs the jobs of a stack, in which role, and on which machines."""

    id: str
    role: str
    architecture: str = "arm64"


def application_of(clients: Clients, stack: str) -> Application:
    """The application of a stack."""
    found = {name: _resource(clients, stack, name) for name in ("SparkApplication", "SparkRole")}
    role = clients.call("iam", "GetRole", found["SparkRole"], RoleName=found["SparkRole"])
    id = found["SparkApplication"]
    told = clients.call("emr-serverless", "GetApplication", f"application {id}", applicationId=id)
    architecture = told.get("application", {}).get("architecture", "ARM64").lower()
    return Application(id, role["Role"]["Arn"], architecture)


def _resource(clients: Clients, stack: str, name: str) -> str:
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
    return str(answer["StackResourceDetail"]["PhysicalResourceId"])


def packages(architecture: str) -> str:
    """Where the packages for such machines are."""
    return f"{CODE}packages-{architecture}.zip"


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


class SparkCluster:
    """The cluster of a stack; its folders are below spark/ in the bucket."""

    def __init__(
        self,
        clients: Clients,
        found: Deployment,
        collection: str = "",
        conf: Mapping[str, str] | None = None,
        max_hours: float = MAX_JOB_HOURS,
    ) -> None:
        self._clients, self._found, self._collection = clients, found, collection
        self._max_hours = max_hours
        self._conf = dict(conf or {})
        self._application: Application | None = None

    @property
    def application(self) -> Application:
        """Where jobs run; asked for once."""
        if self._application is None:
            self._application = application_of(self._clients, self._found.stack)
        return self._application

    def check(self) -> None:
        wanted = {ENTRY, ARCHIVE, packages(self.application.architecture)}
        missing = wanted - set(self._clients.objects(self._found.bucket, CODE))
        if missing:
            raise ConfigurationError(
                f"the bucket {self._found.bucket} lacks {', '.join(sorted(missing))}: copy the code"
                f" there, in a checkout: python -m scripts.spark.submit --stack {self._found.stack}"
                f" --architecture {self.application.architecture} code"
            )

    def has(self, name: str) -> bool:
        return any(True for _ in self._clients.objects(self._found.bucket, f"{FOLDER}{name}/"))

    def put(self, name: str, file: str) -> None:
        bucket, folder = self._found.bucket, f"{FOLDER}{name}/"
        before = list(self._clients.objects(bucket, folder))
        Files(self._clients, bucket, folder).put(f"{token_hex(8)}.parquet", _pieces(file))
        for old in before:
            self._clients.call("s3", "DeleteObject", old, Bucket=bucket, Key=old)

    def lines(self, name: str) -> Iterator[bytes]:
        bucket = self._found.bucket
        for key in sorted(self._clients.objects(bucket, f"{FOLDER}{name}/")):
            body = self._clients.call("s3", "GetObject", key, Bucket=bucket, Key=key)["Body"]
            yield from filter(None, body.read().splitlines())

    def start(self, job: str, arguments: Sequence[str]) -> str:
        answer = self._clients.call(
            "emr-serverless",
            "StartJobRun",
            f"application {self.application.id}",
            applicationId=self.application.id,
            executionRoleArn=self.application.role,
            name=f"{self._found.stack}-{job}",
            executionTimeoutMinutes=ceil(60 * self._max_hours),
            jobDriver={"sparkSubmit": self.submission(job, arguments)},
        )
        return str(answer["jobRunId"])

    def submission(self, job: str, arguments: Sequence[str]) -> dict[str, Any]:
        """What spark-submit is told."""
        home = f"s3://{self._found.bucket}/"
        kept = packages(self.application.architecture)
        archives = f"{home}{ARCHIVE}#code,{home}{kept}#packages"
        given = {"spark.archives": archives, "spark.pyspark.python": PYTHON}
        for name, value in environment(self._found, self._collection).items():
            given[f"spark.emr-serverless.driverEnv.{name}"] = value
            given[f"spark.executorEnv.{name}"] = value
        given |= self._conf
        return {
            "entryPoint": f"{home}{ENTRY}",
            "entryPointArguments": [job, *(_place(each, home) for each in arguments)],
            "sparkSubmitParameters": " ".join(f"--conf {key}={given[key]}" for key in given),
        }

    def look(self, run: str) -> Run:
        answer = self._clients.call(
            "emr-serverless",
            "GetJobRun",
            f"job {run}",
            applicationId=self.application.id,
            jobRunId=run,
        )["jobRun"]
        used = answer.get("billedResourceUtilization") or {}
        return Run(
            run,
            str(answer["state"]),
            str(answer.get("stateDetails") or ""),
            float(used.get("vCPUHour") or 0.0),
            float(used.get("memoryGBHour") or 0.0),
        )


def _pieces(file: str) -> Iterator[bytes]:
    with Path(file).open("rb") as opened:
        while piece := opened.read(PIECE):
            yield piece


def _place(argument: str, home: str) -> str:
    return argument.replace(BUCKET, home + FOLDER, 1) if argument.startswith(BUCKET) else argument
