"""What must never happen, and did it? Watches every request, every message and every end."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gossamer.core.crawl.host_record import ROBOTS_TTL
from gossamer.core.crawl.response_outcome import (
    MAX_RETRY_AFTER,
    RETRY_CODES,
    THROTTLE_CODES,
    retry_after,
)
from gossamer.core.urls import host_of
from gossamer.messages import FetchRequest
from gossamer.ports.fetcher import TRANSIENT_FAULTS
from tests.simulation.web import forbids, least_delay

if TYPE_CHECKING:
    from gossamer.messages import AnyMessage, Emission, Stream
    from gossamer.ports.fetcher import HttpResponse
    from tests.simulation.kernel import Process, Task
    from tests.simulation.spec import World

AT_ONCE = 5.0  # seconds within which two messages may not know of each other
RULES_CODES = (200, 403, 404)  # answers to robots.txt after which a host may be asked
ABSENT_CODES = (404, 410)
HOUR = 3600.0
TOLERANCE = 2e-6  # what the clock's own rounding may take


@dataclass
class Asked:
    """A request that reached a server."""

    at: float  # by a clock that is right
    url: str
    message: FetchRequest
    task: Task
    told_at: float  # by the clock of the program
    response: HttpResponse | None = None
    begun_at: float = 0.0  # when the fetcher took up the message
    done_at: float = 0.0  # when it had dealt with the answer
    is_done: bool = False  # the fetcher has dealt with the answer, or its share of it
    is_lost: bool = False  # the fetcher died, or a store failed it, before that


@dataclass
class Violation:
    """A broken promise."""

    law: str
    detail: str

    def __str__(self) -> str:
        return f"{self.law}: {self.detail}"


@dataclass
class Observer:
    """Keeps the book of a world."""

    world: World
    requests: list[Asked] = field(default_factory=list)
    violations: list[Violation] = field(default_factory=list)
    passes: Counter[str] = field(default_factory=Counter)
    _by_host: dict[str, list[Asked]] = field(default_factory=lambda: defaultdict(list))
    _by_url: dict[str, list[Asked]] = field(default_factory=lambda: defaultdict(list))
    _slots: set[tuple[str, float]] = field(default_factory=set)
    _of_task: dict[Any, FetchRequest] = field(default_factory=dict)
    _open: list[Asked] = field(default_factory=list)
    clock_set_at: float = 0.0  # when the clock of the program was set right
    _rules_read: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._hosts = {host.name: host for host in self.world.hosts}

    def violate(self, law: str, detail: str) -> None:
        """A promise was broken."""
        self.violations.append(Violation(law, detail))

    def begin_round(self) -> None:
        """Everything may be asked for once more."""
        self._by_url.clear()

    # ── messages ────────────────────────────────────────────────────────────────────────────────

    def begins(self, task: Task, message: AnyMessage, now: float) -> None:
        """A worker starts to deal with a message."""
        if isinstance(message, FetchRequest):
            self._of_task[task] = message
            task.begun_at = now
            if message.purpose == "page":
                self.passes[message.candidate.url] += 1
            task.subject += f" {message.candidate.url}"

    def done(self, task: Task, emissions: list[Emission], now: float) -> None:
        """A bolt has returned: what it did is done."""
        del emissions
        self._of_task.pop(task, None)
        for asked in self._open:
            if asked.task is task:
                asked.is_done, asked.done_at = True, now
        self._open = [asked for asked in self._open if not asked.is_done]

    def raised(self, stream: Stream, error: Exception) -> None:
        """A bolt raised something that is none of our errors."""
        self.violate("no-crash", f"the bolt of {stream} raised {type(error).__name__}: {error}")

    def process_ended(self, process: Process) -> None:
        """What it had not dealt with by then is lost."""
        for asked in self._open:
            if asked.task.process is process:
                asked.is_lost = True
        self._open = [asked for asked in self._open if asked.task.process is not process]

    # ── requests ────────────────────────────────────────────────────────────────────────────────

    def asks(self, task: Task, url: str, now: float, told_now: float) -> Asked:
        """A request leaves for a server."""
        asked = Asked(now, url, self._of_task[task], task, told_now, begun_at=task.begun_at)
        self._check_pace(asked)
        self._check_slot(asked)
        self._check_robots(asked)
        self._check_again(asked)
        self.requests.append(asked)
        self._by_host[host_of(url)].append(asked)
        self._by_url[url].append(asked)
        self._open.append(asked)
        return asked

    def answered(self, asked: Asked, response: HttpResponse) -> None:
        """The server has answered, and the fetcher received it."""
        asked.response = response

    def learned(self, host: str, now: float) -> None:
        """The rules of a host were stored."""
        self._rules_read.setdefault(host, now)

    def _check_pace(self, asked: Asked) -> None:
        name = host_of(asked.url)
        before = self._by_host[name][-1:]
        if not before:
            return
        gap = asked.at - before[0].at
        known = name in self._rules_read and self._rules_read[name] <= before[0].at
        least = least_delay(self.world, self._hosts.get(name), rules_read=known)
        wanted = max(least, asked.message.delay)
        if gap < wanted - TOLERANCE:
            self.violate(
                "pace",
                f"{asked.url} {gap:.6f} s after {before[0].url}, where {wanted:g} s are kept",
            )
        for earlier in self._by_host[name][-20:]:
            self._check_wish(asked, earlier)

    def _check_wish(self, asked: Asked, earlier: Asked) -> None:
        """A server that said when to come back is heard by all who begin after it was noted."""
        response = earlier.response
        if response is None or not earlier.is_done or response.code not in THROTTLE_CODES:
            return
        if asked.begun_at < earlier.done_at:
            return
        ended = earlier.at + response.seconds
        wish = min(retry_after(response.header("retry-after"), ended), MAX_RETRY_AFTER)
        if asked.at < ended + wish - TOLERANCE and earlier.message.purpose == "page":
            self.violate(
                "retry-after", f"{asked.url} {asked.at - ended:.3f} s after a wish for {wish:g} s"
            )

    def _check_slot(self, asked: Asked) -> None:
        message = asked.message
        if message.delay <= 0:
            return
        slot = (message.host, message.slot)
        if slot in self._slots:
            self.violate("one-per-slot", f"{asked.url} is the second request in slot {slot}")
        self._slots.add(slot)
        late = asked.told_at - message.slot
        if not -TOLERANCE <= late <= message.grace + TOLERANCE:
            self.violate("in-slot", f"{asked.url} {late:.3f} s after its slot began")

    def _check_robots(self, asked: Asked) -> None:
        if asked.message.purpose == "robots":
            return
        name = host_of(asked.url)
        host = self._hosts.get(name)
        if name not in self._rules_read:
            self.violate("robots", f"{asked.url} before the rules were read")
        elif host is not None and forbids(host, asked.url):
            self.violate("robots", f"{asked.url} is forbidden")

    def _check_again(self, asked: Asked) -> None:
        """Once per round, unless the answer was lost or says to try again."""
        if asked.message.purpose == "robots":
            self._check_robots_again(asked)
            return
        earlier = self._by_url[asked.url]
        tries = [one for one in earlier if not one.is_lost]
        for one in tries:
            if not one.is_done:
                self.violate("once", f"{asked.url} while another request for it is under way")
            elif one.response is not None and not self._may_ask_again(one, asked.at):
                self.violate("once", f"{asked.url} was answered at {one.at:.3f} already")
        if len([one for one in tries if not _was_given_a_cookie(one)]) > self.world.job.retries:
            self.violate("once", f"{asked.url} for the {len(tries) + 1}th time")

    def _may_ask_again(self, one: Asked, now: float) -> bool:
        """After trouble; and what was a page and is missing is looked for once more."""
        assert one.response is not None
        if _was_given_a_cookie(one):
            return True
        if self.world.job.again == "recrawl" and one.response.code in ABSENT_CODES:
            return now - one.at >= HOUR and self._was_page(one.url)
        return _may_try_again(one.response)

    def _was_page(self, url: str) -> bool:
        return any(a.url == url and a.response and a.response.code == 200 for a in self.requests)

    def _check_robots_again(self, asked: Asked) -> None:
        """Rules that are known hold for a day. (After a long stall two may ask at once.)"""
        for one in self._by_url[asked.url]:
            if one.at < self.clock_set_at <= asked.at:
                continue  # how old those rules are is not known
            known = one.is_done and one.response is not None and one.response.code in RULES_CODES
            if known and one.at + AT_ONCE < asked.at < one.at + ROBOTS_TTL:
                self.violate("once", f"{asked.url} was read {asked.at - one.at:.3f} s before")


def _was_given_a_cookie(asked: Asked) -> bool:
    """Whether the answer was a wall: the page is asked for once more, with the cookie."""
    response = asked.response
    return response is not None and response.code == 302 and bool(response.header("set-cookie"))


def _may_try_again(response: HttpResponse) -> bool:
    if response.fault:
        return response.fault in TRANSIENT_FAULTS
    return response.code in RETRY_CODES | THROTTLE_CODES
