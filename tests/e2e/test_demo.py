"""Does `gossamer demo` show a whole crawl, and nothing new the second time?"""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING

import pytest

from tests.e2e.crawls import run

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def demo(data: Path, *flags: object) -> subprocess.CompletedProcess[str]:
    return run("demo", "--data", data, *flags)


def stats(data: Path) -> dict[str, object]:
    return dict(json.loads(run("stats", "--data", data, "--json").stdout))


def test_the_demo_is_crawled_once_and_politely(tmp_path):
    data, port = tmp_path / "demo", free_port()

    first = demo(data, "--no-serve", "--site-port", port)
    after_first = stats(data)
    second = demo(data, "--no-serve", "--site-port", port)
    after_second = stats(data)

    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert after_first["state"] == "finished"
    assert after_first["unexplained"] == 0
    assert int(str(after_first["pages"])) >= 60
    assert "documents can be searched" in first.stdout
    assert run("search", "silk", "--data", data, "--json").returncode == 0
    assert after_second["requests"] == after_first["requests"]
    assert after_second["by_reason"] == after_first["by_reason"]
    assert run("audit", "--data", data).returncode == 0


@pytest.mark.parametrize("flag", ["--port", "--site-port"])
def test_a_port_that_was_named_and_is_taken_ends_it_in_one_line(tmp_path, flag):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        others = ("--site-port", 0) if flag == "--port" else ()

        done = demo(tmp_path / "demo", flag, port, *others)

    assert done.returncode == 2
    assert f"port {port} is taken" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Search at" not in done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []
