"""What changed in the text of a page between two stored versions, as a page that does nothing."""

from __future__ import annotations

from difflib import SequenceMatcher
from html import escape
from typing import TYPE_CHECKING

from gossamer.core.page.read_response import StoredResponse
from gossamer.entrypoints.api.views.stored_copy import day_of, link_to, to_html, whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.entrypoints.api.views.stored_copy import PageCopy

MAX_LINES = 1_000  # of each version, between what is equal at both ends: comparing is quadratic
MAX_LINE = 2_000  # characters
CONTEXT = 2  # unchanged lines that are shown around what changed


def to_changes(before: PageCopy | None, after: PageCopy | None) -> str:
    """The page; raises NotShown if one of the versions may not be shown, or is not there."""
    for copy in (before, after):
        to_html(copy)  # what may not be shown may not be compared
    assert before is not None  # noqa: S101 — `to_html` has refused it
    assert after is not None  # noqa: S101
    old, new = _lines(before), _lines(after)
    shown = "".join(_changes(old, new)) or "<p>The text is the same.</p>"
    banner = (
        f'<div class="gossamer-copy" role="note">What changed in the text of'
        f" {link_to(after.page.url)} from {day_of(before)} to {day_of(after)}."
        ' <a href="cached">Back to the copy</a></div>\n'
    )
    return whole(f"Changes of {after.page.url}", banner + shown)


def _lines(copy: PageCopy) -> list[str]:
    """Title and text, as the index has them."""
    from gossamer.core.page.charset import decode
    from gossamer.core.page.html import parse_page

    response = StoredResponse(copy.page.body, copy.page.url, copy.page.headers)
    kind = response.content_type
    if response.media_type == "text/plain":
        text = decode(response.body, kind)
    else:
        parsed = parse_page(response.body, response.url, content_type=kind)
        text = "\n".join(f"{each.title}\n{each.text}" for each in parsed.documents)
    return [line.strip()[:MAX_LINE] for line in text.splitlines() if line.strip()]


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """The changed lines with some around them."""
    head = _equal(old, new)
    tail = _equal(old[head:][::-1], new[head:][::-1])
    first = max(0, head - CONTEXT)
    ends = [max(head, len(lines) - tail) + CONTEXT for lines in (old, new)]
    is_cut = any(end - first > MAX_LINES for end in ends)
    a, b = (
        lines[first : min(end, first + MAX_LINES)]
        for lines, end in zip((old, new), ends, strict=True)
    )
    groups = SequenceMatcher(None, a, b, autojunk=False).get_grouped_opcodes(CONTEXT)
    for number, group in enumerate(groups):
        yield "<hr>\n" if number else ""
        for kind, i1, i2, j1, j2 in group:
            if kind == "equal":
                yield from (f"<p>{escape(line)}</p>\n" for line in a[i1:i2])
            else:
                yield from (f"<p><del>- {escape(line)}</del></p>\n" for line in a[i1:i2])
                yield from (f"<p><ins>+ {escape(line)}</ins></p>\n" for line in b[j1:j2])
    if is_cut:
        yield f"<p>More than {MAX_LINES:,} lines lie between the first change and the last.</p>\n"


def _equal(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines are equal from the beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))
