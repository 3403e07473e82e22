"""The date that stands near the title of a page, where readers look for it.

It stands alone: in a text of its own, behind "Published on" and the like, or in a time element. A
date within a sentence, or one far from the title, is about something else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from gossamer.core.page.dates import is_date
from gossamer.core.page.page_dates.written import iso_date

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
    behind = _labelled(html[title : title + BEHIND])
    if found := _first(_near(behind, TEXT_BEHIND), language):
        return found
    before = html[max(0, title - BEFORE) : title]
    above = reversed(list(_labelled(before[before.find("<") :])))
    return _first(_near(above, TEXT_BEFORE), language)


def _place_of_title(html: str) -> int:
    """Where the first heading is, or what the head calls the title; -1 if neither is shown."""
    if found := _find_title(html):
        return found.start()
    named = _find_name(html)
    name = _parts_of(named[1].strip())[0] if named else ""
    return html.find(f">{name}<", named.end()) if named and len(name) >= MIN_NAME else -1


def _may_have_year(markup: str) -> bool:
    """False only if no year is there: that is known in a hundredth of the time of reading it."""
    return "20" in markup or "19" in markup or "年" in markup


class _Text(NamedTuple):
    text: str
    updated: bool  # whether it is, or follows, what is written before the date of a change


def _labelled(markup: str) -> Iterator[_Text]:
    label = False
    texts = _texts(markup) if _may_have_year(markup) else ()
    for text in filter(None, map(str.strip, texts)):
        tells = bool(_tells_update(text))
        yield _Text(text, label or tells)
        if not is_date(text):  # which may stand before the same one as it is shown
            label = tells and not any(map(str.isdigit, text))


def _near(texts: Iterable[_Text], limit: int) -> Iterator[_Text]:
    size = 0
    for each in texts:
        size += len(each.text)
        if size > limit:
            return
        yield each


def _first(texts: Iterable[_Text], language: str) -> str:
    found = updated = ""
    for each in texts:
        date = "" if each.updated and updated else _alone(each.text, language)
        if date and each.updated:
            updated = date
        elif date:
            found = date
            break
    return found or updated


def _texts(markup: str) -> Iterator[str]:
    for token in _find_tokens(markup):
        text = token[2] or token[3]
        if text:
            yield text


def _alone(text: str, language: str) -> str:
    """The date that is all of a text, or of a part of it between dashes and the like."""
    if not 8 <= len(text) <= MAX_TEXT + 40 or not _has_year(text):
        return ""
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
