"""Steering a deployed crawl over HTTP, with the admin key in `Authorization: Bearer …`.

Keys are compared by their digests, in constant time, and never logged. The right key always counts;
a client that shows a few wrong ones in a minute is told to wait before it shows another.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import time
from collections import deque
from typing import TYPE_CHECKING, Any

import msgspec

from gossamer.core.crawl.job import DEFAULT_JOB, checked
from gossamer.core.errors import ConfigurationError, GossamerError, SettingError
from gossamer.entrypoints.allowance import check_money
from gossamer.entrypoints.seeding import seed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gossamer.core.crawl.job import JobConfig
    from gossamer.entrypoints.seeding import SeedReport
    from gossamer.ports.admin.stack import StackHome
    from gossamer.ports.jobs import JobRecord

log = logging.getLogger(__name__)

MAX_WRONG = 5  # wrong keys in a minute
MINUTE = 60.0
MAX_CLIENTS = 10_000
KEY_KEPT = 300.0  # seconds until a changed key is noticed
ACTIONS = ("pause", "resume", "stop")


class Denied(GossamerError):
    """The caller may not do this."""

    def __init__(self, status: int, message: str, retry_after: int = 0) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after  # seconds; 0: as is usual for the status


class BadBody(GossamerError):
    """The body cannot be read; the message says why."""


class JobView(msgspec.Struct, kw_only=True):
    """A job as the API shows it."""

    job: str
    state: str
    reason: str
    pages_left: int | None
    documents_left: int | None
    started_at: float
    max_usd: float | None = None


class SeedRequest(msgspec.Struct, forbid_unknown_fields=True):
    """The body of POST /seeds."""

    urls: list[str]
    job: str = DEFAULT_JOB
    config: dict[str, Any] | None = None


class Administration:
    """Steers the jobs of a home that works by itself."""

    def __init__(self, home: StackHome, contact: str, daily_usd: float = 0.0) -> None:
        self._home = home
        self._contact = contact
        self._daily = daily_usd

    def seed(self, job: str, urls: list[str], config: JobConfig | None) -> SeedReport:
        """Give a job more URLs."""
        return seed(job, urls, config, home=self._home, now=time.time(), contact=self._contact)

    def jobs(self) -> list[JobView]:
        """All jobs."""
        found = [self._home.jobs.get(name) for name in self._home.jobs.names()]
        return [_view(record) for record in found if record is not None]

    def steer(self, job: str, action: str) -> JobView | None:
        """Pause, resume or stop a job, as the command line does; None if there is no such job."""
        from gossamer.entrypoints.steering import steer

        record = self._home.jobs.get(job)
        if record is None:
            return None
        try:
            if action == "resume":
                check_money(self._home, record, self._daily, time.time())
            steer(action, self._home, record, time.time())
        except ConfigurationError as error:
            raise Denied(409, str(error)) from error
        record = self._home.jobs.get(job)
        return _view(record) if record is not None else None


def _view(record: JobRecord) -> JobView:
    view = msgspec.convert(record, JobView, from_attributes=True)
    return msgspec.structs.replace(view, max_usd=record.config.max_usd)


class SecretKey:
    """The admin key, read from its secret and kept for a while."""

    def __init__(
        self, read: Callable[[], str], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._read = read
        self._clock = clock
        self._read_at = float("-inf")
        self._key = ""

    def __call__(self) -> str:
        """The key as it was a few minutes ago at most."""
        if self._clock() - self._read_at > KEY_KEPT:
            self._key = self._read()
            self._read_at = self._clock()
        return self._key


class Gate:
    """Lets those in who have the key."""

    def __init__(self, key: Callable[[], str], clock: Callable[[], float] = time.monotonic) -> None:
        self._key = key
        self._clock = clock
        self._wrong: dict[str, deque[float]] = {}  # by client, so that none locks others out

    def admit(self, headers: Mapping[str, str], client: str = "") -> None:
        """Raise Denied unless the caller shows the key."""
        scheme, _, shown = headers.get("authorization", "").partition(" ")
        shown = shown.strip()
        if scheme.lower() != "bearer" or not shown:
            raise Denied(401, "this needs the admin key: Authorization: Bearer …")
        if hmac.compare_digest(_digest(shown), _digest(self._key())):
            return
        wrong = self._wrong.get(client, deque())
        if len(wrong) == MAX_WRONG and self._clock() - wrong[0] < MINUTE:
            log.warning("an admin call from %s was turned away: too many wrong keys", client)
            raise Denied(429, "too many wrong keys; wait a minute")
        self._note_wrong(client)
        log.warning("an admin call from %s came with a wrong key", client)
        raise Denied(403, "this is not the admin key")

    def _note_wrong(self, client: str) -> None:
        if len(self._wrong) > MAX_CLIENTS:
            self._wrong.clear()
        self._wrong.setdefault(client, deque(maxlen=MAX_WRONG)).append(self._clock())


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode(errors="surrogatepass")).digest()


def check_charset(body: str) -> None:
    """Raise SettingError if a body was not UTF-8: what could not be read of it is U+FFFD."""
    before, wrong, _ = body.partition("\ufffd")
    if wrong:
        lines = before.split("\n")
        line, column = len(lines), len(lines[-1]) + 1
        message = f"line {line}, column {column}: this is not UTF-8, as a body has to be"
        raise SettingError(message, line=line, column=column)


def read_seeds(body: str) -> tuple[str, list[str], JobConfig | None]:
    """Job, URLs and configuration in the body of POST /seeds."""
    try:
        request = msgspec.json.decode(body.encode(), type=SeedRequest)
        config = checked(dict(request.config), "config") if request.config is not None else None
    except (msgspec.DecodeError, ConfigurationError) as error:
        raise BadBody(str(error)) from error
    if not request.urls and config is None:
        raise BadBody("there are no urls")
    return request.job, request.urls, config
