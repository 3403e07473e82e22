"""Does `make run` show a whole crawl, and nothing new the second time?"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

from tests.e2e.crawls import PATIENCE, environment, run

ROOT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def make_run(data: Path, port: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "scripts.run",
            "--no-serve",
            "--data",
            str(data),
            "--port",
            str(port),
        ],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd=ROOT,
        env=environment(),
    )


def stats(data: Path) -> dict[str, object]:
    return dict(json.loads(run("stats", "--data", data / "demo", "--json").stdout))


def test_the_demo_is_crawled_once_and_politely(tmp_path):
    port = free_port()

    first = make_run(tmp_path, port)
    after_first = stats(tmp_path)
    second = make_run(tmp_path, port)
    after_second = stats(tmp_path)

    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert after_first["state"] == "finished"
    assert after_first["unexplained"] == 0
    assert int(str(after_first["pages"])) >= 60
    assert "documents indexed" in first.stdout
    assert run("search", "silk", "--data", tmp_path / "demo", "--json").returncode == 0
    assert after_second["requests"] == after_first["requests"]
    assert after_second["by_reason"] == after_first["by_reason"]
    assert run("audit", "--data", tmp_path / "demo").returncode == 0
