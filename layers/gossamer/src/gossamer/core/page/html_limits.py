"""Bound hostile HTML before it is parsed.

The HTML standard lets a small page cost a lot. Measured with lexbor 2.4 and resiliparse 1.1:
100,000 nested <div> take 22 s to parse (each asks the whole stack whether a <p> is open); 31 KB of
unclosed <font a1><font a2>… followed by <p>… become 4 million elements and 1.4 GB (each paragraph
reopens them all); 50,000 attributes on one element take 8 s. Ordinary pages only pay for counting.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# How many tags it takes to do harm: 10,000 levels cost 2 s, and 1,500 tags multiply to 560,000.
SOME_TAGS = 1_500
MANY_TAGS = 10_000
# From here on every tag is looked at. Below, end tags inside of comments or of attributes may hide
# how deep a page is, which then costs 6 s at the worst.
VERY_MANY_TAGS = 50_000

# 10 MB of "<p a>" are 2 million elements and 1 GB; this many take 420 MB at the worst.
MAX_ELEMENTS = 500_000
MAX_DEPTH = 1_000  # Chromium stops at 512
MAX_REOPENED = 2_000_000  # elements that exist only because others were not closed; 350 bytes each
MAX_ATTRIBUTES = 1_000
LONG_TAG = 16 * 1024  # characters
# From here on a ">" inside of quotes does not hide how long a tag is: looking closely takes a
# fifteenth of the time of parsing. Shorter pages cost 2 s at the worst.
LONG_PAGE = 64 * 1024

_FORMATTING = frozenset(str.split("b big code em font i nobr s small strike strong tt u"))
# Elements that hold nothing, or that end where the next of their kind begins.
_SHALLOW = frozenset(
    str.split(
        "area br col embed hr img input link meta param source track wbr p li dd dt option optgroup"
        " tr td th tbody thead tfoot caption colgroup rp rt a button h1 h2 h3 h4 h5 h6"
    )
)
# Those whose start asks for an open <p>; written "<div/>" they are open all the same.
_BLOCKS = frozenset(
    str.split(
        "address article aside blockquote body center details dialog dir div dl fieldset figcaption"
        " figure footer form header hgroup html listing main menu nav ol pre section summary table"
        " ul"
    )
)
# What is left of a hostile page: its words, its links and its headings.
_KEPT = frozenset(
    str.split(
        "a area base br frame h1 h2 h3 h4 h5 h6 iframe img link meta p script style time title"
    )
)

_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(/?)([a-zA-Z][^\s/>]*+)(?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+>?",
    re.DOTALL,
)
# All that is not a tag with very many attributes: up to 100 with a value and 2,000 characters
# between two values are plain. Scripts and comments are passed over.
_PLAIN_TAGS = re.compile(
    r"(?:[^<]++"
    r"|<(?![a-zA-Z!])"
    r"|<!(?:--(?:[^-]++|-(?!->))*+)?+"
    r"|<(?i:script|style)\b(?:[^<]++|<(?!/))*+"
    r"|<[a-zA-Z][^>=]{0,2000}+"
    r"(?:=\s*+(?:\"[^\"]*+\"|'[^']*+')?+[^>=]{0,2000}+){0,100}+(?:>|\Z)"
    r")*+"
)
_FIRST_ELEMENTS = re.compile(rf"(?:(?:[^<]++|</)*+<){{{MAX_ELEMENTS}}}+")
# Formatting tags with attributes. Spelled in capitals, any name counts that begins like one: a
# pattern that ignores case takes four times as long.
_ODD_FORMAT = re.compile(
    r"<((?:b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u"
    r"|[BCEFINSTU][a-zA-Z]*+|[bcefinstu][a-z]*+[A-Z][a-zA-Z]*+))[\s/][^>]*"
)
_find_odd_formats = re.compile(_ODD_FORMAT.pattern.replace("<((?:", "<(?:(?:")).findall
_QUOTED_VALUE = re.compile(r"=\s*(?:\"[^\"]*\"|'[^']*')")


def tame(html: str) -> str:
    """The page itself, or as much of it as can be parsed in bounded time and memory."""
    if len(html) > 2 * LONG_TAG:
        html = _without_crowded_tags(html)
    tags = html.count("<")
    if tags <= SOME_TAGS:
        return html
    if tags > MAX_ELEMENTS:
        html = _beginning(html)
    if (tags > VERY_MANY_TAGS or (tags > MANY_TAGS and _seems_deep(html))) and _is_hostile(html):
        return _TOKEN.sub(_keep_or_drop, html)
    if _may_multiply(html, tags):
        return _ODD_FORMAT.sub(r"<\1", html)
    return html


def _beginning(html: str) -> str:
    """As much of a page as has a bearable number of elements, give or take a comment."""
    first = _FIRST_ELEMENTS.match(html)
    return html[: first.end() - 1] if first else html


def _may_multiply(html: str, tags: int) -> bool:
    """Whether unclosed formatting could be reopened too often: each paragraph reopens all of it,
    but no more than three that are written alike.
    """
    if tags > VERY_MANY_TAGS:
        return False  # it was looked at closely
    alike = 3 * (len(_FORMATTING) + len(set(_find_odd_formats(html))))
    return alike * tags > MAX_REOPENED


def _seems_deep(html: str) -> bool:
    """Whether start tags outnumber end tags by far, anywhere."""
    step = len(html) // 64 + 1
    excess = 0
    for start in range(0, len(html), step):
        end = start + step
        excess += html.count("<", start, end) - 2 * html.count("</", start, end)
        if excess > MAX_DEPTH:
            return True
    return False


def _is_hostile(html: str) -> bool:
    """Whether elements nest too deeply or multiply, judged as if no end tag were forgiven."""
    stack: list[str] = []
    formats = reopened = 0
    for token in _TOKEN.finditer(html):
        end, name = token.groups()
        if name is None:
            continue
        name = name.lower()
        reopened += formats
        if end:
            if stack and stack[-1] == name:
                formats -= stack.pop() in _FORMATTING
        elif _nests(name, token):
            stack.append(name)
            formats += name in _FORMATTING
            if len(stack) > MAX_DEPTH or reopened > MAX_REOPENED:
                return True
    return reopened > MAX_REOPENED


def _nests(name: str, token: re.Match[str]) -> bool:
    if name in _SHALLOW:
        return False
    # "<path/>" is how SVG closes.
    return name in _BLOCKS or not token.string.endswith("/>", token.start(), token.end())


def _keep_or_drop(token: re.Match[str]) -> str:
    name = token[2]
    return token[0] if name and name.lower() in _KEPT else " "


def _without_crowded_tags(html: str) -> str:
    """Without the attributes of tags that have thousands of them."""
    tokens = _odd_tags(html) if len(html) > LONG_PAGE else _long_tags(html)
    spans = [
        (token.start(), token.end(), f"<{token[2]}>")
        for token in tokens
        if token[2] and _is_crowded(token[0])
    ]
    return _replaced(html, spans) if spans else html


def _long_tags(html: str) -> Iterator[re.Match[str]]:
    passed = 0
    for at in range(0, len(html) - LONG_TAG, LONG_TAG):
        if at < passed or html.find(">", at, at + LONG_TAG) >= 0:
            continue
        start = html.rfind("<", max(passed, at - LONG_TAG), at + 1)
        token = _TOKEN.match(html, start) if start >= 0 else None
        if token:
            yield token
            passed = token.end()


def _odd_tags(html: str) -> Iterator[re.Match[str]]:
    at = 0
    while (plain := _PLAIN_TAGS.match(html, at)) and plain.end() < len(html):
        token = _TOKEN.match(html, plain.end())
        if token is None:
            return
        yield token
        at = token.end()


def _is_crowded(tag: str) -> bool:
    return len(_QUOTED_VALUE.sub(" ", tag).replace("/", " ").split()) > MAX_ATTRIBUTES


def _replaced(html: str, spans: list[tuple[int, int, str]]) -> str:
    parts: list[str] = []
    passed = 0
    for start, end, tag in spans:
        parts += (html[passed:start], tag)
        passed = end
    return "".join(parts) + html[passed:]
