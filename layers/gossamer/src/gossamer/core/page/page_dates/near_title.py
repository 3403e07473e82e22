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
    from collections.abc import Iterable, Sequence

# Characters of the markup before the title and behind it, and of texts: a byline is near.
BEFORE, BEHIND = 6_000, 12_000
TEXT_BEFORE, TEXT_BEHIND = 400, 800
_find_title = re.compile(r"<h1[\s>]", re.IGNORECASE).search
_find_name = re.compile(r"<title[^>]{0,200}>([^<]{0,300})</title", re.IGNORECASE).search
_find_tokens = re.compile(
    r"<(script|style|svg|noscript|option|template)\b.*?(?:</\1|\Z)"
    r"|<time\b[^>]*?\bdatetime\s*+=\s*+[\"']?([^\"'>]{4,64}+)"
    r"|<[^>]*+>?"
    r"|([^<]++)",
    re.IGNORECASE | re.DOTALL,
).finditer
# What people write before a date; what only changed then may have a date of its own.
_OPENS: Final = r"(?:(?:first|last|date|article|blog|post)\s)?"
_CLOSES: Final = r"(?:\s(?:on|am|le|el|il|op|em|by))?\s?:?\s"
_PUBLISHED: Final = (
    "published|posted|written|created|date|veröffentlicht|publié|publicado|pubblicato|gepubliceerd"
    "|opublikowano|опубликовано"
)
_UPDATED: Final = "updated|modified|aktualisiert|stand|mis à jour|actualizado|aggiornato"
_LABEL: Final = re.compile(f"{_OPENS}(?:{_PUBLISHED}|{_UPDATED}){_CLOSES}", re.IGNORECASE)
_tells_update = re.compile(rf"\s*{_OPENS}(?:{_UPDATED})\b", re.IGNORECASE).match
_has_year = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|年").search
_parts_of = re.compile(r"\s*[|·•]\s*|\s+(?:at|um|à)\s+(?=\d)|\s*[-–—]\s+").split
MAX_TEXT: Final = 60
MIN_NAME: Final = 8  # characters; a shorter title may be anywhere
MAX_WORDS: Final = 4  # as in "16 de mayo de 2022"
MAX_SMALL_WORD: Final = 3  # letters: "of", "Feb"
_WEEKDAY: Final = re.compile(r"^[^\W\d_]{2,12}\.?,\s|^[^\W\d_]{6,12}\s(?=\d{1,2}\.?\s)")
_find_numbers = re.compile(r"\d+").findall
_find_words = re.compile(r"[^\W\d_]+").findall


def date_near_title(html: str, language: str = "") -> str:
    """The date beside the first heading of a page, as ISO 8601 has it; "" if there is none.

    Of two, the one of an update counts less.
    """
    title = _place_of_title(html)
    if title < 0:
        return ""
    behind = _texts(html[title : title + BEHIND], TEXT_BEHIND)
    if found := _first(behind, range(len(behind)), TEXT_BEHIND, language):
        return found
    before = html[max(0, title - BEFORE) : title]
    above = _texts(before[before.find("<") :], BEFORE)
    return _first(above, reversed(range(len(above))), TEXT_BEFORE, language)


def _place_of_title(html: str) -> int:
    """Where the first heading is, or what the head calls the title; -1 if neither is shown."""
    if found := _find_title(html):
        return found.start()
    named = _find_name(html)
    name = _parts_of(named[1].strip())[0] if named else ""
    return html.find(f">{name}<", named.end()) if named and len(name) >= MIN_NAME else -1


def _texts(markup: str, limit: int) -> list[str]:
    """The texts that are shown, until they are longer than `limit`; none if no year is there."""
    found: list[str] = []
    size = 0
    for token in _find_tokens(markup) if _has_years(markup) else ():
        kind = token.lastindex  # none of a tag, 1 of what is not shown
        if kind and kind > 1 and (text := token[kind].strip()):
            found.append(text)
            size += len(text)
            if size > limit:
                break
    return found


def _has_years(markup: str) -> bool:
    """False only if no year is there: that is known in a hundredth of the time of reading it."""
    return "年" in markup or any(_has_century(markup, first) for first in ("19", "20"))


def _has_century(markup: str, first: str) -> bool:
    at = markup.find(first)
    while at >= 0:
        if markup[at + 2 : at + 4].isdecimal():
            return True
        at = markup.find(first, at + 1)
    return False


def _first(texts: Sequence[str], places: Iterable[int], limit: int, language: str) -> str:
    """The first date in so much text; that of an update only if there is no other."""
    updated, size = "", 0
    for place in places:
        text = texts[place]
        size += len(text)
        if size > limit:
            break
        if not _may_be_date(text):  # most texts, of which nothing else needs to be known
            continue
        is_update = _is_of_update(texts, place)
        date = "" if is_update and updated else _alone(text, language)
        if date and not is_update:
            return date
        updated = date or updated
    return updated


def _is_of_update(texts: Sequence[str], place: int) -> bool:
    """Whether it is, or follows, what is written before the date of a change."""
    if _tells_update(texts[place]):
        return True
    before = (texts[at] for at in range(place - 1, -1, -1))
    # The same date may stand between, as it is declared.
    label = next((text for text in before if not is_date(text)), "")
    return bool(_tells_update(label)) and not any(map(str.isdigit, label))


def _may_be_date(text: str) -> bool:
    if "20" not in text and "19" not in text and "年" not in text:
        return False
    return 8 <= len(text) <= MAX_TEXT + 40 and bool(_has_year(text))


def _alone(text: str, language: str) -> str:
    """The date that is all of a text, or of a part of it between dashes and the like."""
    text = " ".join(text.split())
    if is_date(text):  # as a time element declares it
        return text
    dates = (_bare(part, language) for part in _parts_of(text))
    return next(filter(None, dates), "")


def _bare(text: str, language: str) -> str:
    text = _LABEL.sub("", text, count=1).strip(" ,:|•·()")
    return iso_date(text, language) if 8 <= len(text) <= MAX_TEXT and _is_bare(text) else ""


def _is_bare(text: str) -> bool:
    """Whether a text has the numbers of a day, a month's name, and hardly a word more."""
    numbers, words = _find_numbers(text), _find_words(_WEEKDAY.sub("", text, count=1))
    long = [word for word in words if len(word) > MAX_SMALL_WORD]
    return len(numbers) <= 3 and len(long) <= (len(numbers) < 3) and len(words) <= MAX_WORDS
