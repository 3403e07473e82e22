"""Turn HTTP requests into the events that API Gateway sends.

Strict where requests are smuggled (lengths, line ends, names), tolerant nowhere else either: the
clients of a search page are browsers and programs, and all of them speak HTTP/1.1 properly.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NotRequired, Protocol, TypedDict
from urllib.parse import parse_qsl, unquote

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Event = dict[str, object]

# A query of 1,000 characters takes up to 12 kB, and one of 10,000 letters must hear what is wrong.
MAX_TARGET = 64 * 1024  # bytes of the address
MAX_BODY = 64 * 1024
# Of settings and lists, which are put in place of others and have at most 300,000 bytes as JSON.
MAX_PUT = 512 * 1024
MAX_FIELDS = 100  # parameters of a query string

TOKEN = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
VALUE = re.compile(rb"[\t\x20-\x7e\x80-\xff]*")
TARGET = re.compile(rb"[\x21-\x7e]+")
ADDRESS = re.compile(r"https?://([^/?#]*)(.*)", re.IGNORECASE)
LENGTH = re.compile(r"[0-9]{1,10}", re.ASCII)
PLACEHOLDER = re.compile(r"\{(\w+)\}")


class Said(TypedDict):
    """What an app answers to an event."""

    statusCode: int
    headers: dict[str, str]
    body: str | bytes
    isBase64Encoded: NotRequired[bool]


class App(Protocol):
    """A Chalice app, or anything else that takes its events."""

    @property
    def routes(self) -> Mapping[str, object]:
        """The addresses it knows."""

    def __call__(self, event: Event, context: object) -> Said:
        """Answer an event."""


class Refused(Exception):
    """A request that is answered without being understood."""

    def __init__(self, status: int, message: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.message = message


@dataclass(frozen=True, slots=True)
class Head:
    """A request without its body. Header names are in lower case."""

    method: str
    target: str
    version: str
    headers: dict[str, str]

    @property
    def length(self) -> int:
        """How many bytes of body follow."""
        if "transfer-encoding" in self.headers:
            raise Refused(411)
        text = self.headers.get("content-length", "0")
        if not LENGTH.fullmatch(text):
            raise Refused(400, "Content-Length is not a number")
        if int(text) > (MAX_PUT if self.method == "PUT" else MAX_BODY):
            raise Refused(413)
        return int(text)

    @property
    def keeps_alive(self) -> bool:
        """Whether another request may follow on this connection."""
        wishes = {wish.strip().lower() for wish in self.headers.get("connection", "").split(",")}
        return "close" not in wishes and (self.version == "HTTP/1.1" or "keep-alive" in wishes)

    @property
    def takes_gzip(self) -> bool:
        """Whether the client can decompress."""
        for wish in self.headers.get("accept-encoding", "").lower().split(","):
            coding, _, quality = wish.partition(";")
            if coding.strip() in ("gzip", "*"):
                return not re.fullmatch(r"\s*q=0(\.0*)?\s*", quality)
        return False


def parse_head(data: bytes) -> Head:
    """Everything up to the empty line."""
    first, *lines = data.lstrip(b"\r\n").removesuffix(b"\r\n\r\n").split(b"\r\n")
    parts = first.split(b" ")
    if len(parts) != 3 or not TOKEN.fullmatch(parts[0]) or not TARGET.fullmatch(parts[1]):
        raise Refused(400, "the request line cannot be read")
    if len(parts[1]) > MAX_TARGET:
        raise Refused(414)
    if parts[2] not in (b"HTTP/1.1", b"HTTP/1.0"):
        raise Refused(505 if parts[2].startswith(b"HTTP/") else 400)
    method, target, version = (part.decode("ascii") for part in parts)
    headers = _headers(lines)
    if version == "HTTP/1.1" and "host" not in headers:
        raise Refused(400, "there is no Host")
    if not target.startswith("/"):
        headers["host"], target = _split_address(target)
    return Head(method, target, version, headers)


def _split_address(target: str) -> tuple[str, str]:
    """Split the whole address that a proxy may send into its host, which counts, and the rest."""
    parts = ADDRESS.fullmatch(target)
    if parts is None:
        raise Refused(400, "the address cannot be read")
    host, rest = parts.groups()
    return host, rest if rest.startswith("/") else f"/{rest}"


def _headers(lines: list[bytes]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for line in lines:
        raw_name, colon, raw_value = line.partition(b":")
        if not colon or not TOKEN.fullmatch(raw_name) or not VALUE.fullmatch(raw_value):
            raise Refused(400, "a header cannot be read")
        name, value = raw_name.decode("ascii").lower(), raw_value.decode("latin-1").strip(" \t")
        if name in headers and name in ("content-length", "host", "transfer-encoding"):
            raise Refused(400, f"{name} is given twice")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


class Resources:
    """The paths of an app, `/documents/{id}` and the like. In AWS the gateway matches them."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._fixed = {path for path in paths if "{" not in path}
        self._patterns = [(path, _pattern(path)) for path in paths if "{" in path]

    def match(self, path: str) -> tuple[str, dict[str, str] | None]:
        """The resource of a path and its arguments, as API Gateway names them: none is None."""
        if path in self._fixed:
            return path, None
        for route, pattern in self._patterns:
            if found := pattern.fullmatch(path):
                return route, {name: unquote(text) for name, text in found.groupdict().items()}
        raise Refused(404)


def _pattern(path: str) -> re.Pattern[str]:
    pieces = PLACEHOLDER.split(path)  # literal, name, literal, name, …
    return re.compile(
        "".join(
            f"(?P<{piece}>[^/]+)" if index % 2 else re.escape(piece)
            for index, piece in enumerate(pieces)
        )
    )


def event_of(head: Head, body: bytes, resources: Resources, client: str) -> Event:
    """The event of a REST API, version 1. HEAD asks as GET; the server keeps the body back."""
    path, _, query = head.target.partition("?")
    resource, arguments = resources.match(path)
    values = _query(query)
    method = "GET" if head.method == "HEAD" else head.method
    return {
        "resource": resource,
        "path": unquote(path),
        "httpMethod": method,
        "headers": head.headers,
        "multiValueHeaders": {name: [value] for name, value in head.headers.items()},
        "queryStringParameters": {name: texts[-1] for name, texts in values.items()} or None,
        "multiValueQueryStringParameters": values or None,
        "pathParameters": arguments,
        "stageVariables": None,
        "requestContext": {
            "resourcePath": resource,
            "httpMethod": method,
            "path": path,
            "protocol": head.version,
            "stage": "local",
            "identity": {"sourceIp": client, "userAgent": head.headers.get("user-agent", "")},
        },
        "body": body.decode("utf-8", "replace") or None,
        "isBase64Encoded": False,
    }


def _query(text: str) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError as error:
        raise Refused(400, f"there are more than {MAX_FIELDS} parameters") from error
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return values
