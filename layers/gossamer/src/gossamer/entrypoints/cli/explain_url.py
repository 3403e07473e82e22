"""The command `gossamer explain-url`: what became of a URL, and why."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from gossamer import homes
from gossamer.core.crawl.host_pace import robots_of
from gossamer.core.crawl.host_quota import ceiling
from gossamer.core.crawl.host_trouble import explain_with
from gossamer.core.crawl.removal import is_no_document
from gossamer.core.crawl.traps import trap
from gossamer.core.crawl.url_state import State, explain
from gossamer.core.ids import UrlId
from gossamer.core.urls import host_of, normalise, readable, sitemap_id, url_id, with_scheme
from gossamer.entrypoints.cli import job_flags
from gossamer.entrypoints.cli.command import DONE, FAILED, iso_time, print_result, settings_of
from gossamer.entrypoints.local.terminal import harmless

if TYPE_CHECKING:
    import argparse

    from gossamer.core.crawl.host_record import HostRecord
    from gossamer.core.crawl.url_record import UrlRecord
    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.ports.home import Home
    from gossamer.ports.jobs import JobRecord

MAX_PATH = 50  # links from a seed to the URL; longer ways are cut
MAX_DOCUMENTS = 20  # of a page that are shown to a person
MAX_LANGUAGES = 20


class DocumentLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """A document of a page."""

    id: str  # for /documents/{id}
    title: str
    key: str = ""


class Biography(msgspec.Struct, kw_only=True, omit_defaults=True):
    """All that is known of a URL."""

    url: str
    state: str  # "unknown" when no page that was read links to it
    reason: str = ""
    explanation: str = ""
    target: str = ""
    depth: int | None = None
    path: list[str] = []  # from a seed to the URL
    requests: int = 0
    code: int = 0
    fetched_at: str = ""
    size: int = 0
    title: str = ""
    documents: list[DocumentLine] = []  # of the page, as it was read last; none if it was removed
    alternates: dict[str, str] = {}  # the page in other languages, as it names them
    page: str = ""
    host_requests: int = 0
    host_set_aside: str = ""
    host_pages: int = 0  # that were kept of it
    host_quota: int | None = None  # URLs that it may give as it stands now
    robots_allow: bool | None = None  # None: robots.txt was not read
    robots_fault: str = ""  # why it could not be read
    crawl_delay: float | None = None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which URL, and by the rules of which job."""
    parser.add_argument("url", metavar="URL", help="the address in question")
    job_flags.add_job(parser)


