"""A stack in moto, found by its name as a deployed one is: tables, queues, bucket and outputs."""

from __future__ import annotations

import json
import os
import threading
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, ClassVar
from unittest.mock import patch
from urllib.parse import parse_qs
from xml.sax.saxutils import escape

from moto import mock_aws

from gossamer.adapters.aws.clients import Clients
from gossamer.adapters.aws.home import AwsHome
from gossamer.adapters.aws.sqs import dead_letters
from gossamer.core.crawl.job import DEFAULT_JOB, JobConfig
from gossamer.core.crawl.url_record import Discovery, UrlChange
from gossamer.core.crawl.url_state import State
from gossamer.core.page.document import Document
from gossamer.core.urls import host_of, url_id
from gossamer.entrypoints.cli.main import main
from gossamer.entrypoints.cli.stack.home import open_stack
from scripts.create_stack import create_queues, create_tables
from tests.life import bring

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.ports.jobs import JobRecord

STACK = "crawl-test"
CONTACT = "https://example.org/crawler"
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}
PARAMETERS: dict[str, str] = {}  # that a test gives the stack besides
RESOURCES = {
    "AWS::CloudWatch::Alarm": 12,
    "AWS::Lambda::EventSourceMapping": 6,
    "AWS::SecretsManager::Secret": 1,
}
FORGOTTEN = ("AWS_ENDPOINT_URL", "AWS_PROFILE", "GOSSAMER_COLLECTION", "GOSSAMER_STACK")


class CloudFormation(BaseHTTPRequestHandler):
    """Answers what is asked of it; moto's own needs packages we do not."""

    stacks: ClassVar[dict[str, dict[str, str]]] = {}  # the outputs of each
    resources: ClassVar[dict[str, str]] = {}  # their physical ids

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        name = form.get("LogicalResourceId", form["StackName"])[0]
        if "LogicalResourceId" in form:
            known = name in self.resources
            said = _resource(name, self.resources[name]) if known else _not_there(name)
        elif form["Action"] == ["ListStackResources"]:
            known, said = name in self.stacks, _resources()
        else:
            known = name in self.stacks
            said = _description(name, self.stacks[name]) if known else _not_there(name)
        body = said.encode()
        self.send_response(200 if known else 400)
        self.send_header("Content-Type", "text/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing is written."""


def _description(name: str, outputs: dict[str, str]) -> str:
    given = {"Collection": "web", "Contact": CONTACT, **PARAMETERS}
    return (
        "<DescribeStacksResponse><DescribeStacksResult><Stacks><member>"
        f"<StackName>{name}</StackName><StackStatus>CREATE_COMPLETE</StackStatus>"
        f"<Parameters>{_members('Parameter', given)}</Parameters>"
        f"<Outputs>{_members('Output', outputs)}</Outputs>"
        "</member></Stacks></DescribeStacksResult></DescribeStacksResponse>"
    )


def _resources() -> str:
    kinds = [kind for kind, count in RESOURCES.items() for _ in range(count)]
    members = "".join(f"<member><ResourceType>{kind}</ResourceType></member>" for kind in kinds)
    return (
        "<ListStackResourcesResponse><ListStackResourcesResult><StackResourceSummaries>"
        f"{members}</StackResourceSummaries></ListStackResourcesResult></ListStackResourcesResponse>"
    )


def _resource(name: str, id: str) -> str:
    return (
        "<DescribeStackResourceResponse><DescribeStackResourceResult><StackResourceDetail>"
        f"<LogicalResourceId>{name}</LogicalResourceId><PhysicalResourceId>{id}</PhysicalResourceId>"
        "</StackResourceDetail></DescribeStackResourceResult></DescribeStackResourceResponse>"
    )


def _members(kind: str, pairs: dict[str, str]) -> str:
    return "".join(
        f"<member><{kind}Key>{k}</{kind}Key><{kind}Value>{escape(v)}</{kind}Value></member>"
        for k, v in pairs.items()
    )


def _not_there(name: str) -> str:
    return (
        "<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code>"
        f"<Message>Stack with id {name} does not exist</Message></Error></ErrorResponse>"
    )


@lru_cache(maxsize=1)
def _cloudformation() -> str:
    """The address of our own CloudFormation, which serves until the process ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), CloudFormation)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


_KNOWN = CloudFormation.stacks, CloudFormation.resources
_make, _made = Clients._make, dict[str, Any]()


def _make_once(clients: Clients, service: str) -> Any:
    """Making a client takes longer than most tests."""
    if service not in _made:
        _made[service] = _make(clients, service)
    return _made[service]


@contextmanager
def aws() -> Iterator[None]:
    """AWS without anything in it."""
    where = {"AWS_ENDPOINT_URL_CLOUDFORMATION": _cloudformation()}
    with patch.dict(os.environ, ENVIRONMENT | where), patch.object(dead_letters, "WAIT", 0):
        for name in FORGOTTEN:
            os.environ.pop(name, None)
        once = patch.object(Clients, "_make", _make_once)
        nothing = (patch.dict(each, clear=True) for each in _KNOWN)
        with mock_aws(), once, ExitStack() as forgotten:
            for each in nothing:
                forgotten.enter_context(each)
            yield


def deploy(stack: str = STACK) -> None:
    """What `sam deploy` leaves behind, as far as an operator sees it."""
    clients = Clients()
    create_tables(clients, stack)
    queues = create_queues(clients, stack)
    bucket = f"{stack}-pagesbucket-1a2b3c"
    clients.call("s3", "CreateBucket", bucket, Bucket=bucket)
    CloudFormation.stacks[stack] = {
        **{f"{n.capitalize()}QueueUrl": url for n, url in queues.items() if "-" not in n},
        "PagesBucket": bucket,
        "SearchUrl": "https://api.test/dev/",
        "AdminKeySecret": f"{stack}-admin-key",
    }


def home() -> AwsHome:
    """The home in the stack, as a command opens it."""
    opened = open_stack(STACK).home
    assert isinstance(opened, AwsHome)
    return opened


def begin_job(name: str = DEFAULT_JOB, **config: Any) -> None:
    """A job that runs."""
    home().jobs.configure(name, JobConfig(**config), 100.0)


def job(name: str = DEFAULT_JOB) -> JobRecord:
    """A job that there is."""
    record = home().jobs.get(name)
    assert record is not None
    return record


def add_url(url: str, state: State = State.DISCOVERED, reason: str = "", **facts: Any) -> bytes:
    """A URL as the crawl left it."""
    opened, id = home(), url_id(url)
    opened.urls.add([Discovery(id, url, host_of(url), 0, job=DEFAULT_JOB)], b"", 100.0)
    if state is not State.DISCOVERED:
        bring(opened.urls, id, state, UrlChange(reason=reason, **facts))
    opened.close()
    return id


def add_document(url: str, title: str) -> None:
    document = Document(url=url, title=title, text=f"All about {title}.")
    home().documents.put(url_id(url), [document], 100.0)


def run(capsys: Any, *argv: str) -> tuple[int, str, str]:
    """Exit code, what was printed, and what was complained about."""
    code = main([*argv])
    out, err = capsys.readouterr()
    return code, out, err


def result(capsys: Any, *argv: str) -> Any:
    """What a command on the stack prints as JSON."""
    code, out, err = run(capsys, "--stack", STACK, *argv, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)
