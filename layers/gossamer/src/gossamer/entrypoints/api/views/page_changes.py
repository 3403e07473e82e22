"""What changed in the text of a page between two stored versions, as a page that does nothing."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple

from gossamer.core.page.read_response import StoredResponse
from gossamer.entrypoints.api.views.stored_copy import day_of, link_to, to_html, whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.entrypoints.api.views.stored_copy import PageCopy

# Of each version, between what is equal at both ends. Comparing them takes a millisecond at most.
MAX_LINES = 1_000
MAX_LINE = 2_000  # characters
CONTEXT = 2  # unchanged lines that are shown around what changed


class Change(NamedTuple):
    """Lines of the older version, and the lines of the newer one in their place."""

    start: int
    end: int
    new_start: int
    new_end: int


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
    for number, hunk in enumerate(hunks(a, b)):
        yield "<hr>\n" if number else ""
        shown = max(0, hunk[0].start - CONTEXT)
        for change in hunk:
            yield from (f"<p>{escape(line)}</p>\n" for line in a[shown : change.start])
            deleted, shown = a[change.start : change.end], change.end
            inserted = b[change.new_start : change.new_end]
            yield from (f"<p><del>- {escape(line)}</del></p>\n" for line in deleted)
            yield from (f"<p><ins>+ {escape(line)}</ins></p>\n" for line in inserted)
        yield from (f"<p>{escape(line)}</p>\n" for line in a[shown : shown + CONTEXT])
    if is_cut:
        yield f"<p>More than {MAX_LINES:,} lines lie between the first change and the last.</p>\n"


def hunks(a: Sequence[str], b: Sequence[str]) -> list[list[Change]]:
    """Return the fewest changes that make `b` of `a`, grouped where their contexts touch."""
    grouped: list[list[Change]] = []
    for change in _line_changes(a, b):
        if grouped and change.start - grouped[-1][-1].end <= 2 * CONTEXT:
            grouped[-1].append(change)
        else:
            grouped.append([change])
    return grouped


def _line_changes(a: Sequence[str], b: Sequence[str]) -> list[Change]:
    """Compare by a longest common subsequence, in time that does not depend on what repeats."""
    from rapidfuzz.distance import Indel  # which no other answer needs

    numbers: dict[str, int] = {}  # by line, so that equal numbers mean equal lines
    old, new = ([numbers.setdefault(line, len(numbers)) for line in lines] for lines in (a, b))
    changes: list[Change] = []
    for edit in Indel.opcodes(old, new):
        if edit.tag == "equal":
            continue
        change = Change(edit.src_start, edit.src_end, edit.dest_start, edit.dest_end)
        last = changes[-1] if changes else None
        if last and (last.end, last.new_end) == (change.start, change.new_start):
            changes[-1] = Change(last.start, change.end, last.new_start, change.new_end)
        else:
            changes.append(change)
    return changes


def _equal(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines are equal from the beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))
