"""A document as markdown: its title, where and when it was found, and its main text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.core.search.result import DocumentView

MARKDOWN = "text/markdown"

# What would mean something in markdown where a page means the character itself.
_escape_signs = re.compile(r"[\\`*\[\]<]|(?<!\w)_|_(?!\w)|&(?=#?\w{1,31};)").sub
_escape_start = re.compile(r"^(\s*)(#|>|=+\s*$|-{2,}\s*$)").sub
_read_wish = re.compile(r"\s*([\w*.+-]+/[\w*.+-]+)\s*(?:;.*?\bq\s*=\s*([\d.]{1,5}))?").match


def to_markdown(view: DocumentView) -> str:
    """A document for those who read markdown."""
    facts = [f"<{view.url}>"]
    facts += [_dated(view)] if view.date else []
    facts += [f"fetched {view.fetched_at}"] if view.fetched_at else []
    blocks = [
        f"# {_plain(view.title) or view.url}",
        " · ".join(facts),
        *_values(view),
        *_body(view),
    ]
    return "\n\n".join(blocks) + "\n"


def _dated(view: DocumentView) -> str:
    """When it was published; of what says only when it changed, that."""
    return f"{'published' if view.date == view.published_at else 'changed'} {view.date}"


def prefers_markdown(accept: str) -> bool:
    """Whether an Accept header names markdown, and nothing that it likes better."""
    wishes = {}
    for part in accept.lower().split(","):
        if found := _read_wish(part):
            wishes[found[1]] = _quality(found[2])
    wish = wishes.get(MARKDOWN, 0.0)
    return wish > 0 and wish >= wishes.get("application/json", 0.0)


def _quality(text: str | None) -> float:
    try:
        return float(text or 1)
    except ValueError:
        return 0.0


def _values(view: DocumentView) -> list[str]:
    if not view.values:
        return []
    lines = (
        f"- {_plain(name)}: {_plain(_shown(value))}" for name, value in sorted(view.values.items())
    )
    return ["\n".join(lines)]


def _shown(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _body(view: DocumentView) -> Iterator[str]:
    """The text, where a line that is a heading of the page is one again."""
    headings = {" ".join(heading.split()) for heading in view.headings}
    title, block = " ".join(view.title.split()), list[str]()
    for line in [*view.text.splitlines(), ""]:
        words = " ".join(line.split())
        if words and words not in headings:
            block.append(_plain(line.rstrip()))
            continue
        if block:
            yield "\n".join(block)
            block = []
        if words and words != title:
            yield f"## {_plain(words)}"


def _plain(text: str) -> str:
    return _escape_start(r"\1\\\2", _escape_signs(r"\\\g<0>", text))
