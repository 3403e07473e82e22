"""A document as markdown: its title, where and when it was found, and its main text."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from gossamer.core.page.values import Image, Link, each, in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gossamer.core.page.values import Scalar, Value
    from gossamer.core.search.result import DocumentView

MARKDOWN = "text/markdown"

# What would mean something in markdown where a page means the character itself.
_escape_signs = re.compile(r"[\\`*\[\]<]|(?<!\w)_|_(?!\w)|&(?=#?\w{1,31};)").sub
_escape_start = re.compile(r"^(\s*)(#|>|=+\s*$|-{2,}\s*$)").sub
MIN_CODE_SHARE = 0.5  # of the lines of a paragraph that only a listing would have
# How a line of code, of a command or of a session begins or ends.
_has_code_sign = re.compile(
    r"""
    [{};]\s*\Z                                      # a block, a statement
    | \w\([^()]*\)\)*[:,]?\s*\Z                    # a call
    | \A\s*(?:[$%]\ \S|>>>\ |\#!|//|/\*|[})\]]+[;,]?\s*\Z|<[/!?\w][^>]*>)
    | \A\s*(?:def|class|import|from|return|const|let|var|func|fn|public|private|static|\#include
      |using|package|sudo|pip|npm|apt-get|git|docker|export)\s+[\w{<"'.*-]+
    | \w\s*(?:=|[-+*/|&:]=|[=!]=|=>|->)\s*[\w"'({\[-]   # an assignment, a comparison
    | \s--?\w[\w-]*                                 # an option
    """,
    re.VERBOSE,
).search
_is_sentence = re.compile(r"\s*[\"'“„(¿¡]?[A-Za-z][a-z'’]*,?(?: [\w'’-]+,?){4}").match
_find_ticks = re.compile(r"`+").findall
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
    lines = (f"- {_plain(name)}: {_shown(value)}" for name, value in sorted(view.values.items()))
    return ["\n".join(lines)]


def _shown(value: Value) -> str:
    return ", ".join(map(_said, each(value)))


def _said(scalar: Scalar) -> str:
    if isinstance(scalar, Link | Image):
        return f"{_plain(scalar.text)} <{scalar.url}>".strip()
    return _plain(in_words(scalar))


class _Block(NamedTuple):
    """A heading, a paragraph, or the paragraphs of a listing."""

    kind: str  # "heading", "code", or "" for text
    lines: list[str]


def _body(view: DocumentView) -> Iterator[str]:
    """The text, where a line that is a heading of the page is one again, and code is fenced."""
    title = " ".join(view.title.split())
    for kind, blocks in groupby(_joined(list(_blocks(view))), key=lambda block: block.kind):
        if kind == "code":
            yield _fenced([block.lines for block in blocks])
            continue
        for block in blocks:
            if not kind:
                yield "\n".join(_plain(line.rstrip()) for line in block.lines)
            elif (heading := " ".join(block.lines[0].split())) != title:
                yield f"## {_plain(heading)}"


def _blocks(view: DocumentView) -> Iterator[_Block]:
    headings = {" ".join(heading.split()) for heading in view.headings}
    lines: list[str] = []
    for line in [*view.text.splitlines(), ""]:
        words = " ".join(line.split())
        if words and words not in headings:
            lines.append(line)
            continue
        if lines:
            yield _Block("code" if _is_code(lines) else "", lines)
            lines = []
        if words:
            yield _Block("heading", [words])


def _joined(blocks: Sequence[_Block]) -> Iterator[_Block]:
    """The blocks; what stands between two pieces of code and is no sentence is code as well."""
    kinds = ["", *(block.kind for block in blocks), ""]
    for block, before, after in zip(blocks, kinds, kinds[2:], strict=False):
        is_between = before == after == "code" and not block.kind
        is_code = is_between and not any(map(_is_sentence, block.lines))
        yield _Block("code", block.lines) if is_code else block


def _is_code(lines: Sequence[str]) -> bool:
    """Tell whether a paragraph is a part of a listing: a text keeps how its lines are indented."""
    if len(lines) == 1 and lines[0].lstrip().startswith("<"):
        return False  # a text may well be about one tag
    signs = sum(1 for line in lines if _has_code_sign(line) and not _is_sentence(line))
    return signs > MIN_CODE_SHARE * len(lines) or signs == len(lines)


def _fenced(paragraphs: Iterable[list[str]]) -> str:
    code = "\n\n".join("\n".join(line.rstrip() for line in lines) for lines in paragraphs)
    longest = max((len(ticks) for ticks in _find_ticks(code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{code}\n{fence}"


def _plain(text: str) -> str:
    return _escape_start(r"\1\\\2", _escape_signs(r"\\\g<0>", text))
