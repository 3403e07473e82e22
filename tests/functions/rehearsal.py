"""A stack in moto whose clock a test moves, and what each of its functions asked of AWS.

The handlers, the homes and the telemetry are the deployed ones; Lambda, its schedules and the web
are played here. Each function has a home of its own, as a process has.
"""

from __future__ import annotations

import io
import json
import threading
from collections import Counter, defaultdict
from contextlib import ExitStack, redirect_stdout
from typing import TYPE_CHECKING, Any, get_args
from unittest.mock import patch

from botocore.awsrequest import AWSResponse  # noqa: TID251 stands for Lambda
from moto import mock_aws
from moto.core.botocore_stubber import MockRawResponse
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.sqs.models import sqs_backends

from gossamer.adapters.aws.clients import Clients
from gossamer.adapters.aws.home import AwsHome
from gossamer.core.index.segments import dictionary
from gossamer.entrypoints.api.gateway_event import Head, Resources, event_of
from gossamer.entrypoints.api.routes import ROUTES
from gossamer.entrypoints.lambdas import api, context, search
from gossamer.entrypoints.lambdas.compact import compact_handler
from gossamer.entrypoints.lambdas.index import index_handler
from gossamer.entrypoints.lambdas.merge import merge_handler
from gossamer.entrypoints.lambdas.money import Guard
from gossamer.entrypoints.lambdas.powertools import PowertoolsTelemetry
from gossamer.entrypoints.lambdas.rank import rank_handler
from gossamer.entrypoints.lambdas.recrawl import recrawl_handler
from gossamer.entrypoints.lambdas.schedule import schedule_handler, tend
from gossamer.entrypoints.lambdas.sqs import Worker, sqs_handler
from gossamer.homes import decode_body
from gossamer.messages import AnyMessage, Stream, encode
from gossamer.ports import Ports
from gossamer.search.budget import Budget
from gossamer.topology import STREAMS
from scripts.create_stack import create_queues, create_tables
from tests.aws_backend import ENVIRONMENT, OneAtATime
from tests.pump import ScriptedFetcher, VirtualClock

if TYPE_CHECKING:
    from collections.abc import Callable

STACK, BUCKET, KEY = "test-stack", "test-pages", "rehearsed"
MAPPING = "11111111-2222-3333-4444-555555555555"
START = 1_800_000_000.0  # seconds; a moment of a year that tokens and certificates allow
DAILY_USD, SEARCH_USD = 1000.0, 1000.0  # far away, but looked at
Calls = dict[str, set[tuple[str, str]]]


class NotingHome(AwsHome):
    """A home that keeps what its telemetry was told last."""

    taken: frozenset[tuple[str, str]] = frozenset()

    def take_calls(self) -> dict[str, int]:
        self.__dict__["taken"] = frozenset(self.meter.calls)
        return super().take_calls()


class InvokingClients(OneAtATime):
    """Clients of a function that calls another one, which makes calls of its own meanwhile."""

    def __init__(self, invoke: Callable[[str, Any], Any]) -> None:
        super().__init__(region="us-east-1")
        self._invoke, self._one = invoke, threading.Lock()
        self.client("lambda").meta.events.register_first("before-send.lambda.Invoke", self._answer)

    def raw(self, service: str, operation: str, **parameters: Any) -> Any:
        if service != "lambda":
            return super().raw(service, operation, **parameters)
        return Clients.raw(self, service, operation, **parameters)

    def _answer(self, request: Any, **_: Any) -> AWSResponse:
        function = request.url.split("/")[-2].rpartition("-")[2]
        with self._one:
            said = self._invoke(function, json.loads(request.body))
        body = json.dumps(said).encode()
        length = {"Content-Length": str(len(body))}
        return AWSResponse(request.url, 200, length, MockRawResponse(body))


class Reader:
    """The event source mapping of MERGE: moto would call a function for each message itself."""

    def __init__(self, clients: Clients) -> None:
        self.state = "Enabled"
        events = clients.client("lambda").meta.events
        for operation in ("GetEventSourceMapping", "UpdateEventSourceMapping"):
            events.register_first(f"before-send.lambda.{operation}", self._answer)

    def _answer(self, request: Any, **_: Any) -> AWSResponse:
        if request.method == "PUT":
            self.state = "Enabled" if json.loads(request.body)["Enabled"] else "Disabled"
        body = json.dumps({"UUID": MAPPING, "State": self.state}).encode()
        length = {"Content-Length": str(len(body))}
        return AWSResponse(request.url, 200, length, MockRawResponse(body))


