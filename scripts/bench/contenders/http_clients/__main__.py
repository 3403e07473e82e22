"""What does one small GET cost in each HTTP client?

Serves bodies of three sizes with nginx on loopback and requests them over kept-alive connections.
CPU is that of the client process alone. The results are in docs/decisions/0009-http-client.md.
"""

import argparse
import asyncio
import contextlib
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

from scripts.bench.contenders.http_clients import Client
from scripts.bench.contenders.http_clients.aiohttp_clients import (
    aiohttp_capped,
    aiohttp_plain,
    aiohttp_tuned,
)
from scripts.bench.contenders.http_clients.gossamer_client import gossamer_fetcher
from scripts.bench.contenders.http_clients.httptools_client import httptools_wire
from scripts.bench.contenders.http_clients.httpx_client import httpx_client
from scripts.bench.contenders.http_clients.pycurl_client import pycurl_multi
from scripts.bench.report import Row, table
from scripts.bench.worlds.nginx import LOOPBACK, serve

SIZES_KB = (2, 14, 95)
CLIENTS: dict[str, Client] = {
    "aiohttp": aiohttp_plain,
    "aiohttp-tuned": aiohttp_tuned,
    "aiohttp-capped": aiohttp_capped,
    "httpx": httpx_client,
    "pycurl": pycurl_multi,
    "httptools": httptools_wire,
    "gossamer": gossamer_fetcher,
}


@dataclass(frozen=True, slots=True)
class Cost:
    """The median cost of one request over all rounds."""

    client: str
    size_kb: int
    cpu_us: float
    requests_per_second: float


@contextlib.contextmanager
def served_bodies() -> Iterator[str]:
    """Serve one body of each size; yields the base URL."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in SIZES_KB:
            (folder / f"{size}.html").write_bytes(os.urandom(size * 512).hex().encode())
        with serve({LOOPBACK: folder}) as server:
            yield server.origin()


async def one_round(client: Client, url: str, size: int, requests: int, concurrency: int) -> Cost:
    """Fetch `requests` times with `concurrency` at once, after a warm-up."""
    async with client(concurrency) as get:
        left = iter(range(requests))

        async def worker() -> None:
            for _ in left:
                if await get(url) != size:
                    raise SystemExit(f"{url}: the body has the wrong size")

        await asyncio.gather(*(get(url) for _ in range(concurrency)))
        wall, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(worker() for _ in range(concurrency)))
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return Cost("", 0, cpu / requests * 1e6, requests / wall)


def measure(options: argparse.Namespace, base: str) -> list[Cost]:
    """The median over rounds; the clients take turns, so that a busy moment hits them all."""
    costs: dict[tuple[str, int], list[Cost]] = {}
    for _, name, size in product(range(options.rounds), options.clients, SIZES_KB):
        url = f"{base}/{size}.html"
        cost = asyncio.run(
            one_round(CLIENTS[name], url, size * 1024, options.requests, options.concurrency)
        )
        costs.setdefault((name, size), []).append(cost)
    return [
        Cost(
            name,
            size,
            round(statistics.median(cost.cpu_us for cost in seen), 1),
            round(statistics.median(cost.requests_per_second for cost in seen)),
        )
        for (name, size), seen in costs.items()
    ]


def main(arguments: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", nargs="+", choices=CLIENTS, default=list(CLIENTS))
    parser.add_argument("--requests", type=int, default=3000, help="per round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args(arguments)
    bytearray(8 * 1024 * 1024)  # freed at once: glibc stops returning memory, as in any long run
    with served_bodies() as base:
        costs = measure(options, base)
    if options.json:
        print(json.dumps([asdict(cost) for cost in costs], indent=2))
    else:
        print(table([_row(cost) for cost in costs]))
    return 0


def _row(cost: Cost) -> Row:
    return {
        "client": cost.client,
        "KB": str(cost.size_kb),
        "CPU µs/request": f"{cost.cpu_us:.1f}",
        "requests/s": f"{cost.requests_per_second:.0f}",
    }


if __name__ == "__main__":
    sys.exit(main())
