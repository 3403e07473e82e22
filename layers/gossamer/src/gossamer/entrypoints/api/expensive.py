"""Which requests are likely to take long, by their addresses and what they ask a tool.

Only what is far beyond usual counts: of a hundred thousand documents, a prefix of one letter,
facets or another order take some hundredths of a second. What is missed here is found by trying.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

from gossamer.entrypoints.mcp.protocol import has_tool_call

SEARCHES = ("/search", "/search.rss", "/html")
USUAL_LIMIT = 10
MOST_STARS = 2  # prefixes
MOST_ADDRESSES = 2  # filters that read every address
MOST_WORDS = 20
MOST_RESULTS = 50  # that are written, or explained
MOST_RANKS = 500  # that are computed above the results

# A stored copy may be of a page that takes long to parse.
_is_slow_page = re.compile(r"/documents/[^/]+/cached").fullmatch


def looks_slow(target: str, body: bytes = b"") -> bool:
    """Return whether a request is likely to take long."""
    path, _, query = target.partition("?")
    if path == "/mcp":
        return has_tool_call(body.decode("utf-8", "replace"))
    if path == "/search" and body:  # sent by POST, because it is long
        return True
    if path not in SEARCHES:
        return _is_slow_page(path) is not None
    given = parse_qsl(query)
    asked = dict(given)
    filters = [value for name, value in given if name == "filter"]
    return _is_wide(" ".join([asked.get("q", ""), *filters])) or _is_long(asked)


def _is_wide(q: str) -> bool:
    stars, addresses = q.count("*"), q.count("url:")
    return stars > MOST_STARS or addresses > MOST_ADDRESSES or len(q.split()) > MOST_WORDS


def _is_long(asked: dict[str, str]) -> bool:
    limit = _number(asked.get("limit", ""), USUAL_LIMIT)
    explained = 5 if asked.get("explain", "f")[0] in "t1" else 1
    return (
        explained * limit > MOST_RESULTS or limit * _number(asked.get("page", ""), 1) > MOST_RANKS
    )


def _number(text: str, usual: int) -> int:
    return int(text) if text.isdecimal() and len(text) < 9 else usual
