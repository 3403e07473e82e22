"""Is a job started on the application of the stack, with all that it needs?"""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.adapters.aws.stack.spark import SparkCluster
from gossamer.core.errors import ConfigurationError, MissingResource
from gossamer.ports.admin.stack import Deployment
from scripts.spark import submit
from scripts.spark.package import pack_code

if TYPE_CHECKING:
    from pathlib import Path

OUTPUTS = {"PagesBucket": "pages", "FrontierQueueUrl": "https://sqs.test/frontier"}


class Clients:
    """AWS as far as a submission asks it."""

    endpoint = ""

    def __init__(self, *, deployed: bool = True, there: tuple[str, ...] = ()) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self._deployed, self._there = deployed, there
        self.states = ["RUNNING", "SUCCESS"]

    def call(self, service: str, operation: str, resource: str, **given: Any) -> Any:
        self.calls.append((operation, given))
        answer = getattr(self, operation, None)
        return answer(**given) if answer else {}

    def objects(self, bucket: str, prefix: str) -> list[str]:
        return list(self._there)

    def DescribeStacks(self, **_: Any) -> Any:
        outputs = [{"OutputKey": key, "OutputValue": value} for key, value in OUTPUTS.items()]
        given = [{"ParameterKey": "Collection", "ParameterValue": "web"}]
        return {"Stacks": [{"Outputs": outputs, "Parameters": given}]}

    def DescribeStackResource(self, LogicalResourceId: str, **_: Any) -> Any:
        if not self._deployed:
            raise MissingResource("it does not exist")
        return {"StackResourceDetail": {"PhysicalResourceId": f"my-{LogicalResourceId}"}}

    def GetRole(self, RoleName: str) -> Any:
        return {"Role": {"Arn": f"arn:aws:iam::1:role/{RoleName}"}}

    def GetApplication(self, **_: Any) -> Any:
        return {"application": {"architecture": "ARM64"}}

    def StartJobRun(self, **_: Any) -> Any:
        return {"jobRunId": "run-1"}

    def GetJobRun(self, **_: Any) -> Any:
        return {"jobRun": {"state": self.states.pop(0)}}


@pytest.fixture
def packed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Packages are not fetched; for which machines they were wanted."""
    wanted: list[str] = []

    def pack(archive: Path, architecture: str) -> Path:
        wanted.append(architecture)
        archive.parent.mkdir(parents=True, exist_ok=True)
        archive.write_bytes(b"packages")
        return archive

    monkeypatch.setattr(submit, "BUILD", tmp_path)
    monkeypatch.setattr(submit, "pack_packages", pack)
    return wanted


def started(clients: Clients, *arguments: str) -> dict[str, Any]:
    submit.submit(clients, submit.parse(["--stack", "s", *arguments]))  # type: ignore[arg-type]
    [given] = [given for operation, given in clients.calls if operation == "StartJobRun"]
    return given


def test_a_job_gets_its_arguments_and_the_stacks_own_bucket(packed: list[str]):
    given = started(Clients(), "rank", "--input", "bucket:edges", "--output", "s3://other/ranks")

    told = given["jobDriver"]["sparkSubmit"]
    assert given["applicationId"] == "my-SparkApplication"
    assert given["executionRoleArn"] == "arn:aws:iam::1:role/my-SparkRole"
    assert told["entryPoint"] == "s3://pages/spark/code/job.py"
    assert told["entryPointArguments"] == [
        *("rank", "--input", "s3://pages/spark/edges", "--output", "s3://other/ranks")
    ]


def test_driver_and_workers_know_the_stack_and_find_their_code(packed: list[str]):
    told = started(Clients(), "--conf", "spark.executor.cores=4", "recrawl", "--send")

    conf = told["jobDriver"]["sparkSubmit"]["sparkSubmitParameters"].split("--conf ")
    for who in ("spark.emr-serverless.driverEnv", "spark.executorEnv"):
        assert f"{who}.GOSSAMER_STACK=s " in conf
        assert f"{who}.GOSSAMER_COLLECTION=web " in conf
        assert f"{who}.GOSSAMER_QUEUES=frontier=https://sqs.test/frontier " in " ".join(conf) + " "
        assert f"{who}.PYTHONPATH=./code:./packages " in conf
    assert "spark.executor.cores=4" in conf
    archives = (
        "s3://pages/spark/code/code.zip#code,s3://pages/spark/code/packages-arm64.zip#packages"
    )
    assert f"spark.archives={archives} " in conf


def test_packages_are_copied_once_and_code_every_time(packed: list[str]):
    first, second = Clients(), Clients(there=("spark/code/packages-arm64.zip",))
    started(first, "rank")
    started(second, "rank")

    def put(clients: Clients) -> list[str]:
        return [given["Key"] for operation, given in clients.calls if operation == "PutObject"]

    code = ["spark/code/job.py", "spark/code/code.zip"]
    assert put(first) == [*code, "spark/code/packages-arm64.zip"]
    assert put(second) == code
    assert packed == ["arm64"]


def test_the_code_can_be_copied_without_a_job(packed: list[str]):
    clients: Any = Clients()

    _, run = submit.submit(clients, submit.parse(["--stack", "s", "code"]))

    operations = [operation for operation, _ in clients.calls]
    assert run == ""
    assert operations.count("PutObject") == 3
    assert "StartJobRun" not in operations


def test_a_stack_without_spark_says_how_to_get_it(packed: list[str]):
    with pytest.raises(ConfigurationError, match="SparkRank=true"):
        started(Clients(deployed=False), "rank")


def test_waiting_ends_when_the_job_does():
    slept: list[float] = []
    clients: Any = Clients()
    cluster = SparkCluster(clients, Deployment("s", "pages", {}))

    assert submit.wait(cluster, "run-1", slept.append) == "SUCCESS"
    assert slept == [submit.EVERY]


def test_the_code_has_the_package_and_the_jobs(tmp_path: Path):
    names = zipfile.ZipFile(pack_code(tmp_path / "code.zip")).namelist()

    assert {"gossamer/homes.py", "scripts/spark/jobs.py", "gossamer/web/index.html"} <= set(names)
    assert [name for name in names if "__pycache__" in name] == []
