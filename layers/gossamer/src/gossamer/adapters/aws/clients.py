"""AWS clients: one per service, created at first use."""

from __future__ import annotations

import os
import random
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from gossamer.adapters.aws.errors import translated
from gossamer.core.errors import Throttled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Json = dict[str, Any]  # parameters of a call, or its answer

A = TypeVar("A")
B = TypeVar("B")

CONNECT_TIMEOUT = 3.0
# SQS holds a poll for up to 20 seconds, a function reads files; nothing else takes long there.
READ_TIMEOUT = {"sqs": 25.0, "s3": 30.0, "lambda": 25.0}
ATTEMPTS = 5  # botocore waits a random time of up to 2^n seconds between them, 20 at most
CONNECTIONS = 32
THREADS = 16  # for calls that do not depend on each other: the ranges of a query in one round
THREAD_NAME = "gossamer-aws"
PATIENCE = 10.0  # seconds that what a batch left unprocessed is tried again
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Clients:
    """The clients of one process. Nothing is made before it is used."""

    def __init__(self, *, region: str | None = None, endpoint: str | None = None) -> None:
        self._region, self._endpoint = region, endpoint
        self._made: dict[str, Any] = {}
        self._watchers: list[Callable[[Any], None]] = []
        self._lock = threading.Lock()  # a botocore session must not make two clients at once

    def watch(self, watcher: Callable[[Any], None]) -> None:
        """Register a meter for the events of all clients, existing and future."""
        self._watchers.append(watcher)
        for client in self._made.values():
            watcher(client.meta.events)

    @property
    def is_emulated(self) -> bool:
        """Whether calls go to an emulator, whose time says nothing about that of AWS."""
        return bool(self.endpoint)

    @property
    def endpoint(self) -> str:
        """The address of the emulator that calls go to; empty for AWS."""
        return self._endpoint or os.environ.get("AWS_ENDPOINT_URL", "")

    def client(self, service: str) -> Any:
        made = self._made.get(service)
        if made is None:
            with self._lock:
                made = self._made.get(service) or self._make(service)
                self._made[service] = made
        return made

    def _make(self, service: str) -> Any:
        from botocore.config import Config

        config = Config(
            retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
            connect_timeout=CONNECT_TIMEOUT,
            read_timeout=READ_TIMEOUT.get(service, 10.0),
            tcp_keepalive=True,
            max_pool_connections=CONNECTIONS,
            # Our models write the parameters of DynamoDB; checking them costs more than the call.
            parameter_validation=service != "dynamodb",
        )
        client = self._session.create_client(
            service, region_name=self._region, endpoint_url=self._endpoint, config=config
        )
        for watcher in self._watchers:
            watcher(client.meta.events)
        return client

    @cached_property
    def _session(self) -> Any:
        from botocore.session import get_session

        return get_session()

    def call(self, service: str, operation: str, resource: str, **parameters: object) -> Json:
        """Call AWS. Every call of this package comes through here or through `raw`."""
        with translated(operation, resource):
            return self.raw(service, operation, **parameters)

    def raw(self, service: str, operation: str, **parameters: object) -> Json:
        """Call AWS and let its own errors through, for who reads more in them than we keep."""
        answer: Json = getattr(self.client(service), method_name(operation))(**parameters)
        return answer

    def objects(self, bucket: str, prefix: str) -> Iterator[str]:
        """The keys of all objects in a bucket that begin so."""
        return (key for key, _ in self.object_sizes(bucket, prefix))

    def object_sizes(self, bucket: str, prefix: str, after: str = "") -> Iterator[tuple[str, int]]:
        """The same with their sizes; only those behind a key, if one is given."""
        where = {"Bucket": bucket, "Prefix": prefix}
        if after:
            where["StartAfter"] = after
        while True:
            page = self.call("s3", "ListObjectsV2", f"bucket {bucket}", **where)
            yield from ((item["Key"], item["Size"]) for item in page.get("Contents", ()))
            if not page.get("IsTruncated"):
                return
            where["ContinuationToken"] = page["NextContinuationToken"]

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(THREADS, thread_name_prefix=THREAD_NAME)

    def each(self, work: Callable[[A], B], items: Iterable[A]) -> list[B]:
        """Do something with each item, several at a time; the results in order.

        Work that comes here again from one of the threads is done by that thread: threads that wait
        for each other would wait for ever.
        """
        items = list(items)
        inside = threading.current_thread().name.startswith(THREAD_NAME)
        if len(items) < 2 or inside:
            return [work(item) for item in items]
        return list(self._threads.map(work, items))


def method_name(operation: str) -> str:
    """The method of a client for an operation: SendMessageBatch is send_message_batch."""
    return _WORD.sub("_", operation).lower()


def retrying(what: str, patience: float = PATIENCE) -> Iterator[int]:
    """Rounds of trying again, with random waits that grow; raises Throttled when time is over."""
    until = time.monotonic() + patience
    attempt = 0
    while True:
        yield attempt
        # Full jitter: those who were refused together must not come back together.
        wait = random.uniform(0.0, min(2.0, 0.025 * 2**attempt))  # noqa: S311 no secret
        if time.monotonic() + wait > until:
            raise Throttled(f"{what}: no capacity for {patience:.0f} s")
        time.sleep(wait)
        attempt += 1
