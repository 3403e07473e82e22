"""Adds the text that a page declares in its linked data and shows only with the help of scripts."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

from gossamer.core.page.main_text.page_type import PageType
from gossamer.core.page.structured.page_data import PageData

if TYPE_CHECKING:
    from collections.abc import Sequence

MISSING = 0.5  # of the words of a declared text, for it to be added
MAX_DECLARED = 100_000  # characters of one

_SOURCES = {
    PageType.PRODUCT: "jsonld:Product.description",
    PageType.ARTICLE: "jsonld:articleBody",
}
_MARKUP = re.compile(r"<[^<>]{0,500}>")
_find_words = re.compile(r"\w{3,}").findall


def with_scripted_text(html: str, text: str, kind: PageType) -> str:
    """The text, behind the one that is declared where that says what is not shown."""
    source = _SOURCES.get(kind)
    if source is None or "ld+json" not in html:
        return text
    declared = _first_text(PageData(html, "").lookup(source))
    return f"{declared}\n\n{text}".strip() if _is_missing(declared, text) else text


def _first_text(found: Sequence[object]) -> str:
    texts = (value for value in found if isinstance(value, str))
    return unescape(_MARKUP.sub(" ", unescape(next(texts, "")[:MAX_DECLARED]))).strip()


def _is_missing(declared: str, text: str) -> bool:
    words = set(_find_words(declared.lower()))
    return len(words - set(_find_words(text.lower()))) > MISSING * len(words)
