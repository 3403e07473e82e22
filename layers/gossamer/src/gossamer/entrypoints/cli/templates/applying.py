"""Read the pages of templates again, from the WARC, and index what they have now."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from gossamer.batch.reread import StoredPages
from gossamer.bolts.reread import reread
from gossamer.core.page.templates.matching import template_for
from gossamer.entrypoints.cli.templates.keeping import templates_in
from gossamer.entrypoints.local.report import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.ports.collection_settings import CollectionSettingsStore
    from gossamer.ports.documents import DocumentStore
    from gossamer.ports.home import Home
    from gossamer.ports.host_languages import HostLanguages
    from gossamer.ports.jobs import JobStore
    from gossamer.ports.parser import Parser
    from gossamer.ports.template_health import TemplateHealth
    from gossamer.ports.urls import UrlStore

COMMIT_EVERY = 100  # pages


class Applied(msgspec.Struct, frozen=True, kw_only=True):
    """What came of pages that were read again; or how many were sent to PARSE, of a stack."""

    pages: int
    documents: int = 0
    reasons: dict[str, int] = {}
    sent: int = 0
    resumed: bool = False  # whether it went on with what was interrupted
    seconds: float
    outdated: int = 0  # documents that were indexed by another schema


class _Means(NamedTuple):
    """What pages are read with."""

    urls: UrlStore
    documents: DocumentStore
    jobs: JobStore
    parser: Parser
    settings: CollectionSettingsStore
    template_health: TemplateHealth
    host_languages: HostLanguages


def apply(home: Home, parser: Parser, name: str, show: Callable[[str], None]) -> Applied:
    """Read the pages of one template again, or of all."""
    return asyncio.run(_apply(home, parser, name, show))


async def _apply(home: Home, parser: Parser, name: str, show: Callable[[str], None]) -> Applied:
    began, now = time.perf_counter(), time.time()
    reasons, documents = Counter[str](), 0
    parts = (home.urls, home.documents, home.jobs, parser, home.settings)
    means = _Means(*parts, home.template_health, home.host_languages)
    forget_counts(home, name, now)
    for _, message in stored_pages(home, name).messages():
        page = await reread(message, means, now) if message else None
        if page is None:
            continue
        reasons[page.reason] += 1
        documents += page.documents
        if reasons.total() % COMMIT_EVERY == 0:
            home.commit()
            show(f"{counted(reasons.total(), 'page')} read again")
    home.commit()
    seconds = round(time.perf_counter() - began, 3)
    return Applied(
        pages=reasons.total(), documents=documents, reasons=dict(reasons), seconds=seconds
    )


def forget_counts(home: Home, name: str, now: float) -> None:
    """Forget what templates found this hour, before they were changed: all is counted again."""
    for template in templates_in(home):
        if name in ("", template.name):
            home.template_health.forget(template.name, now)


def stored_pages(home: Home, name: str) -> StoredPages:
    """The pages that are of one template or of any, or were."""
    templates = templates_in(home)

    def concerned(url: str, was: str) -> bool:
        now = template_for(url, templates)
        names = {was, now.name if now else ""} - {""}
        return name in names if name else bool(names)

    return StoredPages(home, concerned)


def to_text(done: Applied) -> str:
    """What was done, for people."""
    lines = _sent_lines(done) if done.sent else _read_lines(done)
    if done.outdated:
        lines.append(
            f"{counted(done.outdated, 'document')} of the index have another schema; when no"
            " message waits for PARSE and INDEX (`gossamer stats`), `gossamer reindex` indexes all"
            " anew"
        )
    return "\n".join(lines)


def _read_lines(done: Applied) -> list[str]:
    return [
        f"{counted(done.pages, 'page')} read again in {done.seconds:.1f} s:"
        f" {counted(done.documents, 'document')}",
        *(f"  {count:,} {reason}" for reason, count in sorted(done.reasons.items())),
    ]


def _sent_lines(done: Applied) -> list[str]:
    went_on = ", going on with what was interrupted" if done.resumed else ""
    return [
        f"{counted(done.sent, 'page')} sent to PARSE in {done.seconds:.1f} s{went_on}; the"
        " documents that there are answer until theirs have come (`gossamer stats`)"
    ]
