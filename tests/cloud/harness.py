"""What can a test do with a deployed stack? Build, deploy, ask, watch and disturb it.

Everything goes through AWS's own interfaces, so that it works on any endpoint; only processes are
found on this machine, where an emulator runs them.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import urllib.error
import urllib.request
import zipfile
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import boto3
import yaml

from scripts.emulator import REGION, Emulator
from tests.cloud.building import parameters, plain_environment, sam
from tests.cloud.conditions import settled, unnamed
from tests.cloud.processes import kill, processes_with
from tests.cloud.queues import StackQueues, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).resolve().parents[2]
DIES_ONCE = """
import os, pathlib, signal
import real
MARK = pathlib.Path({mark!r})
def handler(event, context):
    answer = real.handler(event, context)
    if "Records" in event and not MARK.exists():
        MARK.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return answer
"""
LATER = """
import time
now = time.time
time.time = lambda: now() + {seconds}
from real import handler
"""
RAISES = "def handler(event, context):\n    raise RuntimeError('a test made this function raise')\n"


class Reply(NamedTuple):
    """An answer over HTTP."""

    status: int
    body: bytes
    headers: Mapping[str, str]

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Result(NamedTuple):
    """What an invoked function answered, or which kind of error it met."""

    payload: Any
    error: str | None


class Stack(StackQueues):
    """A stack on an endpoint, by its name."""

    def __init__(self, emulator: Emulator, name: str, folder: Path) -> None:
        self.emulator = emulator
        self.name = name
        self._folder = folder  # what is built

    # ── deploying ─────────────────────────────────────────────────────────────────────────────────

    @property
    def environment(self) -> dict[str, str]:
        """For programs that talk to this stack: SAM, scripts, the command line."""
        return plain_environment() | self.emulator.environment

    def deploy(self, **overrides: str) -> None:
        """`sam deploy`, again and again if a test likes."""
        chosen = parameters() | overrides
        path = self._folder / f"{self.emulator.kind}-settled.yaml"
        made = settled(self._packaged, chosen)
        if self.emulator.kind == "localstack":  # MERGE is always polled there
            made = unnamed(made, "MergeFunctionMerge")
        path.write_text(yaml.safe_dump(made, sort_keys=False))
        sam(
            self.environment,
            *("deploy", "--template-file", path),
            *("--stack-name", self.name, "--resolve-s3", "--capabilities", "CAPABILITY_IAM"),
            *("--no-confirm-changeset", "--no-fail-on-empty-changeset"),
            *("--parameter-overrides", *(f"{name}={value}" for name, value in chosen.items())),
        )
        self.__dict__.pop("outputs", None)

    @cached_property
    def _packaged(self) -> dict[str, Any]:
        """The built template with its code uploaded: packing it takes most of a deployment."""
        path = self._folder / f"{self.emulator.kind}-packaged.yaml"
        sam(
            self.environment,
            *("package", "--template-file", self._folder / "template.yaml", "--resolve-s3"),
            *("--output-template-file", path),
        )
        template: dict[str, Any] = yaml.safe_load(path.read_text())
        return template

    # ── looking at it ───────────────────────────────────────────────────────────────────────────

    def client(self, service: str) -> Any:
        """A client of boto3 for the endpoint, whatever this process's environment says."""
        settings = self.emulator.environment
        return boto3.client(
            service,
            endpoint_url=settings["AWS_ENDPOINT_URL"],
            region_name=REGION,
            verify=settings.get("AWS_CA_BUNDLE"),
            aws_access_key_id=settings["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=settings["AWS_SECRET_ACCESS_KEY"],
        )

    @cached_property
    def _lambda(self) -> Any:
        return self.client("lambda")

    @cached_property
    def outputs(self) -> dict[str, str]:
        """What the template says about itself once it is deployed."""
        (found,) = self.client("cloudformation").describe_stacks(StackName=self.name)["Stacks"]
        return {output["OutputKey"]: output["OutputValue"] for output in found.get("Outputs", ())}

    @property
    def resources(self) -> list[dict[str, Any]]:
        """Every resource of the stack: LogicalResourceId, ResourceType, PhysicalResourceId…"""
        pages = self.client("cloudformation").get_paginator("list_stack_resources")
        found = pages.paginate(StackName=self.name)
        return [entry for page in found for entry in page["StackResourceSummaries"]]

    @property
    def base_url(self) -> str:
        """Where the REST API answers; both emulators know this path."""
        stage = self.outputs["ApiUrl"].rstrip("/").rpartition("/")[2]
        return f"{self.emulator.endpoint}/_aws/execute-api/{self.outputs['ApiId']}/{stage}"

    def ask(
        self, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> Reply:
        """GET a path of the API, or POST a JSON body to it."""
        data = None if body is None else json.dumps(body).encode()
        sent = {"Content-Type": "application/json"} if data else {}
        request = urllib.request.Request(f"{self.base_url}{path}", data, sent | dict(headers or {}))
        try:
            with self.emulator.open(request) as answer:
                return Reply(answer.status, answer.read(), dict(answer.headers))
        except urllib.error.HTTPError as error:
            with error:
                return Reply(error.code, error.read(), dict(error.headers))

    def log_lines(self, function: str) -> list[str]:
        """All that a function wrote, with the lines that Lambda adds, in order of time."""
        logs = self.client("logs")
        pages = logs.get_paginator("filter_log_events")
        try:
            found = list(pages.paginate(logGroupName=f"/aws/lambda/{self.name}-{function}"))
        except logs.exceptions.ResourceNotFoundException:  # it never ran
            return []
        return [event["message"].rstrip("\n") for page in found for event in page["events"]]

    def logs(self, function: str) -> list[dict[str, Any]]:
        """The JSON objects among the lines that a function wrote."""
        return [entry for line in self.log_lines(function) if (entry := _json_object(line))]

    # ── functions ───────────────────────────────────────────────────────────────────────────────

    def invoke(self, function: str, event: object) -> Result:
        """Call a function and wait for its answer."""
        answer = self._lambda.invoke(
            FunctionName=f"{self.name}-{function}", Payload=json.dumps(event).encode()
        )
        return Result(json.loads(answer["Payload"].read() or b"null"), answer.get("FunctionError"))

    def processes(self, function: str) -> list[int]:
        """The processes that run a function now."""
        return processes_with(
            AWS_LAMBDA_FUNCTION_NAME=f"{self.name}-{function}",
            AWS_ENDPOINT_URL=self.emulator.endpoint,
        )

    def kill_processes(self, function: str) -> list[int]:
        """Kill what runs a function now. A test waits first for what they do, not for a time."""
        return [pid for pid in self.processes(function) if kill(pid)]

    def raising(self, function: str) -> contextlib.AbstractContextManager[None]:
        """Let a function raise at every event for as long as the `with` block lasts."""
        return self.replaced(function, RAISES)

    def dying_once(self, function: str, folder: Path) -> contextlib.AbstractContextManager[None]:
        """Kill a function once, when its first messages are dealt with and before it says so."""
        return self.replaced(function, DIES_ONCE.format(mark=str(folder / function)))

    def later(self, function: str, seconds: float) -> contextlib.AbstractContextManager[None]:
        """Move the clock of a function."""
        return self.replaced(function, LATER.format(seconds=seconds))

    @contextlib.contextmanager
    def replaced(self, function: str, source: str) -> Iterator[None]:
        """Let a function run other code for as long as the `with` block lasts.

        Its own code is the module `real` there.
        """
        folder = ROOT / "functions" / function
        own = {file.name: file.read_text() for file in folder.glob("*.py")}
        self._replace_code(function, own | {"real.py": own["app.py"], "app.py": source})
        try:
            yield
        finally:
            self._replace_code(function, own)

    def _replace_code(self, function: str, files: Mapping[str, str]) -> None:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        name = f"{self.name}-{function}"
        self._lambda.update_function_code(FunctionName=name, ZipFile=packed.getvalue())
        self._lambda.get_waiter("function_updated_v2").wait(
            FunctionName=name, WaiterConfig={"Delay": 1}
        )

    @contextlib.contextmanager
    def paused(self, function: str) -> Iterator[None]:
        """Let a function read nothing from its queue for as long as the `with` block lasts."""
        self._switch(function, is_on=False)
        try:
            yield
        finally:
            self._switch(function, is_on=True)

    def _switch(self, function: str, *, is_on: bool) -> None:
        name = f"{self.name}-{function}"
        for mapping in self._lambda.list_event_source_mappings(FunctionName=name)[
            "EventSourceMappings"
        ]:
            self._lambda.update_event_source_mapping(UUID=mapping["UUID"], Enabled=is_on)
            wanted = "Enabled" if is_on else "Disabled"

            def switched(uuid: str = mapping["UUID"], wanted: str = wanted) -> bool:
                found = self._lambda.get_event_source_mapping(UUID=uuid)["State"]
                return bool(found == wanted)

            wait_for(switched, 60, f"the mapping of {name} is not {wanted}")


def running_at(endpoint: str) -> Emulator:
    """An emulator that was started elsewhere."""
    endpoint, certificate = endpoint.rstrip("/"), os.environ.get("AWS_CA_BUNDLE", "")
    found = Emulator("ministack", endpoint, certificate=certificate)
    assert found.is_healthy(), f"no emulator answers at {endpoint}"
    try:
        found.open(urllib.request.Request(f"{endpoint}/_ministack/health")).close()
    except urllib.error.HTTPError as error:
        error.close()
        return replace(found, kind="localstack")
    return found


def _json_object(line: str) -> dict[str, Any] | None:
    with contextlib.suppress(ValueError):
        found = json.loads(line)
        return found if isinstance(found, dict) else None
    return None
