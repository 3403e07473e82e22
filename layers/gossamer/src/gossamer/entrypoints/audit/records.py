"""Read the requests of a crawl from WARC records, and find missing records."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from gossamer.core.crawl.response_outcome import REDIRECT_CODES, THROTTLE_CODES, judge, retry_after
from gossamer.core.crawl.robots import Robots, parse_robots
from gossamer.entrypoints.audit.certificate import WarcFile
from gossamer.entrypoints.audit.warc_file import RecordFile, fields
from gossamer.homes import decode_body
from gossamer.ports.fetcher import TRANSIENT_FAULTS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gossamer.entrypoints.audit.warc_file import Record

END_OF_TIME = 2.5e11  # seconds; datetime has no later dates
ANSWERS = ("response", "revisit")
UNSENT = frozenset({"dns", "dns-busy", "unsafe-address"})


class RobotsAnswer(msgspec.Struct, kw_only=True, frozen=True):
    """A host's answer to a request for robots.txt."""

    rules: Robots
    sha256: str = ""  # of the text as decoded
    location: str = ""  # the target of a redirect


class AuditedRequest(msgspec.Struct, kw_only=True, frozen=True, gc=False):
    """One request, read from its two records."""

    url: str
    host: str
    job: str
    purpose: str
    robots_for: str
    agent: str
    started_at: float
    ended_at: float
    slot: float
    delay: float
    max_delay: float
    grace: float
    tries: int
    code: int
    fault: str
    era: int = 0  # of the host: its clock may say earlier times than in the one before
    retry_after: float = 0.0  # seconds, from a refusal
    sets_cookies: bool = False  # and redirects, perhaps to itself
    robots: RobotsAnswer | None = None  # the answer, for a request of robots.txt

    @property
    def was_sent(self) -> bool:
        """Whether anything was sent: a request without an address never reaches a host."""
        return bool(self.code) or self.fault not in UNSENT

    @property
    def is_refusal(self) -> bool:
        """Whether the host asked for fewer requests."""
        return self.code in THROTTLE_CODES

    @property
    def has_failed(self) -> bool:
        """Whether its result permits a retry: trouble, or a redirect that set cookies.

        A 304 counts as trouble: only one that was not asked for is followed by another try.
        """
        kind = judge(self.code, self.fault, self.fault in TRANSIENT_FAULTS).kind
        return self.sets_cookies or kind in ("retry", "throttled", "unchanged")

    @property
    def is_good(self) -> bool:
        """Whether it is a good response, which reduces the host's penalty."""
        return not judge(self.code, self.fault, self.fault in TRANSIENT_FAULTS).is_bad


@dataclass(frozen=True, slots=True)
class Loss:
    """A missing record, or two records of one request that do not agree."""

    url: str
    at: float
    detail: str


@dataclass(frozen=True, slots=True)
class _Response:
    id: str
    url: str
    at: float
    code: int
    headers: dict[str, str]
    body: bytes


