"""What is the least that speaks Lambda's Runtime API? A stand-in for awslambdaric, for tests."""

from __future__ import annotations

import http.client
import json
import os
import sys

RUNTIME = "/2018-06-01/runtime"


def main() -> None:
    """Load app.handler and serve events until the other side hangs up."""
    sys.path.insert(0, "")
    try:
        from app import handler  # type: ignore[import-not-found]
    except ImportError as error:
        _post("init/error", {"errorType": "Runtime.ImportModuleError", "errorMessage": str(error)})
        sys.exit(1)
    while True:
        request_id, event = _next()
        try:
            answer, what = handler(event), "response"
        except ValueError as error:
            answer, what = {"errorType": "ValueError", "errorMessage": str(error)}, "error"
        _post(f"invocation/{request_id}/{what}", answer)


def _next() -> tuple[str, object]:
    connection = _connect()
    connection.request("GET", f"{RUNTIME}/invocation/next")
    response = connection.getresponse()
    return response.headers["Lambda-Runtime-Aws-Request-Id"], json.load(response)


def _post(path: str, body: object) -> None:
    connection = _connect()
    connection.request("POST", f"{RUNTIME}/{path}", json.dumps(body))
    connection.getresponse().read()


def _connect() -> http.client.HTTPConnection:
    return http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])


if __name__ == "__main__":
    main()