class Rehearsal:
    """Functions, queues and a clock."""

    def __init__(self) -> None:
        self.clock = VirtualClock(START)
        self.fetcher = ScriptedFetcher(self.clock)
        self.calls: Calls = defaultdict(set)
        self.metrics: list[Any] = []  # in CloudWatch's embedded format
        self.logged: Counter[str] = Counter()  # bytes by function
        self._workers: dict[str, Worker] = {}
        self._stack = ExitStack()
        self._enter()
        self.clients = OneAtATime(region="us-east-1")
        self.invoking = InvokingClients(self.invoke)
        create_tables(self.clients, STACK)
        self.queue_urls = create_queues(self.clients, STACK)
        self.clients.call("s3", "CreateBucket", BUCKET, Bucket=BUCKET)
        secret = {"Name": f"{STACK}-admin-key", "SecretString": KEY}
        self.clients.call("secretsmanager", "CreateSecret", "secret", **secret)
        self.reader = Reader(self.clients)
        self.person = self.opened()
        self.handlers = self._handlers()

    def _enter(self) -> None:
        names = {"GOSSAMER_HOME": "aws", "GOSSAMER_STACK": STACK, "GOSSAMER_BUCKET": BUCKET}
        names |= {"GOSSAMER_ADMIN_SECRET": f"{STACK}-admin-key", "GOSSAMER_COLLECTION": "web"}
        names |= {
            "GOSSAMER_CONTACT": "https://example.org/",
            "GOSSAMER_SEARCH_FUNCTION": f"{STACK}-search",
            "GOSSAMER_SEARCH_USD": str(SEARCH_USD),
        }
        names |= {"POWERTOOLS_METRICS_NAMESPACE": "Gossamer", "POWERTOOLS_SERVICE_NAME": "test"}
        self._stack.enter_context(patch.dict("os.environ", ENVIRONMENT | names))
        self._stack.enter_context(mock_aws())
        self._stack.enter_context(patch("time.time", self.clock))
        for name, scale in (("unix_time_millis", 1000), ("unix_time", 1)):
            ticking = self._ticking(scale)
            self._stack.enter_context(patch(f"moto.sqs.models.{name}", ticking))
        self._stack.enter_context(patch("asyncio.sleep", self._sleep))
        # By the real clock a query takes too long where the machine is busy.
        for module in ("entrypoints.api.services", "search.groups.group"):
            self._stack.enter_context(patch(f"gossamer.{module}.Budget", self._budget))
        # Lists of a few documents are long here and no file is small, so heads are kept and read.
        self._stack.enter_context(patch("gossamer.search.small_files.SMALL", 0))
        self._stack.enter_context(patch.object(dictionary, "FREQUENT", 3))
        self._stack.enter_context(patch.object(dictionary, "LAYERS", (2, 3)))
        # moto cannot divide a scan of binary keys
        self._stack.enter_context(patch("gossamer.entrypoints.lambdas.rank.SEGMENTS", 1))
        self._stack.enter_context(patch.object(api, "worker", lambda: self._at_work("api")))
        self._stack.enter_context(patch.object(search, "worker", lambda: self._at_work("search")))
        self._stack.enter_context(
            patch.object(search, "stack", lambda: self._at_work("search").home)
        )
        self._stack.enter_context(patch.object(context, "stack", lambda: self._at_work("api").home))
        self.forget()

    def _budget(self, seconds: float, _: object = None, *reads: Any) -> Budget:
        return Budget(seconds, self.clock, *reads)

    async def _sleep(self, seconds: float, *_: object) -> None:
        self.clock.advance(seconds)

    def _ticking(self, scale: float) -> Callable[[], float]:
        def now() -> float:
            self.clock.advance(1e-5)  # moto shows a message only after its moment
            return self.clock() * scale

        return now

    def close(self) -> None:
        self.forget()
        self._stack.close()

    def forget(self, *functions: str) -> None:
        """Let functions, or all, begin in new processes."""
        for name in functions or tuple(self._workers):
            self._workers.pop(name, None)
        api.app.cache_clear()
        api.access.cache_clear()
        search.group.cache_clear()

    def opened(self, clients: Clients | None = None) -> NotingHome:
        """The home in the stack, as a new process opens it."""
        return NotingHome(
            *(STACK, BUCKET, "web", decode_body),
            queue_urls=self.queue_urls,
            clients=clients or self.clients,
            readers={"merge": MAPPING},
        )

    def _at_work(self, function: str) -> Worker:
        if function not in self._workers:
            home = self.opened(self.invoking if function == "api" else None)
            telemetry = PowertoolsTelemetry(home, self.clock)
            guard = Guard(home, DAILY_USD)
            ports = Ports(home, self.fetcher)
            self._workers[function] = Worker(ports, self.clock, None, telemetry, guard)
        return self._workers[function]

    def _handlers(self) -> dict[str, Callable[[Any, object], Any]]:
        def of(name: str) -> Callable[[], Worker]:
            return lambda: self._at_work(name)

        return {
            "fetch": sqs_handler("fetch", of("fetch")),
            "parse": sqs_handler("parse", of("parse")),
            "links": sqs_handler("links", of("links")),
            "schedule": schedule_handler(of("schedule")),
            "index": index_handler(of("index")),
            "merge": merge_handler(of("merge")),
            "compact": compact_handler(of("compact")),
            "rank": rank_handler(of("rank")),
            "recrawl": recrawl_handler(of("recrawl")),
            "search": search.handler,
            "api": api.handler,
        }

    # ── what Lambda does ──────────────────────────────────────────────────────────────────────────

    def invoke(self, function: str, event: Any) -> Any:
        """Call a function and note what it asked of AWS, failed or not."""
        home: Any = self._at_work(function).home
        home.meter.reset()
        printed = io.StringIO()
        try:
            with redirect_stdout(printed):
                return self.handlers[function](event, None)
        finally:
            self.calls[function] |= home.taken | set(home.meter.calls)  # and what came after it
            lines = printed.getvalue().splitlines()
            self.logged[function] += len(printed.getvalue())
            self.metrics += [json.loads(line) for line in lines if line.startswith('{"_aws"')]

    def ask(self, method: str, target: str, body: Any = None) -> Any:
        """A request to the API with the admin key, a text as it is; its answer, read."""
        is_text = isinstance(body, str)
        kind = "text/plain" if is_text else "application/json"
        headers = {"authorization": f"Bearer {KEY}", "content-type": kind, "if-match": "*"}
        head = Head(method, target, "HTTP/1.1", headers)
        sent = (body if is_text else json.dumps(body)).encode() if body is not None else b""
        resources = Resources([route.path for route in ROUTES])
        answer = self.invoke("api", event_of(head, sent, resources, "192.0.2.7"))
        assert answer["statusCode"] == 200, (target, answer)
        return json.loads(answer["body"]) if answer["body"][:1] in "{[" else answer["body"]

    def deliver(self, stream: Stream, most: int = 10) -> int:
        """Hand a batch of messages to their function; delete what it did not report back."""
        url = self.queue_urls[stream]
        taken = self.clients.raw(
            "sqs",
            "ReceiveMessage",
            QueueUrl=url,
            MaxNumberOfMessages=most,
            AttributeNames=["ApproximateReceiveCount"],
        ).get("Messages", [])
        if not taken:
            return 0
        answer = self.invoke(STREAMS[stream].bolt, {"Records": [_record(each) for each in taken]})
        failed = {each["itemIdentifier"] for each in answer["batchItemFailures"]}
        for each in taken:
            if each["MessageId"] not in failed:
                handle = each["ReceiptHandle"]
                self.clients.raw("sqs", "DeleteMessage", QueueUrl=url, ReceiptHandle=handle)
        return len(taken)

    def put(self, queue: str, body: str) -> None:
        """Put any text into a queue."""
        self.clients.raw("sqs", "SendMessage", QueueUrl=self.queue_urls[queue], MessageBody=body)

    def send(self, stream: str, message: AnyMessage) -> None:
        self.put(stream, encode(message).decode())

    def run(self, seconds: float = 20.0) -> None:
        """Let time go by, from message to message: each is delivered when it is due."""
        end = self.clock() + seconds
        while self.clock() < end:
            while any([self.deliver(stream) for stream in get_args(Stream)]):
                self.clock.advance(0.01)
            due = self._next_due()
            if due is None or due > end:
                break
            self.clock.advance_to(max(due, self.clock() + 0.01))
        self.sweep()

    def _next_due(self) -> float | None:
        """When the next message of a stream can be had, as moto keeps it; None if there is none."""
        queues = sqs_backends[DEFAULT_ACCOUNT_ID]["us-east-1"].queues
        names = [self.queue_urls[stream].rpartition("/")[2] for stream in get_args(Stream)]
        waiting = [message for name in names for message in queues[name]._messages]
        times = [max(each.visible_at, each.delayed_until) / 1000 for each in waiting]
        return min(times, default=None)

    def sweep(self) -> Any:
        with patch.object(tend, "__defaults__", (self.clock.advance,)):
            return self.invoke("schedule", {"sweep": True})


def _record(message: dict[str, Any]) -> dict[str, Any]:
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": message["Attributes"],
    }
