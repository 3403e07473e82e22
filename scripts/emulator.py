"""Run an AWS emulator on this machine, without Docker.

    python -m scripts.emulator ministack            until Ctrl-C; prints what to export
    python -m scripts.emulator localstack --port 4577
    python -m scripts.emulator install ministack sam        only create the venvs
    with started("ministack") as emulator: ...      inside a test

The emulator does not inherit the caller's environment: MiniStack passes its own environment on to
every function, where a stray setting would change what the functions do.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shlex
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.venvs import venv

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from http.client import HTTPResponse

ADDRESS = "127.0.0.1"
PORT = 4566
REGION = "us-east-1"
ACCOUNT = "000000000000"
START_SECONDS = 120
# MiniStack waits for every open connection, and has no data to save.
STOP_SECONDS = {"ministack": 2, "localstack": 20}
KEPT = ("PATH", "HOME", "LANG")
HEALTH = "/_localstack/health"  # MiniStack answers here as well


@dataclass(frozen=True, slots=True)
class Emulator:
    """A running emulator or another AWS endpoint."""

    kind: str  # ministack, localstack or other
    endpoint: str
    pid: int = 0  # 0 = not started by us
    folder: Path | None = None  # of its log and its files
    certificate: str = ""  # file of its self-signed certificate

    @property
    def environment(self) -> dict[str, str]:
        """The variables that boto3, SAM and the AWS command line need."""
        trust = {"AWS_CA_BUNDLE": self.certificate} if self.certificate else {}
        return trust | {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": REGION,
        }

    def open(self, request: urllib.request.Request, seconds: float = 60.0) -> HTTPResponse:
        """Send a request, over TLS if it has a certificate."""
        trust = ssl.create_default_context(cafile=self.certificate) if self.certificate else None
        answer: HTTPResponse = urllib.request.urlopen(request, timeout=seconds, context=trust)
        return answer

    def is_healthy(self) -> bool:
        """Whether it responds."""
        try:
            with self.open(urllib.request.Request(f"{self.endpoint}{HEALTH}"), 5) as answer:
                return bool(json.load(answer))
        except (OSError, ValueError):
            return False

    @property
    def log_file(self) -> Path | None:
        """Its own log."""
        return self.folder / "emulator.log" if self.folder else None


def ministack_settings(port: int, folder: Path) -> dict[str, str]:
    """MiniStack's environment: on loopback, with its files in one folder."""
    return {
        "GATEWAY_PORT": str(port),
        "BIND_HOST": ADDRESS,
        "MINISTACK_HOST": ADDRESS,
        "MINISTACK_REGION": REGION,
        "TMPDIR": str(folder),
        "STATE_DIR": str(folder / "state"),
        "LOG_LEVEL": "INFO",
        # Enforce the roles in the template. The template also refuses requests without TLS.
        "AUTH": "true",
        "USE_SSL": "1",
        "IOT_MTLS_ENABLED": "0",  # an additional port that we do not need
        "SFTP_ENABLED": "0",
    }


_MAPPING = "LAMBDA_EVENT_SOURCE_MAPPING"


def localstack_settings(port: int, folder: Path) -> dict[str, str]:
    """LocalStack's environment: host mode, no Docker, no Java, no downloads, no telemetry."""
    return {
        "GATEWAY_LISTEN": f"{ADDRESS}:{port}",
        "LOCALSTACK_HOST": f"{ADDRESS}:{port}",
        "LOCALSTACK_VOLUME_DIR": str(folder / "volume"),
        "FILESYSTEM_ROOT": str(folder / "root"),
        "TMPDIR": str(folder),
        "DISABLE_EVENTS": "1",
        "SKIP_SSL_CERT_DOWNLOAD": "1",
        "DNS_ADDRESS": "0",
        "SQS_ENDPOINT_STRATEGY": "path",
        "LAMBDA_RUNTIME_EXECUTOR": "process",
        "PROVIDER_OVERRIDE_DYNAMODB": "moto",
        # By default an empty queue is polled more and more rarely, down to every ten seconds.
        f"{_MAPPING}_POLL_INTERVAL_SEC": "0.2",
        f"{_MAPPING}_MAX_BACKOFF_ON_EMPTY_POLL_SEC": "0.5",
        f"{_MAPPING}_MAX_BACKOFF_ON_ERROR_SEC": "2",
        "SERVICES": "apigateway,cloudformation,cloudwatch,dynamodb,ec2,events,iam,kms,lambda,logs,"
        "s3,scheduler,secretsmanager,sns,sqs,ssm,sts",
    }


