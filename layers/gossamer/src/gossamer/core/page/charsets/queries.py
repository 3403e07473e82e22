"""Queries of links on pages that are not in UTF-8: browsers send them in the page's encoding."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote

UTF_8: Final = "utf-8"
_find_letters: Final = re.compile(r"[^\x00-\x7f]+").sub
# Where the decoder of browsers reads more than their encoder writes, or the reverse.
_WRITES: Final = {"big5hkscs": "cp950", "iso2022_jp": "iso2022_jp_ext"}


def in_charset(href: str, codec: str) -> str:
    """A link with its query as a browser sends it from a page in an encoding."""
    if codec == UTF_8 or href.isascii() or "?" not in href or codec.startswith("utf-"):
        return href
    path, mark, rest = href.partition("?")
    query, hash_, fragment = rest.partition("#")
    written = _find_letters(lambda found: _escaped(found[0], codec), query)
    return f"{path}{mark}{written}{hash_}{fragment}"


def _escaped(letters: str, codec: str) -> str:
    """What the encoding does not have is named by its number, as in HTML."""
    body = letters.encode(_WRITES.get(codec, codec), "xmlcharrefreplace")
    return quote(body, safe="!$()*+,-./:;=?@_~")
