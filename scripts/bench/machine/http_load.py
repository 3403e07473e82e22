"""HTTP load generator: some connections, each sends its next request once it has a response.

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
    """One connection that requests the targets in a cycle."""

    def __init__(self, task: dict[str, Any], targets: Iterator[str], until: float) -> None:
        self._task = task
        self._targets = targets
        self._until = until
        self.milliseconds: list[float] = []
        self.bytes = 0
        self.errors = 0

    async def run(self) -> None:
        """Send requests until the time is up."""
        host, port = self._task["host"], self._task["port"]
        reader, writer = await asyncio.open_connection(host, port)
        while time.perf_counter() < self._until:
            request = REQUEST.format(target=next(self._targets), host=host, port=port)
            began = time.perf_counter()
            writer.write(request.encode())
            status, size = await self._response(reader)
            self.milliseconds.append(1000 * (time.perf_counter() - began))
            self.bytes += size
            self.errors += status != 200
        writer.close()

    async def _response(self, reader: asyncio.StreamReader) -> tuple[int, int]:
        head = await reader.readuntil(b"\r\n\r\n")
        length = _find_length(head)
        body = await reader.readexactly(int(length[1])) if length else b""
        return int(head.split(b" ", 2)[1]), len(body)


async def drive(task: dict[str, Any]) -> dict[str, Any]:
    """Run all connections at once and add up what they measured."""
    began = time.perf_counter()
    count: int = task["connections"]
    targets: list[str] = task["targets"]
    until = began + task["seconds"]
    # Each starts at another target, so that they do not request the same one at once.
    clients = [
        Client(task, islice(cycle(targets), number * len(targets) // count, None), until)
        for number in range(count)
    ]
    await asyncio.gather(*(client.run() for client in clients))
    return {
        "seconds": time.perf_counter() - began,
        "cpu_seconds": time.process_time(),
        "ms": [taken for client in clients for taken in client.milliseconds],
        "bytes": sum(client.bytes for client in clients),
        "errors": sum(client.errors for client in clients),
    }


if __name__ == "__main__":
    json.dump(asyncio.run(drive(json.load(sys.stdin))), sys.stdout)
