"""Lambda's Runtime API for one process.

The process requests the next event over HTTP, runs the function, posts a response or an error, and
requests again. This server does that on loopback for one process, one event at a time, as Lambda
does for one execution environment.
"""

from __future__ import annotations

import json
import re
import threading
import time
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol

LOOPBACK = "127.0.0.1"
VERSION = "/2018-06-01/runtime"
REPORT_PATH = re.compile(rf"{VERSION}/invocation/([^/]+)/(response|error)")
MOST_BYTES = 6 * 1024 * 1024 + 100  # of a response; Lambda's own limit


@dataclass(frozen=True, slots=True)
class Invocation:
    """One event for the function, and its deadline in seconds since the epoch."""

    request_id: str
    payload: bytes
    function_arn: str
    deadline: float
    trace_id: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an invocation: the function's response, or an error as JSON."""

    body: bytes
    is_error: bool = False


def failure(kind: str, message: str) -> Outcome:
    """An error in the format of Lambda."""
    return Outcome(json.dumps({"errorType": kind, "errorMessage": message}).encode(), True)


class Invocations(Protocol):
    """The state that the HTTP handler needs."""

    def next_invocation(self) -> Invocation | None:
        """Wait for an event; None if there will be no more."""

    def report(self, request_id: str, outcome: Outcome) -> bool:
        """Record the outcome of an event; False if it is not the current one."""

    def report_init_error(self, body: bytes) -> None:
        """Record that the function could not be loaded."""


class RuntimeApi:
    """The Runtime API of one process, with the state of its current event."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._is_ready = False
        self._waiting: Invocation | None = None
        self._current: Invocation | None = None
        self._outcome: Outcome | None = None
        self._ending: Outcome | None = None
        self._server = _Server(self)
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True
        ).start()

    @property
    def address(self) -> str:
        """The value of AWS_LAMBDA_RUNTIME_API."""
        return f"{LOOPBACK}:{self._server.server_port}"

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended."""
        return self._ending is not None

    # For the executor:

    def wait_until_ready(self, seconds: float) -> Outcome | None:
        """None once the process requests an event, else the reason why it does not."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_ready or self._ending is not None, seconds)
            if self._is_ready:
                return None
            late = failure("Runtime.InitTimeout", f"not ready after {seconds:g} seconds")
            return self._ending or late

    def invoke(self, invocation: Invocation) -> Outcome | None:
        """Run one event and wait for its outcome; None if its deadline passes first."""
        with self._changed:
            self._outcome, self._waiting = None, invocation
            self._changed.notify_all()
            self._changed.wait_for(self._is_over, max(0.0, invocation.deadline - time.time()))
            self._waiting = self._current = None
            return self._outcome or self._ending

    def end(self, reason: Outcome) -> None:
        """Record why the process ended and wake all waiters; the first reason stays."""
        with self._changed:
            self._ending = self._ending or reason
            self._changed.notify_all()

    def close(self) -> None:
        """Stop serving; a process that still runs loses its connection and ends."""
        self.end(failure("Runtime.ExitError", "the execution environment was stopped"))
        self._server.shutdown()
        self._server.server_close()

    def _is_over(self) -> bool:
        return self._outcome is not None or self._ending is not None

    # For the process (Invocations):

    def next_invocation(self) -> Invocation | None:
        """Wait for an event; None if there will be no more."""
        with self._changed:
            self._is_ready = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._waiting is not None or self._ending is not None)
            self._current, self._waiting = self._waiting, None
            return self._current

    def report(self, request_id: str, outcome: Outcome) -> bool:
        """Record the outcome of an event; False if it is not the current one."""
        with self._changed:
            if self._current is None or self._current.request_id != request_id:
                return False
            self._current, self._outcome = None, outcome
            self._changed.notify_all()
            return True

    def report_init_error(self, body: bytes) -> None:
        """Record that the function could not be loaded."""
        self.end(Outcome(body, is_error=True))


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a thread can wait for the next event for ever

    def __init__(self, invocations: Invocations) -> None:
        super().__init__((LOOPBACK, 0), _Handler)
        self.invocations = invocations

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore broken connections: killed processes leave them."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body in two packets would wait 40 ms for a delayed ACK.
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Do not log requests."""

    def do_GET(self) -> None:
        """Give the next event."""
        if self.path != f"{VERSION}/invocation/next":
            return self._reply(HTTPStatus.NOT_FOUND)
        invocation = self.server.invocations.next_invocation()
        if invocation is None:
            self.close_connection = True
            return None
        return self._reply(HTTPStatus.OK, invocation.payload, _headers(invocation))

    def do_POST(self) -> None:
        """Record a response, an error, or that the function could not be loaded."""
        body = self._body()
        if self.path == f"{VERSION}/init/error":
            self.server.invocations.report_init_error(body)
            return self._reply(HTTPStatus.ACCEPTED, b"{}")
        report = REPORT_PATH.fullmatch(self.path)
        if report is None:
            return self._reply(HTTPStatus.NOT_FOUND)
        return self._report(report[1], Outcome(body, is_error=report[2] == "error"))

    def _report(self, request_id: str, outcome: Outcome) -> None:
        status = HTTPStatus.ACCEPTED
        if len(outcome.body) > MOST_BYTES:
            status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
            size = f"Response payload size exceeded maximum allowed payload size ({MOST_BYTES})."
            outcome = failure("Function.ResponseSizeTooLarge", size)
        if not self.server.invocations.report(request_id, outcome):
            status = HTTPStatus.BAD_REQUEST
        self._reply(status, b"{}")

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        chunks = []
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _reply(self, status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _headers(invocation: Invocation) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "Lambda-Runtime-Aws-Request-Id": invocation.request_id,
        "Lambda-Runtime-Deadline-Ms": str(int(invocation.deadline * 1000)),
        "Lambda-Runtime-Invoked-Function-Arn": invocation.function_arn,
        "Lambda-Runtime-Trace-Id": invocation.trace_id,
    }
