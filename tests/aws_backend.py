"""A cloud home for tests: moto in this process, or any endpoint that speaks AWS."""

from __future__ import annotations

import os
import threading
import uuid
from collections import defaultdict
from contextlib import ExitStack
from copy import deepcopy
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
from moto import mock_aws
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.dynamodb.models import dynamodb_backends

from gossamer.adapters.aws.clients import Clients
from gossamer.adapters.aws.home import AwsHome
from gossamer.adapters.aws.sqs.queues import SqsQueues
from gossamer.core.errors import GossamerError
from gossamer.homes import decode_body
from scripts.create_stack import create_queues, create_tables

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gossamer.adapters.aws.meter import Meter
    from gossamer.messages import Emission, Stream
    from gossamer.ports.queues import Delivery

ENDPOINT = "GOSSAMER_TEST_ENDPOINT"
REGION = "us-east-1"
ENVIRONMENT = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing"}


class OneAtATime(Clients):
    """moto checks a condition and writes in two steps: what DynamoDB does as one must be one."""

    _turn = threading.Lock()

    def raw(self, service: str, operation: str, **parameters: Any) -> Any:
        with self._turn:
            return super().raw(service, operation, **parameters)


@lru_cache(maxsize=1)
def moto_clients() -> OneAtATime:
    """Made once: making a client takes longer than most tests."""
    return OneAtATime(region=REGION)


@lru_cache(maxsize=1)
def endpoint_stack() -> tuple[Clients, str]:
    """Tables at the endpoint, once for all tests: collections keep them apart."""
    clients = Clients(region=REGION, endpoint=os.environ[ENDPOINT])
    stack = f"contract-{uuid.uuid4().hex[:8]}"
    create_tables(clients, stack)
    return clients, stack


class TimedQueues:
    """Queues in moto whose clock is what a test says it is."""

    def __init__(self, queues: SqsQueues, clock: list[float]) -> None:
        self._queues, self._clock, self._moment = queues, clock, 0.0

    def send(self, emissions: Sequence[Emission], now: float) -> None:
        self._clock[0] = now
        self._queues.send(emissions, now)

    def receive(self, stream: Stream, limit: int, now: float) -> list[Delivery]:
        self._moment += 1e-5  # moto shows a message only after its moment
        self._clock[0] = now + self._moment
        return self._queues.receive(stream, limit, now)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queues, name)


EMPTY: dict[str, Any] = {}  # the tables of a stack, made once and copied for every test


def _make_tables() -> None:
    tables = dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].tables
    if not EMPTY:
        create_tables(moto_clients(), "test-stack")
        EMPTY.update(deepcopy(tables))
    tables.update(deepcopy(EMPTY))


class MotoBackend:
    """A stack in moto, gone after the test."""

    def __init__(self, visibility: Mapping[str, float]) -> None:
        self._visibility = visibility
        self._clock = [100.0]
        self._stack = ExitStack()
        self._stack.enter_context(patch.dict(os.environ, ENVIRONMENT))
        self._stack.enter_context(mock_aws())
        for name, scale in (("unix_time_millis", 1000), ("unix_time", 1)):
            self._stack.enter_context(
                patch(f"moto.sqs.models.{name}", lambda scale=scale: self._clock[0] * scale)
            )
        _make_tables()

    def open(self) -> AwsHome:
        clients = moto_clients()
        home = AwsHome("test-stack", "test-pages", "web", decode_body, clients=clients)
        return WithLateQueues(home, self._visibility, self._clock)  # type: ignore[return-value]

    def close(self) -> None:
        self._stack.close()


class WithLateQueues:
    """A home whose queues and bucket are made when a test asks for them: most do not."""

    def __init__(self, home: AwsHome, visibility: Mapping[str, float], clock: list[float]) -> None:
        self._home, self._visibility, self._clock = home, visibility, clock

    @cached_property
    def queues(self) -> Any:
        urls = create_queues(self._home.clients, self._home.stack, self._visibility)
        where = self._home.clients, self._home.stack, self._home.frontier, urls
        queues = SqsQueues(*where, clock=lambda: self._clock[0])
        return TimedQueues(queues, self._clock)

    @cached_property
    def documents(self) -> Any:
        self._make_bucket()
        return self._home.documents

    @cached_property
    def pages(self) -> Any:
        self._make_bucket()
        return self._home.pages

    @cached_property
    def contents(self) -> Any:
        self._make_bucket()
        return self._home.contents

    @cached_property
    def index(self) -> Any:
        self._make_bucket()
        return self._home.index

    def _make_bucket(self) -> None:
        name = self._home.bucket
        self._home.clients.call("s3", "CreateBucket", f"bucket {name}", Bucket=name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._home, name)


class EndpointBackend:
    """A collection of its own in a stack at some endpoint, such as DynamoDB Local."""

    def __init__(self, visibility: Mapping[str, float]) -> None:
        self._visibility = visibility
        self._collection = uuid.uuid4().hex[:12]
        self._environment = patch.dict(
            os.environ, {k: os.environ.get(k, v) for k, v in ENVIRONMENT.items()}
        )
        self._environment.start()

    def open(self) -> AwsHome:
        clients, stack = endpoint_stack()
        home = AwsHome(stack, stack, self._collection, decode_body, clients=clients)
        return AtEndpoint(home, self._visibility)  # type: ignore[return-value]

    def close(self) -> None:
        self._environment.stop()


class AtEndpoint(WithLateQueues):
    """A test whose endpoint has no such service, or whose clock cannot be turned, is left out."""

    def __init__(self, home: AwsHome, visibility: Mapping[str, float]) -> None:
        super().__init__(home, visibility, [0.0])

    @property
    def queues(self) -> Any:
        pytest.skip("the clock of an endpoint cannot be turned")

    def _make_bucket(self) -> None:
        try:
            super()._make_bucket()
        except GossamerError:
            pytest.skip("the endpoint has no S3")


def by_resource(meter: Meter, unit: str) -> dict[str, float]:
    """The units of one kind by table, queue or bucket."""
    found: dict[str, float] = defaultdict(float)
    for (kind, resource, _), count in meter.units.items():
        if kind == unit:
            found[resource] += count
    return found


def leave(meter: Meter, events: Any) -> None:
    """Count no more of what goes through an emitter."""
    events.unregister("before-parameter-build", unique_id=f"gossamer-begin-{id(meter)}")
    events.unregister("after-call", unique_id=f"gossamer-end-{id(meter)}")