class WarcReading:
    """One pass through a WARC file: iterate over the requests, then read the other fields."""

    def __init__(self, path: Path) -> None:
        self._records = RecordFile(path)
        self._requests = 0
        self.losses: list[Loss] = []
        self.notes: list[str] = []

    @property
    def file(self) -> WarcFile:
        """Name, size and digest of the file, complete after the iteration."""
        return WarcFile(
            name=self._records.path.name,
            sha256=self._records.sha256,
            bytes=self._records.size,
            records=self._records.count,
            requests=self._requests,
        )

    def __iter__(self) -> Iterator[AuditedRequest]:
        response: _Response | None = None  # its metadata record comes next
        for record in self._records:
            if record.kind == "metadata":
                self._requests += 1
                yield self._request(record, response)
                response = None
            else:
                self._miss_metadata(response)
                response = self._response(record) if record.kind in ANSWERS else None
        self._note_end(response)

    def _note_end(self, response: _Response | None) -> None:
        """A kill leaves half a record or, after that was cut off, a response without metadata."""
        name = self._records.path.name
        if self._records.cut_at is not None:
            self.notes.append(f"{name} ends within a record, at {self._records.cut_at}")
        if response is not None:
            self.notes.append(f"{name} ends before the facts of its last request, {response.url}")
        if not self._records.count:
            self.notes.append(f"{name} holds no records")

    def _miss_metadata(self, response: _Response | None) -> None:
        if response is not None:
            why = "a response without the metadata record of its request"
            self.losses.append(Loss(response.url, response.at, why))

    def _request(self, record: Record, response: _Response | None) -> AuditedRequest:
        url = record.headers.get("warc-target-uri", "")
        facts = dict(fields(record.block.decode("utf-8", "replace")))
        if response is not None and record.headers.get("warc-concurrent-to") != response.id:
            self._miss_metadata(response)
            response = None
        try:
            request = self._with_facts(url, facts, response)
        except (KeyError, ValueError) as error:
            raise self._records.unreadable(
                record.offset, f"not the facts of a request: {error!r}"
            ) from error
        if request.code != (response.code if response else 0) or (response and response.url != url):
            why = f"a metadata record that {'disagrees with' if response else 'lacks'} its response"
            self.losses.append(Loss(url, request.started_at, why))
        return request

    def _with_facts(
        self, url: str, facts: dict[str, str], response: _Response | None
    ) -> AuditedRequest:
        started_at, code = _number(facts["startedAt"]), int(facts["code"])
        ended_at = started_at + _number(facts["seconds"])
        headers = response.headers if response else {}
        asks = headers.get("retry-after", "") if code in THROTTLE_CODES else ""
        return AuditedRequest(
            url=url,
            host=sys.intern(facts["host"]),
            job=sys.intern(facts.get("job", "")),
            purpose=sys.intern(facts["purpose"]),
            robots_for=sys.intern(facts.get("robotsFor", "")),
            agent=sys.intern(facts.get("userAgent", "")),
            started_at=started_at,
            ended_at=ended_at,
            slot=_number(facts["slot"]),
            delay=_number(facts["delay"]),
            max_delay=_number(facts.get("maxDelay", "0")),
            grace=_number(facts["grace"]),
            tries=int(facts.get("tries", "0")),
            era=int(facts.get("era", "0")),
            code=code,
            fault=sys.intern(facts.get("fault", "")),
            retry_after=retry_after(asks, ended_at) if asks else 0.0,
            sets_cookies=code in REDIRECT_CODES and "set-cookie" in headers,
            robots=self._answer(facts, code, response) if facts["purpose"] == "robots" else None,
        )

    def _answer(
        self, facts: dict[str, str], code: int, response: _Response | None
    ) -> RobotsAnswer | None:
        """Interpreted as FETCH does (bolts/fetch/robots_txt.py); None without a response record."""
        fault = facts.get("fault", "")
        outcome = judge(code, fault, fault in TRANSIENT_FAULTS)
        if code and response is None:
            return None
        if code in REDIRECT_CODES and response is not None:
            location = response.headers.get("location", "")
            return RobotsAnswer(rules=Robots(code=code), location=location)
        rules = parse_robots(self._body(response), code)
        if fault or rules.unavailable or outcome.kind in ("retry", "throttled"):
            return RobotsAnswer(rules=Robots(code=code, unavailable=True))
        digest = hashlib.sha256(self._body(response)).hexdigest() if rules.text else ""
        return RobotsAnswer(rules=rules, sha256=digest)

    def _body(self, response: _Response | None) -> bytes:
        if response is None:
            return b""
        encoding = response.headers.get("content-encoding", "")
        try:
            return decode_body(response.body, encoding) if encoding else response.body
        except ValueError as error:
            self.notes.append(f"the rules of {response.url} cannot be decoded ({error})")
            return b""

    def _response(self, record: Record) -> _Response:
        head, _, body = record.block.partition(b"\r\n\r\n")
        status, _, lines = head.decode("latin-1").partition("\r\n")
        try:
            return _Response(
                id=record.headers.get("warc-record-id", ""),
                url=record.headers.get("warc-target-uri", ""),
                at=datetime.fromisoformat(record.headers["warc-date"]).timestamp(),
                code=int(status.split(" ", 2)[1]),
                headers={name.lower(): value for name, value in reversed([*fields(lines)])},
                body=body,
            )
        except (KeyError, IndexError, ValueError) as error:
            raise self._records.unreadable(record.offset, f"no HTTP response: {error!r}") from error


def _number(text: str) -> float:
    value = float(text)
    if not 0 <= value < END_OF_TIME:
        raise ValueError(f"out of range: {text}")
    return value
