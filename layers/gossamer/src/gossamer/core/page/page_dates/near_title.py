"""The date that stands near the title of a page, where readers look for it.

It stands alone: in a text of its own, behind "Published on" and the like, or in a time element. A
date within a sentence, or one far from the title, is about something else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from gossamer.core.page.dates import is_date
from gossamer.core.page.page_dates.written import iso_date

if TYPE_CHECKING:
    from collections.abc import Iterator

# Characters of the markup before the title and behind it, and of texts: a byline is near.
BEFORE, BEHIND = 6_000, 12_000
TEXT_BEFORE, TEXT_BEHIND = 400, 800
_find_title = re.compile(r"<h1[\s>]", re.IGNORECASE).search
_find_tokens = re.compile(
    r"<(script|style|svg|noscript|option|template)\b.*?(?:</\1|\Z)"
    r"|<time\b[^>]*?\bdatetime\s*+=\s*+[\"']?([^\"'>]{4,64}+)"
    r"|<[^>]*+>?"
    r"|([^<]++)",
    re.IGNORECASE | re.DOTALL,
).finditer
# What people write before a date, and after it.
_LABEL: Final = re.compile(
    r"(?:(?:first|last|date|article|blog|post)\s)?"
    r"(?:published|posted|updated|written|created|modified|date|veröffentlicht|aktualisiert|stand"
    r"|publié|mis à jour|publicado|actualizado|pubblicato|aggiornato|gepubliceerd|opublikowano"
    r"|опубликовано)"
    r"(?:\s(?:on|am|le|el|il|op|em|by))?\s?:?\s",
    re.IGNORECASE,
)
_has_year = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|年").search
_ends = re.compile(r"\s*[|·•].*+|\s+(?:at|um|à)\s+\d.*+|\s*[-–—]\s+.*+", re.DOTALL)
MAX_TEXT: Final = 60
MAX_WORDS: Final = 4  # as in "16 de mayo de 2022"
MAX_SMALL_WORD: Final = 3  # letters: "of", "Feb"
_WEEKDAY: Final = re.compile(r"^[^\W\d_]{2,12}\.?,\s|^[^\W\d_]{6,12}\s(?=\d{1,2}\.?\s)")
_find_numbers = re.compile(r"\d+").findall
_find_words = re.compile(r"[^\W\d_]+").findall


def date_near_title(html: str, language: str = "") -> str:
    """The date beside the first heading of a page, as ISO 8601 has it; "" if there is none."""
    title = _find_title(html)
    if title is None:
        return ""
    behind = html[title.start() : title.start() + BEHIND]
    found = next(_dates(behind, language, TEXT_BEHIND), "") if _may_have_year(behind) else ""
    if found:
        return found
    before = html[max(0, title.start() - BEFORE) : title.start()]
    if not _may_have_year(before):
        return ""
    before = before[before.find("<") :]
    texts = [each for each in _texts(before) if each.strip()]
    near, size = [], 0
    for text in reversed(texts):
        size += len(text.strip())
        if size > TEXT_BEFORE:
            break
        near.append(text)
    return next(filter(None, (_alone(text, language) for text in near)), "")


def _may_have_year(markup: str) -> bool:
    """False only if no year is there: that is known in a hundredth of the time of reading it."""
    return "20" in markup or "19" in markup or "年" in markup


def _dates(markup: str, language: str, limit: int) -> Iterator[str]:
    size = 0
    for text in _texts(markup):
        text = text.strip()
        size += len(text)
        if size > limit:
            return
        if found := _alone(text, language):
            yield found


def _texts(markup: str) -> Iterator[str]:
    for token in _find_tokens(markup):
        text = token[2] or token[3]
        if text:
            yield text


def _alone(text: str, language: str) -> str:
    """The date that is all of a text."""
    if not 8 <= len(text) <= MAX_TEXT + 40 or not _has_year(text):
        return ""
    text = " ".join(text.split())
    if is_date(text):  # as a time element declares it
        return text
    text = _ends.sub("", _LABEL.sub("", text, count=1)).strip(" ,:|•·()")
    return iso_date(text, language) if 8 <= len(text) <= MAX_TEXT and _is_bare(text) else ""


def _is_bare(text: str) -> bool:
    """Whether a text has the numbers of a day, a month's name, and hardly a word more."""
    numbers, words = _find_numbers(text), _find_words(_WEEKDAY.sub("", text, count=1))
    long = [word for word in words if len(word) > MAX_SMALL_WORD]
    return len(numbers) <= 3 and len(long) <= (len(numbers) < 3) and len(words) <= MAX_WORDS
