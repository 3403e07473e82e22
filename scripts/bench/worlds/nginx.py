"""Serve folders over HTTP on loopback with nginx.

Python's own `http.server` would take half of a fast crawler's time.
"""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scripts.bench.failure import BenchFailure

LOOPBACK = "127.0.0.1"
NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
TIMEOUT = 10.0  # seconds for nginx to start or to stop

CONFIG = """\
daemon off;
worker_processes 1;
pid nginx.pid;
error_log error.log error;
{user}
events {{ worker_connections 1024; }}
http {{
    client_body_temp_path temp; proxy_temp_path temp; fastcgi_temp_path temp;
    uwsgi_temp_path temp; scgi_temp_path temp;
    log_format bench '$msec $server_addr $request_uri';
    access_log {log};
    absolute_redirect off;
    sendfile on; tcp_nopush on; tcp_nodelay on;
    keepalive_requests 1000000;
    default_type application/octet-stream;
    types {{
        text/html html htm; text/css css; text/plain txt; text/xml xml; application/javascript js;
        application/json json; image/svg+xml svg; image/png png; image/gif gif; image/jpeg jpg;
    }}
    {hosts}
}}
"""
HOST = 'server {{ listen {address}:{port}; root "{root}"; index index.html; }}'


@dataclass(frozen=True, slots=True)
class Request:
    """One line of the server's log."""

    at: float
    address: str
    target: str


@dataclass(frozen=True, slots=True)
class Server:
    """A running nginx."""

    prefix: Path
    port: int

    def origin(self, address: str = LOOPBACK) -> str:
        """Scheme, host and port of this server's URLs."""
        return f"http://{address}:{self.port}"

    def requests(self) -> list[Request]:
        """All logged requests so far."""
        lines = (self.prefix / "access.log").read_text().splitlines()
        parts = (line.split(" ", 2) for line in lines)
        return [Request(float(at), address, target) for at, address, target in parts]


@contextmanager
def serve(roots: dict[str, Path], *, port: int = 0, logged: bool = False) -> Iterator[Server]:
    """Serve one folder per loopback address during the `with` block."""
    if not Path(NGINX).exists():
        raise BenchFailure(f"there is no {NGINX}; on Debian: apt-get install nginx-light")
    port = port or free_port()
    with tempfile.TemporaryDirectory(prefix="bench-nginx-") as folder:
        prefix = Path(folder)
        (prefix / "nginx.conf").write_text(_config(roots, port, logged=logged))
        command = [NGINX, "-p", f"{prefix}/", "-c", "nginx.conf", "-e", "stderr"]
        with (prefix / "start.log").open("w") as errors:
            process = subprocess.Popen(command, stderr=errors)
        try:
            _wait_until_ready(process, list(roots), port, prefix)
            yield Server(prefix, port)
        finally:
            stop(process)


def _config(roots: dict[str, Path], port: int, *, logged: bool) -> str:
    # By default the workers of a root nginx run as user `nobody`, who cannot read our folders.
    user = f"user {pwd.getpwuid(0).pw_name};" if os.geteuid() == 0 else ""
    hosts = [
        HOST.format(address=address, port=port, root=root.resolve())
        for address, root in roots.items()
    ]
    return CONFIG.format(
        user=user, log="access.log bench" if logged else "off", hosts="\n    ".join(hosts)
    )


def free_port() -> int:
    """A free port."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_ready(
    process: subprocess.Popen[bytes], addresses: Sequence[str], port: int, prefix: Path
) -> None:
    """Wait until every address accepts connections."""
    deadline = time.monotonic() + TIMEOUT
    for address in addresses:
        while not _is_open(address, port):
            if process.poll() is not None or time.monotonic() > deadline:
                raise BenchFailure(f"nginx: {(prefix / 'start.log').read_text().strip()}")
            time.sleep(0.05)


def _is_open(address: str, port: int) -> bool:
    try:
        socket.create_connection((address, port), timeout=1).close()
    except OSError:
        return False
    return True


def stop(process: subprocess.Popen[bytes]) -> None:
    """Terminate a server that we started; kill it if it does not end."""
    process.terminate()
    try:
        process.wait(TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
