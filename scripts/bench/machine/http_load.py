"""HTTP load generator: some connections, each sends its next request once it has a response.

With "once" no target is requested twice, and the load ends when there are no more. "beside" are
targets that one more connection requests meanwhile; its times are not reported.

Runs as a process of its own: a JSON object comes on stdin and one goes to stdout. Connections are
kept alive. Responses are parsed only as far as needed to find their ends.
"""

import asyncio
import json
import re
import sys
import time
from collections.abc import Iterator
from itertools import cycle, islice
from typing import Any

REQUEST = "GET {target} HTTP/1.1\r\nHost: {host}:{port}\r\nAccept: application/json\r\n\r\n"

_find_length = re.compile(rb"\r\ncontent-length: *([0-9]+)", re.IGNORECASE).search


class Client:
    """One connection that requests targets in their order."""

    def __init__(
        self, task: dict[str, Any], targets: Iterator[str], until: float, pause: float = 0.0
    ) -> None:
        self._task = task
        self._targets = targets
        self._until = until
        self._pause = pause  # seconds before each request
        self.milliseconds: list[float] = []
        self.bytes = 0
        self.errors = 0
        self.partial = 0  # answers that say so

    async def run(self) -> None:
        """Send requests until the time is up."""
        host, port = self._task["host"], self._task["port"]
        reader, writer = await asyncio.open_connection(host, port)
        for target in self._targets:
            await asyncio.sleep(self._pause)
            if time.perf_counter() >= self._until:
                break
            request = REQUEST.format(target=target, host=host, port=port)
            began = time.perf_counter()
            writer.write(request.encode())
            status, body = await self._response(reader)
            self.milliseconds.append(1000 * (time.perf_counter() - began))
            self.bytes += len(body)
            self.errors += status != 200
            self.partial += b'"partial":true' in body
        writer.close()

    async def _response(self, reader: asyncio.StreamReader) -> tuple[int, bytes]:
        head = await reader.readuntil(b"\r\n\r\n")
        length = _find_length(head)
        body = await reader.readexactly(int(length[1])) if length else b""
        return int(head.split(b" ", 2)[1]), body


def _shared_out(task: dict[str, Any]) -> list[Iterator[str]]:
    """The targets of each connection."""
    targets: list[str] = task["targets"]
    count: int = task["connections"]
    if task.get("once"):
        return [iter(targets)] * count  # the same iterator
    # Each starts at another target, so that they do not request the same one at once.
    return [islice(cycle(targets), n * len(targets) // count, None) for n in range(count)]


async def drive(task: dict[str, Any]) -> dict[str, Any]:
    """Run all connections at once and add up what they measured."""
    began = time.perf_counter()
    until = began + task["seconds"]
    clients = [Client(task, targets, until) for targets in _shared_out(task)]
    beside = Client(task, cycle(task["beside"]), until) if task.get("beside") else None
    await asyncio.gather(*(client.run() for client in (*clients, beside) if client))
    return {
        "seconds": time.perf_counter() - began,
        "cpu_seconds": time.process_time(),
        "ms": [taken for client in clients for taken in client.milliseconds],
        "bytes": sum(client.bytes for client in clients),
        "errors": sum(client.errors for client in clients),
        "beside": len(beside.milliseconds) if beside else 0,
    }


if __name__ == "__main__":
    json.dump(asyncio.run(drive(json.load(sys.stdin))), sys.stdout)
