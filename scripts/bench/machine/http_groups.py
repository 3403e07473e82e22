"""HTTP load by several groups of connections at once, each with its own requests and times.

Runs as a process of its own: a JSON object comes on stdin and one goes to stdout. Every connection
of a group requests targets of the group, one after another, from its beginning again if it is to
repeat; with a pause between them, if the group has one.
"""

import asyncio
import json
import sys
import time
from itertools import cycle
from typing import Any

from scripts.bench.machine.http_load import Client


async def drive(task: dict[str, Any]) -> dict[str, Any]:
    """Run all groups until the time is up; what they measured, by name."""
    until = time.perf_counter() + task["seconds"]
    clients: dict[str, list[Client]] = {}
    for name, group in task["groups"].items():
        targets = cycle(group["targets"]) if group.get("repeat") else iter(group["targets"])
        count, pause = group["connections"], group.get("pause", 0.0)
        clients[name] = [Client(task, targets, until, pause) for _ in range(count)]
    await asyncio.gather(*(client.run() for each in clients.values() for client in each))
    return {name: _measured(each) for name, each in clients.items()}


def _measured(clients: list[Client]) -> dict[str, Any]:
    return {
        "ms": [taken for client in clients for taken in client.milliseconds],
        "errors": sum(client.errors for client in clients),
        "partial": sum(client.partial for client in clients),
    }


if __name__ == "__main__":
    json.dump(asyncio.run(drive(json.load(sys.stdin))), sys.stdout)
