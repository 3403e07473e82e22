"""The politeness certificate as data, and its digest."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

import msgspec


class Violation(msgspec.Struct, kw_only=True):
    """One request that broke a rule, or a record that is missing."""

    host: str
    url: str
    at: float  # when the request started, in seconds since 1970
    kind: str  # the name of the failed check
    detail: str


class Check(msgspec.Struct, kw_only=True):
    """One rule, how many cases were checked, and how many violated it."""

    name: str
    rule: str
    examined: int = 0
    violations: int = 0


class WarcFile(msgspec.Struct, kw_only=True):
    """A file that the certificate covers."""

    name: str
    sha256: str
    bytes: int
    records: int
    requests: int


class HostRow(msgspec.Struct, kw_only=True):
    """The requests to one host, and the rules in force."""

    host: str
    requests: int
    violations: int
    min_delay: float
    max_delay: float
    shortest_gap: float | None  # seconds between two starts; None after a single request
    min_gap_over_delay: float | None
    robots_code: int | None  # of the latest answer; None if there was none
    robots_sha256: str  # of the text, empty if there is none
    robots_read: str  # when it was requested, in UTC
    crawl_delay: float | None  # as robots.txt gives it for our agent
    disallowed: int
    worst: str  # the check that failed most often, empty if none


class Audit(msgspec.Struct, kw_only=True):
    """A politeness certificate, from WARC files alone."""

    version: int = 1
    host: str = ""  # the only host it covers; empty: all
    hosts: int
    requests: int
    violations: int
    min_gap_over_delay: float | None  # None if no host had two requests under a delay
    files: int = 0
    first_request: str = ""
    last_request: str = ""
    by_purpose: dict[str, int] = {}
    user_agents: dict[str, int] = {}
    unsent: int = 0  # requests without an address, so that no host received them
    checks: list[Check] = []
    warc_files: list[WarcFile] = []
    by_host: list[HostRow] = []  # worst first
    notes: list[str] = []
    listed: list[Violation] = []  # some of every kind; `violations` counts them all
    sha256: str = ""  # of all other fields


def with_digest(certificate: Audit) -> Audit:
    """The certificate with its digest; the same files always give the same digest."""
    return msgspec.structs.replace(certificate, sha256=digest(certificate))


def digest(certificate: Audit) -> str:
    """SHA-256 of the certificate as JSON with sorted keys, without spaces and the digest."""
    content = msgspec.to_builtins(certificate)
    del content["sha256"]
    return hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()


def utc(at: float) -> str:
    """A time in ISO 8601, in UTC, with milliseconds."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
