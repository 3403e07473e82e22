"""What does a politeness certificate say, and how is it signed off?"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

import msgspec


class Violation(msgspec.Struct, kw_only=True):
    """One request that broke a rule, or a record that is missing."""

    host: str
    url: str
    at: float  # when the request started, in seconds since 1970
    kind: str  # the name of the check that it failed
    detail: str


class Check(msgspec.Struct, kw_only=True):
    """One rule, in how many cases it was looked at, and how often it was broken."""

    name: str
    rule: str
    examined: int = 0
    violations: int = 0


class WarcFile(msgspec.Struct, kw_only=True):
    """A file that the certificate is about."""

    name: str
    sha256: str
    bytes: int
    records: int
    requests: int


class HostRow(msgspec.Struct, kw_only=True):
    """What was asked of one host, and under which rules."""

    host: str
    requests: int
    violations: int
    min_delay: float
    max_delay: float
    shortest_gap: float | None  # seconds between two starts; None if it was asked once
    min_gap_over_delay: float | None
    robots_code: int | None  # of the latest answer; None if there was none
    robots_sha256: str  # of the text, empty if there is none
    robots_read: str  # when it was asked for, in UTC
    crawl_delay: float | None  # what robots.txt asks of us
    disallowed: int
    worst: str  # the check that it failed most often, empty if none


class Audit(msgspec.Struct, kw_only=True):
    """A politeness certificate, from WARC files alone."""

    version: int = 1
    host: str = ""  # the only host it is about; empty: all
    hosts: int
    requests: int
    violations: int
    min_gap_over_delay: float | None  # None when no host was asked twice under a delay
    files: int = 0
    first_request: str = ""
    last_request: str = ""
    by_purpose: dict[str, int] = {}
    user_agents: dict[str, int] = {}
    unsent: int = 0  # of the requests: those that found no address, so that no host saw them
    checks: list[Check] = []
    warc_files: list[WarcFile] = []
    by_host: list[HostRow] = []  # worst first
    notes: list[str] = []
    listed: list[Violation] = []  # some of every kind; `violations` counts them all
    sha256: str = ""  # of all the rest


def signed_off(certificate: Audit) -> Audit:
    """The certificate with its digest: the same files always give the same one."""
    return msgspec.structs.replace(certificate, sha256=digest(certificate))


def digest(certificate: Audit) -> str:
    """SHA-256 of the certificate as JSON with sorted keys, no spaces, and no digest in it."""
    content = msgspec.to_builtins(certificate)
    del content["sha256"]
    return hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()


def utc(at: float) -> str:
    """A moment as people and programs read it."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
