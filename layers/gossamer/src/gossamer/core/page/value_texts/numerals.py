"""Where numbers stand in a text, and what their commas, dots and spaces mean.

"1.234" alone can be either of two numbers. The language of the text decides, or else what is more
frequent: amounts of money have no three decimals.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from gossamer.core.page.value_texts.plain_digits import DECIMAL, NARROW
from gossamer.core.page.values import MAX_NUMBER

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_DIGITS: Final = 40
# Languages that write 1,234.5; all others that are known write 1.234,5 or 1 234,5.
_DOT_LANGUAGES: Final = frozenset(
    str.split("ar bn cy en fa ga gu he hi ja kn ko ml mr ms ne or pa si ta te th tl ur zh")
)
# "16 128" are two numbers here: thousands are never apart by a space that breaks.
_NO_SPACES: Final = frozenset(str.split("bn en el gu he hi id ja ko mr ms ta te th tl tr vi zh"))

_SPACED: Final = r"\d{1,3}(?:(?P<gap>[%s])\d{3})(?:(?P=gap)\d{3})*(?!\d)(?:[.,\u066b]\d+)?"
_PLAIN: Final = r"\d+(?:[.,\u066b]\d+)*|(?<![\w.,])[.,]\d+"
_find_wide = re.compile(f"{_SPACED % (' ' + NARROW + chr(39))}|{_PLAIN}", re.ASCII).finditer
_find_close = re.compile(f"{_SPACED % (NARROW + chr(39))}|{_PLAIN}", re.ASCII).finditer
_is_grouped = re.compile(r"\d{1,3}(?:,\d{2})*,\d{3}|\d{1,3}(?:,\d{3})+", re.ASCII).fullmatch
_SEPARATED: Final = re.compile(f"[ {NARROW}']")
_FOUR: Final = re.compile(r"\d{1,4}(?:,\d{4})+", re.ASCII)  # Chinese and Japanese, rarely


class Numeral(NamedTuple):
    """A number in a text: what it says, and where it stands."""

    value: float
    start: int
    end: int


def numerals(text: str, language: str = "", *, money: bool = False) -> Iterator[Numeral]:
    """The numbers of a text with plain digits, without their signs."""
    language = main_language(language)
    find = _find_close if language in _NO_SPACES else _find_wide
    for found in find(text):
        value = _value(found[0], language, money=money)
        if value is not None:
            yield Numeral(value, found.start(), found.end())


def main_language(language: str) -> str:
    """A language without its region: "de" of "de-AT"."""
    return re.split("[-_]", language.lower(), maxsplit=1)[0]


def _value(written: str, language: str, *, money: bool) -> float | None:
    """The number that digits and separators stand for; None if they stand for none."""
    if len(written) > MAX_DIGITS:
        return None
    spaced, written = bool(_SEPARATED.search(written)), _SEPARATED.sub("", written)
    if DECIMAL in written:
        written = written.replace(",", "").replace(".", "").replace(DECIMAL, ".")
    elif "." in written and "," in written:
        written = _of_two_marks(written)
    elif "." in written or "," in written:
        mark = "." if "." in written else ","
        written = _of_one_mark(written.replace(mark, ","), mark, language, money, spaced)
    try:
        value = float(written)
    except ValueError:
        return None
    return value if value <= MAX_NUMBER else None


def _of_two_marks(written: str) -> str:
    """1,234.56 or 1.234,56: the last mark is that of decimals."""
    mark = max(".,", key=written.rindex)
    whole, _, decimals = written.rpartition(mark)
    group = "," if mark == "." else "."
    if mark in whole:  # 1,234.567.890
        return ""
    whole = whole.replace(group, ",")
    grouped = _is_grouped(whole) or _FOUR.fullmatch(whole)
    return f"{whole.replace(',', '')}.{decimals}" if grouped else ""


def _of_one_mark(written: str, mark: str, language: str, money: bool, spaced: bool) -> str:
    """1,234 or 12,5, with a comma for whichever mark it is."""
    whole, _, decimals = written.rpartition(",")
    if "," in whole:
        return _of_many_marks(written, whole, decimals, money)
    if spaced or not _may_group(whole, decimals):
        return f"{whole}.{decimals}"
    decimal = _means_decimals(mark, language) and not money
    return f"{whole}.{decimals}" if decimal else whole + decimals


def _of_many_marks(written: str, whole: str, decimals: str, money: bool) -> str:
    """1,234,567, or a price whose cents are marked as its thousands are: 1,234,50."""
    if _is_grouped(written) or _FOUR.fullmatch(written):
        return written.replace(",", "")
    if money and len(decimals) <= 2 and _is_grouped(whole):
        return f"{whole.replace(',', '')}.{decimals}"
    return ""


def _may_group(whole: str, decimals: str) -> bool:
    return len(decimals) == 3 and 1 <= len(whole) <= 3 and not whole.startswith("0")


def _means_decimals(mark: str, language: str) -> bool:
    """Whether a mark before three digits begins decimals; where no language says, a dot does."""
    if not language:
        return mark == "."
    return (mark == ".") == (language in _DOT_LANGUAGES)