def run(args: argparse.Namespace) -> int:
    """Explain a URL of this machine; exit 1 if it is unknown."""
    home = homes.open_home(settings_of(args), read_only=True)
    return _print(
        args, biography(home, home.jobs.get(job_flags.job_name(args)), args.url, time.time())
    )


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Explain a URL of a stack; exit 1 if it is unknown."""
    from gossamer.entrypoints.cli.stack.home import job_of

    home = stack.home
    record = job_of(home, args.job) if args.job or home.jobs.names() else None
    return _print(args, biography(home, record, args.url, time.time()))


def _print(args: argparse.Namespace, life: Biography) -> int:
    print_result(args, life, to_text(life))
    return DONE if life.state != "unknown" else FAILED


def biography(home: Home, job: JobRecord | None, given: str, now: float) -> Biography:
    """Explain a URL; of an unknown one, what would happen to it."""
    url = normalise(with_scheme(given))
    if url is None:
        return Biography(url=given, state="unknown", explanation="this is not a web address")
    record = home.urls.get(url_id(url)) or home.urls.get(sitemap_id(url))
    if record is None:
        return _unknown(home, job, url, now)
    documents, alternates = _documents(home, record)
    life = Biography(
        url=url,
        state=record.state.value,
        reason=record.reason,
        explanation=_explanation(record, home.hosts.get(record.host)) + _pause(record, job),
        target=record.target,
        depth=record.depth,
        path=_path(home, record.id),
        requests=record.tries,
        code=record.code,
        fetched_at=iso_time(record.fetched_at),
        size=record.size,
        title=documents[0].title if documents else "",
        documents=documents,
        alternates=alternates,
        page=f"{record.page.file}:{record.page.offset}+{record.page.length}" if record.page else "",
    )
    return _with_host(home, job, life)


def _documents(home: Home, record: UrlRecord) -> tuple[list[DocumentLine], dict[str, str]]:
    """The documents of a page, and the page in other languages."""
    if is_no_document(record.state, record.reason, record.history):
        return [], {}
    pages = home.documents.pages([UrlId(record.id)])
    versions = [version for page in pages for version in page.versions()]
    lines = [DocumentLine(v.id.hex(), v.document.title, v.document.key) for v in versions]
    others = (v.document.alternates for v in versions if v.document.alternates)
    return lines, next(others, {})


def _explanation(record: UrlRecord, host: HostRecord) -> str:
    waiting = {
        State.DISCOVERED: "known, and waiting for its turn",
        State.FETCHING: "being fetched right now",
        State.FETCHED: "fetched, and waiting to be parsed",
    }
    text = waiting.get(record.state) or explain_with(record.reason, host)
    return f"{text}: {record.target}" if record.target else text


def _pause(record: UrlRecord, job: JobRecord | None) -> str:
    """What a URL waits for while its job is paused."""
    if job is None or job.state != "paused" or record.state is not State.DISCOVERED:
        return ""
    why = f": {explain(job.reason)}" if job.reason else ""
    return f"; job {job.job!r} is paused{why}"


def _unknown(home: Home, job: JobRecord | None, url: str, now: float) -> Biography:
    life = Biography(
        url=url, state="unknown", explanation="no page that was read links to it, and it is no seed"
    )
    if job is not None:
        year = datetime.fromtimestamp(now, UTC).year
        reason = job.rules.scope.reject(url, 0) or trap(url, job.config.traps, year)
        if reason:
            life.reason = reason
            life.explanation += f"; if it were found it would be excluded: {explain(reason)}"
    return _with_host(home, job, life)


def _with_host(home: Home, job: JobRecord | None, life: Biography) -> Biography:
    host = home.hosts.get(host_of(life.url))
    life.host_requests = host.requests
    life.host_set_aside = explain(host.set_aside) if host.set_aside else ""
    life.host_pages = host.pages
    if job is not None and job.config.traps.enabled:
        limits, named = job.config.traps, host.named or job.rules.names(life.url)
        earned = ceiling(limits, host.pages, host.worth)
        life.host_quota = limits.per_host if named else earned
    life.robots_fault = explain(host.robots_fault) if host.robots_unavailable else ""
    if host.robots_code and not host.robots_unavailable and job is not None:
        agent = job.config.identity()
        robots = robots_of(host)
        life.robots_allow = robots.allows(life.url, agent)
        life.crawl_delay = robots.crawl_delay(agent)
    return life


def _path(home: Home, id: bytes) -> list[str]:
    path: list[str] = []
    while id and len(path) < MAX_PATH:
        record = home.urls.get(id)
        if record is None or record.url in path:
            break
        path.append(record.url)
        id = record.via
    return path[::-1]


def _document_lines(documents: list[DocumentLine]) -> list[str]:
    if not documents:
        return []
    lines = ["  1 document:" if len(documents) == 1 else f"  {len(documents):,} documents:"]
    lines += [f"    {each.id}  {each.title}" for each in documents[:MAX_DOCUMENTS]]
    left = len(documents) - MAX_DOCUMENTS
    return [*lines, f"    and {left:,} more (--json lists all)"] if left > 0 else lines


def _language_lines(alternates: dict[str, str]) -> list[str]:
    if not alternates:
        return []
    shown = list(alternates.items())[:MAX_LANGUAGES]
    lines = ["  in other languages:", *(f"    {name}  {readable(url)}" for name, url in shown)]
    left = len(alternates) - MAX_LANGUAGES
    return [*lines, f"    and {left} more (--json lists all)"] if left > 0 else lines


def to_text(life: Biography) -> str:
    """The explanation as text."""
    lines = [readable(life.url), f"  {life.state}: {life.explanation}"]
    lines += _document_lines(life.documents) + _language_lines(life.alternates)
    if life.fetched_at:
        lines.append(
            f"  fetched {life.fetched_at}, code {life.code}, {life.size:,} bytes,"
            f" {life.requests} request{'s' if life.requests != 1 else ''}, {life.page}"
        )
    if len(life.path) > 1:
        lines.append(f"  found at depth {life.depth} over these pages:")
        path = map(readable, life.path)
        lines += [f"    {'→ ' if number else '  '}{url}" for number, url in enumerate(path)]
    if life.reason == "host-quota" and life.host_quota is not None:
        lines.append(
            f"  the host has given {life.host_pages:,} pages, and may give {life.host_quota:,} URLs"
        )
    if life.host_set_aside:
        lines.append(f"  the host was set aside: {life.host_set_aside}")
    if life.robots_fault:
        lines.append(f"  robots.txt could not be read: {life.robots_fault}")
    if life.robots_allow is not None:
        delay = f", Crawl-delay {life.crawl_delay:g} s" if life.crawl_delay else ""
        lines.append(f"  robots.txt {'allows' if life.robots_allow else 'forbids'} it{delay}")
    return "\n".join(map(harmless, lines))
