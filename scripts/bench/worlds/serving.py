"""Run `gossamer serve` and wait for its first answer."""

import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError

from scripts.bench.failure import BenchFailure
from scripts.bench.worlds.nginx import LOOPBACK, free_port, stop

START_LIMIT = 30.0  # seconds for the first answer


@contextmanager
def serving(
    program: Path, data: Path, port: int = 0
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Serve during the `with` block; yields the process and its port."""
    port = port or free_port()
    command = [str(program), "serve", "--data", str(data), "--port", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        _wait_until_ready(process, port)
        yield process, port
    finally:
        stop(process)


def get_each(port: int, targets: list[str]) -> None:
    """Request some targets, one after another."""
    for target in targets:
        urllib.request.urlopen(f"http://{LOOPBACK}:{port}{target}").read()


def _wait_until_ready(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + START_LIMIT
    while True:
        try:
            return get_each(port, ["/stats"])
        except (URLError, ConnectionError):
            if process.poll() is not None or time.monotonic() > deadline:
                raise BenchFailure(f"gossamer serve does not answer on port {port}") from None
            time.sleep(0.1)
