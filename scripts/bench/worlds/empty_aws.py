"""An AWS that has nothing: it answers every call of a function at once, in another process.

What a cold start costs is the function's own CPU time, so who answers must be cheap and elsewhere.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

DEPTHS = ("", "NotVisible", "Delayed")
NOTHING: dict[str, Any] = {
    "Items": [],
    "Count": 0,
    "ScannedCount": 0,
    "Responses": {},
    "UnprocessedItems": {},
    "UnprocessedKeys": {},
    "Attributes": {f"ApproximateNumberOfMessages{kind}": "0" for kind in DEPTHS},
}
# What only some calls answer, or the client would not understand them.
OTHERWISE: dict[str, dict[str, Any]] = {
    "GetItem": {},
    "UpdateItem": {},
    "PutItem": {},
    "GetSecretValue": {"SecretString": "k" * 40},
    "ReceiveMessage": {},
}


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """A call to DynamoDB, SQS or Secrets Manager."""
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        operation = self.headers.get("X-Amz-Target", "").rpartition(".")[2]
        self._say(200, json.dumps(OTHERWISE.get(operation, NOTHING)).encode(), "application/json")

    def do_GET(self) -> None:
        """An object of S3's: there is none."""
        self._say(404, b"<Error><Code>NoSuchKey</Code></Error>", "application/xml")

    do_HEAD = do_PUT = do_GET

    def _say(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing is told."""


@contextmanager
def empty_aws() -> Iterator[str]:
    """The address of an endpoint for all services."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Answers) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