SETTINGS = {"ministack": ministack_settings, "localstack": localstack_settings}
COMMANDS = {
    # -P: the folder of this file must not be on the import path of MiniStack.
    "ministack": ["python", "-P", str(Path(__file__).with_name("start_ministack.py"))],
    "localstack": ["python", "-m", "localstack.runtime.main"],
}


@contextlib.contextmanager
def started(kind: str, port: int = 0) -> Iterator[Emulator]:
    """Run an emulator during the `with` block; port 0 takes a free one."""
    programs, port = venv(kind), port or free_port()
    with _own_folder(kind) as folder:
        environment = {key: os.environ[key] for key in KEPT if key in os.environ}
        environment |= SETTINGS[kind](port, folder)
        first, *rest = COMMANDS[kind]
        with (folder / "emulator.log").open("wb") as log:
            process = subprocess.Popen(
                [programs / first, *rest],
                env=environment,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C reaches only us
            )
        emulator = describe(kind, port, process.pid, folder)
        try:
            wait_until_ready(emulator, process)
            yield emulator
        finally:
            stop(process, STOP_SECONDS[kind])


@contextlib.contextmanager
def _own_folder(kind: str) -> Iterator[Path]:
    """A temporary folder; a child process removes it, because it can hold gigabytes."""
    folder = Path(tempfile.mkdtemp(prefix=f"{kind}-"))
    try:
        yield folder
    finally:
        os.posix_spawnp("rm", ["rm", "-rf", str(folder)], os.environ, setsid=True)


def describe(kind: str, port: int, pid: int, folder: Path) -> Emulator:
    """The emulator at this port."""
    if kind == "ministack":
        certificate = str(folder / "ministack-tls" / "server.crt")
        return Emulator(kind, f"https://{ADDRESS}:{port}", pid, folder, certificate)
    return Emulator(kind, f"http://{ADDRESS}:{port}", pid, folder)


def wait_until_ready(emulator: Emulator, process: subprocess.Popen[bytes]) -> None:
    """Wait until it responds; raise with the end of its log if it does not."""
    give_up_at = time.monotonic() + START_SECONDS
    while time.monotonic() < give_up_at and process.poll() is None:
        if emulator.is_healthy():
            return
        time.sleep(0.1)
    written = emulator.log_file.read_text(errors="replace") if emulator.log_file else ""
    raise RuntimeError(f"{emulator.kind} did not start:\n{written[-3000:]}")


def stop(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Terminate it, then kill it and its children."""
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def free_port() -> int:
    """A free port."""
    with socket.create_server((ADDRESS, 0)) as probe:
        return int(probe.getsockname()[1])


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until Ctrl-C or SIGTERM."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=[*SETTINGS, "install"])
    parser.add_argument("names", nargs="*", help="with install: which venvs")
    parser.add_argument("--port", type=int, default=PORT)
    args = parser.parse_args(argv)
    if args.what == "install":
        for name in args.names:
            venv(name)
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        serve(args.what, args.port)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def serve(kind: str, port: int) -> None:
    """Start it, print how to reach it, and wait."""
    with contextlib.suppress(KeyboardInterrupt), started(kind, port) as emulator:
        for name, value in emulator.environment.items():
            print(f"export {name}={shlex.quote(value)}")
        print(f"# {kind} listens; its log: {emulator.log_file}; Ctrl-C stops it", flush=True)
        signal.pause()


if __name__ == "__main__":
    sys.exit(main())
