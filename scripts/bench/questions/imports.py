"""How long does a cold start of each Lambda function take: import, home and first event?

Builds the layers for this machine with `sam build`, compiled as for Lambda, imports each handler in
a new interpreter without any other packages, and hands it an event, over an AWS that has nothing.
CPU time, the best of seven; and the size.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

from gossamer.core.crawl.url_record import PageRef
from gossamer.entrypoints.api.gateway_event import Head, Resources, event_of
from gossamer.entrypoints.api.routes import ROUTES
from gossamer.messages import (
    AnyMessage,
    Candidate,
    DocumentParsed,
    FetchRequest,
    LinksFound,
    MergeTask,
    PageFetched,
    encode,
)
from scripts import layer_sizes
from scripts.bench.failure import BenchFailure
from scripts.bench.report import Report, Row, at_most
from scripts.bench.worlds.empty_aws import empty_aws
from scripts.venvs import venv

ROOT = Path(__file__).resolve().parents[3]
BUDGET_MS, BUDGET_MB = 350.0, 200.0
FIRST_MS = 600.0  # from the beginning of the interpreter to the first answer
TIMES = 7
STARTED = """
import json, sys, time
event, *sys.path[:0] = sys.argv[1:]
began = time.process_time()
import app
imported = time.process_time()
said = sys.stdout
sys.stdout = sys.stderr
answer = app.handler(json.loads(event), None)
done = time.process_time()
print(json.dumps([imported - began, done, answer]), file=said)
"""
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_DEFAULT_REGION": "us-east-1",
    "GOSSAMER_HOME": "aws",
    "GOSSAMER_STACK": "bench",
    "GOSSAMER_BUCKET": "bench",
    "GOSSAMER_CONTACT": "https://example.org/",
    "GOSSAMER_ADMIN_SECRET": "bench",
    "POWERTOOLS_METRICS_NAMESPACE": "Gossamer",
    "POWERTOOLS_TRACE_DISABLED": "true",
}
URL = "http://a.test/"
MESSAGES: dict[str, AnyMessage] = {
    "fetch": FetchRequest(
        job="web", host="a.test", candidate=Candidate(URL), slot=0.0, delay=1.0, grace=1.0
    ),
    "parse": PageFetched(job="web", url=URL, page=PageRef("x", 0, 1), depth=0, fetched_at=0.0),
    "links": LinksFound(job="web", source=URL, depth=0, via="page", links=[]),
    "index": DocumentParsed(job="web", url=URL, fetched_at=0.0),
    "merge": MergeTask(job="web", merge="m"),
}
WOKEN: dict[str, dict[str, object]] = {
    "schedule": {"sweep": True},
    "recrawl": {"budget": 10, "minutes": 60},
    "search": {"type": "find", "manifest": {"version": 0, "segments": []}, "id": "AAAA"},
}
STREAMS = ("frontier", "fetch", "parse", "links", "index", "merge")
QUEUES = (*STREAMS, *(f"{stream}-dead" for stream in STREAMS), "lost")


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """This benchmark has no settings."""


def measure(_settings: argparse.Namespace) -> Report:
    """Build, then import every function."""
    with tempfile.TemporaryDirectory() as name:
        build = Path(name) / "build"
        _build(build)
        template = yaml.load((ROOT / "template.yaml").read_text(), layer_sizes.Loader)  # noqa: S506 a SafeLoader
        sizes = layer_sizes.sizes(template, build)
        with empty_aws() as endpoint:
            rows = [_row(function, parts, build, endpoint) for function, parts in sizes.items()]
    slowest, first, largest = (
        max(float(str(row[name])) for row in rows) for name in ("import ms", "answer ms", "MB")
    )
    claims = [
        at_most("the slowest import, ms CPU", BUDGET_MS, slowest, ".0f"),
        at_most("the slowest first answer, ms CPU", FIRST_MS, first, ".0f"),
        at_most("the largest function, MB", BUDGET_MB, largest, ".0f"),
    ]
    found = {"import_ms": slowest, "answer_ms": first, "megabytes": largest}
    return Report("imports", rows, claims, [], found)


def _build(folder: Path) -> None:
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    variables = {"PYTHON_VERSION": python, "PLATFORM": "manylinux_2_28_x86_64"}
    path = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
    done = subprocess.run(
        [venv("sam") / "sam", "build", "--build-dir", folder],
        cwd=ROOT,
        env={"PATH": path, "HOME": str(Path.home()), "SAM_CLI_TELEMETRY": "0", **variables},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise BenchFailure(f"sam build failed: {done.stderr[-1000:]}")


def _row(function: str, parts: dict[str, int], build: Path, endpoint: str) -> Row:
    layers = [str(build / name / "python") for name in parts if name != "code"]
    paths = [str(ROOT / "functions" / function), *layers]
    times = [_start(function, paths, endpoint) for _ in range(TIMES)]
    megabytes = sum(parts.values()) / layer_sizes.MEGABYTE
    imported, answered = (1000 * min(each) for each in zip(*times, strict=True))
    return {
        "function": function,
        "import ms": f"{imported:.0f}",
        "answer ms": f"{answered:.0f}",
        "MB": f"{megabytes:.1f}",
    }


def _start(function: str, paths: list[str], endpoint: str) -> tuple[float, float]:
    """The CPU time of an import, and of everything up to the first answer."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", STARTED, json.dumps(first_event(function)), *paths],
        env=environment(endpoint),
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise BenchFailure(f"{function} cannot answer: {done.stderr[-500:]}")
    imported, answered, _ = json.loads(done.stdout)
    return imported, answered


def environment(endpoint: str) -> dict[str, str]:
    """What a function is told by its template."""
    queues = ",".join(f"{name}={endpoint}/1/{name}" for name in QUEUES)
    return ENVIRONMENT | {"AWS_ENDPOINT_URL": endpoint, "GOSSAMER_QUEUES": queues}


def first_event(function: str) -> dict[str, object]:
    """What a function is woken by, in a stack that has nothing."""
    if function == "api":
        head = Head("GET", "/search?q=silk", "HTTP/1.1", {})
        resources = Resources([route.path for route in ROUTES])
        return event_of(head, b"", resources, "192.0.2.7")
    if function in WOKEN:
        return WOKEN[function]
    message = MESSAGES.get(function)
    return {"Records": [{"messageId": "1", "body": encode(message).decode()}]} if message else {}
