"""Does `gossamer --stack NAME bulk` export, run the jobs in their order, follow and report them?"""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pyarrow.parquet
import pytest
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.emrserverless.models import emrserverless_backends

from gossamer.adapters.aws.clients import Clients
from gossamer.adapters.aws.home import AwsHome
from gossamer.core.crawl.url_state import State
from scripts.spark import jobs
from tests.unit.entrypoints.moto_stack import (
    STACK,
    CloudFormation,
    add_document,
    add_url,
    begin_job,
    run,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PAGE = "http://a.test/"
BUCKET = f"{STACK}-pagesbucket-1a2b3c"
ROLE = {"Version": "2012-10-17", "Statement": []}
CODE = ("job.py", "code.zip", "packages-arm64.zip")
pytestmark = pytest.mark.usefixtures("stack")


class Emr:
    """EMR Serverless in moto, whose jobs a test ends."""

    def __init__(self) -> None:
        clients = Clients()
        made = clients.call(
            "emr-serverless", "CreateApplication", "application", name="rank", type="SPARK",
            releaseLabel="emr-7.13.0", clientToken="once", architecture="ARM64",
        )  # fmt: skip
        self.id = made["applicationId"]
        clients.call(
            "iam", "CreateRole", "role", RoleName="spark", AssumeRolePolicyDocument=json.dumps(ROLE)
        )
        CloudFormation.resources.update({"SparkApplication": self.id, "SparkRole": "spark"})
        self.failing = ""
        self.slept = 0

    def copy_code(self) -> None:
        for name in CODE:
            key = f"spark/code/{name}"
            Clients().call("s3", "PutObject", key, Bucket=BUCKET, Key=key, Body=b"code")

    def sleep(self, _seconds: float) -> None:
        """The time in which the job that runs comes to its end."""
        self.slept += 1
        for job in self.started():
            if job.state not in ("SUCCESS", "FAILED"):
                name = job.job_driver["sparkSubmit"]["entryPointArguments"][0]
                job.state = "FAILED" if name == self.failing else "SUCCESS"
                job.state_details = "out of memory" if name == self.failing else ""

    def started(self) -> list[Any]:
        backend = emrserverless_backends[DEFAULT_ACCOUNT_ID]["us-east-1"]
        return list(backend.job_runs.get(self.id, ()))

    def told(self) -> list[list[str]]:
        """The arguments of every job that was started."""
        return [job.job_driver["sparkSubmit"]["entryPointArguments"] for job in self.started()]


@pytest.fixture
def emr(monkeypatch: pytest.MonkeyPatch) -> Emr:
    emr = Emr()
    monkeypatch.setattr("gossamer.entrypoints.cli.stack.bulk.time.sleep", emr.sleep)
    monkeypatch.setattr("moto.emrserverless.models.JOB_STATUS", "RUNNING")
    return emr


@pytest.fixture
def ready(emr: Emr) -> Emr:
    emr.copy_code()
    return emr


def rows(name: str) -> int:
    (key,) = Clients().objects(BUCKET, f"spark/{name}/")
    answer = Clients().call("s3", "GetObject", name, Bucket=BUCKET, Key=key)
    table = pyarrow.parquet.read_table(io.BytesIO(answer["Body"].read()))
    return int(table.num_rows)


def test_rank_exports_and_runs_every_job_in_its_order(ready: Emr, capsys: Any):
    add_url(PAGE, State.PARSED, "document")
    add_document(PAGE, "Silk")

    code, out, err = run(capsys, "--stack", STACK, "bulk", "rank")

    assert code == 0
    names = [told[0] for told in ready.told()]
    assert names == ["rank", "names", "worths", "near_duplicates", "load", "segments"]
    assert rows("documents") == 1
    assert "exported 1 documents" in err
    assert "6 jobs done" in out


def test_folders_of_jobs_are_in_the_bucket_of_the_stack(ready: Emr, capsys: Any):
    run(capsys, "--stack", STACK, "bulk", "rank")

    assert ready.told()[0] == [
        *("rank", "--input", f"s3://{BUCKET}/spark/edges"),
        *("--nodes", f"s3://{BUCKET}/spark/documents", "--output", f"s3://{BUCKET}/spark/ranks"),
    ]


@pytest.mark.parametrize("work", ["rank", "recrawl", "reindex"])
def test_the_jobs_know_their_arguments_and_get_all_they_need(ready: Emr, capsys: Any, work: str):
    begin_job()
    run(capsys, "--stack", STACK, "bulk", work)

    assert ready.told()
    for job, *told in ready.told():
        # Read as text: most of them import pyspark, which is not here.
        source = (Path(jobs.__file__).parent / f"{job}.py").read_text()
        known = set(re.findall(r'"(--[a-z]+)"', source))
        needed = set(re.findall(r'"(--[a-z]+)", required=True', source))
        given = {each for each in told if each.startswith("--")}
        assert needed <= given <= known, job


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Collect what functions are asked."""
    parts: list[Any] = []

    def ask(home: AwsHome, function: str, questions: Sequence[bytes]) -> list[bytes]:
        parts.extend((function, json.loads(question)) for question in questions)
        return [b"{}"]

    monkeypatch.setattr(AwsHome, "ask", ask)
    return parts


def put_plan(job: str, *lines: str) -> None:
    for number, line in enumerate(lines):
        key = f"spark/plans/{job}/part-{number:05}"
        Clients().call("s3", "PutObject", key, Bucket=BUCKET, Key=key, Body=line.encode())


def test_recrawl_plans_the_latest_crawl_and_the_function_sends_it(
    ready: Emr, parts: list[Any], capsys: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("gossamer.entrypoints.cli.stack.bulk.URLS_PER_CALL", 2)
    begin_job("news")
    add_url(PAGE)
    put_plan("news", '{"url": "a"}\n{"url": "b"}\n', '{"url": "c"}\n')

    code, out, _ = run(capsys, "--stack", STACK, "bulk", "recrawl", "--most", "500")

    assert code == 0
    assert "3 URLs sent" in out
    function = f"{STACK}-recrawl"
    assert parts == [
        (function, {"job": "news", "plan": [{"url": "a"}, {"url": "b"}]}),
        (function, {"job": "news", "plan": [{"url": "c"}]}),
    ]
    assert ready.told() == [
        [
            "recrawl",
            "--input",
            f"s3://{BUCKET}/spark/urls",
            "--name",
            "news",
            "--most",
            "500",
            "--plan",
            f"s3://{BUCKET}/spark/plans/news",
        ]
    ]
    assert rows("urls") == 1


def test_a_plan_that_is_there_is_sent_without_planning_again(
    ready: Emr, parts: list[Any], capsys: Any
):
    begin_job("news")
    put_plan("news", '{"url": "a"}\n')

    code, _, _ = run(capsys, "--stack", STACK, "bulk", "recrawl", "--exported", "--from", "send")

    assert code == 0
    assert not ready.told()
    assert [part["plan"] for _, part in parts] == [[{"url": "a"}]]


def test_a_plan_that_failed_is_not_sent(ready: Emr, parts: list[Any], capsys: Any):
    ready.failing = "recrawl"
    begin_job("news")
    put_plan("news", '{"url": "a"}\n')

    code, _, _ = run(capsys, "--stack", STACK, "bulk", "recrawl")

    assert code == 1
    assert not parts


def test_a_job_is_ended_after_so_many_hours(ready: Emr, capsys: Any):
    with patch.object(Clients, "call", autospec=True, side_effect=Clients.call) as call:
        run(capsys, "--stack", STACK, "bulk", "rank", "--max-hours", "1.5")

    starts = [given.kwargs for given in call.call_args_list if "StartJobRun" in given.args]
    assert {given["executionTimeoutMinutes"] for given in starts} == {90}


def test_reindex_uses_the_names_of_the_last_ranking(ready: Emr, capsys: Any):
    run(capsys, "--stack", STACK, "bulk", "reindex")
    key = "spark/names/part-0.parquet"
    Clients().call("s3", "PutObject", key, Bucket=BUCKET, Key=key, Body=b"names")
    run(capsys, "--stack", STACK, "bulk", "reindex")

    published = [told for told in ready.told() if told[0] == "segments"]
    assert ["--names" in told for told in published] == [False, True]


def test_a_job_that_fails_ends_it_and_says_how_to_go_on(ready: Emr, capsys: Any):
    ready.failing = "names"

    code, out, _ = run(capsys, "--stack", STACK, "bulk", "rank")

    assert code == 1
    assert [told[0] for told in ready.told()] == ["rank", "names"]
    assert "FAILED" in out
    assert "out of memory" in out
    assert "bulk rank --exported --from names" in out


def test_what_failed_goes_on_without_another_export(ready: Emr, capsys: Any):
    code, _, err = run(
        capsys, "--stack", STACK, "bulk", "rank", "--exported", "--from", "near_duplicates"
    )

    assert code == 0
    assert [told[0] for told in ready.told()] == ["near_duplicates", "load", "segments"]
    assert "exported" not in err


def test_an_export_replaces_what_was_exported_before(ready: Emr, capsys: Any):
    old = "spark/documents/part-of-long-ago.parquet"
    Clients().call("s3", "PutObject", old, Bucket=BUCKET, Key=old, Body=b"old")

    run(capsys, "--stack", STACK, "bulk", "reindex")

    run(capsys, "--stack", STACK, "bulk", "reindex")
    assert rows("documents") == 0


def _without_application(emr: Emr) -> None:
    CloudFormation.resources.clear()


def _without_code(emr: Emr) -> None:
    for name in CODE:
        key = f"spark/code/{name}"
        Clients().call("s3", "DeleteObject", key, Bucket=BUCKET, Key=key)


@pytest.mark.parametrize(
    ("break_it", "arguments", "advice"),
    [
        (_without_application, ("rank",), "SparkRank=true"),
        (_without_code, ("rank",), "python -m scripts.spark.submit --stack crawl-test"),
        (None, ("rank", "--from", "load2"), "the jobs are rank, names"),
        (None, ("rank", "--conf", "cores"), "NAME=VALUE"),
        (None, ("recrawl",), "begins one"),
    ],
)
def test_what_is_missing_is_said_with_what_to_do(
    ready: Emr,
    capsys: Any,
    break_it: Callable[[Emr], None] | None,
    arguments: tuple[str, ...],
    advice: str,
):
    if break_it is not None:
        break_it(ready)

    code, _, err = run(capsys, "--stack", STACK, "bulk", *arguments)

    assert code == 2
    assert advice in err
    assert ready.told() == []


def test_help_teaches(capsys: Any):
    with pytest.raises(SystemExit):
        run(capsys, "bulk", "--help")

    told = capsys.readouterr().out
    assert "SparkRank=true" in told
    assert "bulk recrawl --most 50000" in told
