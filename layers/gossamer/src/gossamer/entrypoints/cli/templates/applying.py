"""Read the pages of templates again, from the WARC, and index what they have now."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from gossamer.batch.reread import Rereading
from gossamer.core.page.templates.matching import template_for
from gossamer.entrypoints.cli.templates.keeping import templates_in
from gossamer.entrypoints.local.report import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.messages import Emission
    from gossamer.ports.home import Home
    from gossamer.ports.parser import Parser

COMMIT_EVERY = 100  # pages


class Applied(msgspec.Struct, frozen=True):
    """What came of pages that were read again."""

    pages: int
    documents: int
    reasons: dict[str, int]
    seconds: float
    outdated: int = 0  # documents that were indexed by another schema


def apply(
    home: Home,
    parser: Parser,
    name: str,
    send: Callable[[list[Emission]], None],
    show: Callable[[str], None],
) -> Applied:
    """Read the pages of one template again, or of all, and hand on what must be indexed."""
    return asyncio.run(_apply(home, parser, name, send, show))


async def _apply(
    home: Home,
    parser: Parser,
    name: str,
    send: Callable[[list[Emission]], None],
    show: Callable[[str], None],
) -> Applied:
    began, reasons, documents = time.perf_counter(), Counter[str](), 0
    now = time.time()
    for template in templates_in(home):
        if name in ("", template.name):  # what it found this hour, before it was changed
            home.template_health.forget(template.name, now)
    async for page in Rereading(home, parser, _concerned(home, name)).pages(now):
        reasons[page.reason] += 1
        documents += page.documents
        send(page.emissions)
        if reasons.total() % COMMIT_EVERY == 0:
            home.commit()
            show(f"{counted(reasons.total(), 'page')} read again")
    home.commit()
    seconds = round(time.perf_counter() - began, 3)
    return Applied(reasons.total(), documents, dict(reasons), seconds)


def _concerned(home: Home, name: str) -> Callable[[str, str], bool]:
    """Whether a page is one of a template, or was."""
    templates = templates_in(home)

    def concerned(url: str, was: str) -> bool:
        now = template_for(url, templates)
        names = {was, now.name if now else ""} - {""}
        return name in names if name else bool(names)

    return concerned


def to_text(done: Applied) -> str:
    """What was done, for people."""
    lines = [
        f"{counted(done.pages, 'page')} read again in {done.seconds:.1f} s:"
        f" {counted(done.documents, 'document')}"
    ]
    lines += [f"  {count:,} {reason}" for reason, count in sorted(done.reasons.items())]
    if done.outdated:
        lines.append(
            f"{counted(done.outdated, 'document')} of the index have another schema; when no"
            " message waits for INDEX (`gossamer stats`), `gossamer reindex` indexes all anew"
        )
    return "\n".join(lines)
