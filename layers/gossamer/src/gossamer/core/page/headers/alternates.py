"""The same page in other languages, as a page or its response names them (hreflang)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from gossamer.core.urls import normalise

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.core.urls import UrlRules

MAX_ALTERNATES: Final = 100
_is_language = re.compile(r"[a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,3}|x-default", re.ASCII).fullmatch


def alternates(links: Iterable[tuple[str, str]], base: str, rules: UrlRules) -> dict[str, str]:
    """URLs by language, from pairs of hreflang and href; of two for a language the first."""
    found: dict[str, str] = {}
    for language, href in links:
        language = language.strip().lower()
        if len(found) == MAX_ALTERNATES or not _is_language(language):
            continue
        url = normalise(href, base, rules) if language not in found else None
        if url is not None:
            found[language] = url
    return found
