"""What a result's document declares, on a page without scripts; web/cards.js says the same.

The price and other short values of it, and its picture if that was kept.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from gossamer.core.page.values import Image, Link, Money, each, in_words

if TYPE_CHECKING:
    from gossamer.core.page.values import Scalar, Value
    from gossamer.core.search.result import Hit

MOST: Final = 6  # facts of a result
LONGEST: Final = 80  # characters of a fact; what is longer is a text
FIRST: Final = str.split(
    "price salary rating availability starts location brand company author"
)  # in this order, before all others
# The title, what stands elsewhere in the result, and what only a program reads.
UNSAID: Final = frozenset(
    str.split(
        "title name url link type image audio video breadcrumb reviews published_on modified_on"
        " gtin sku questions answers"
    )
)
MEDIA: Final = {"image": "Picture", "audio": "Sound", "video": "Video"}


def picture(hit: Hit) -> str:
    """The stored picture of a result; nothing is ever loaded from the web."""
    if not hit.picture:
        return ""
    return f'<img src="documents/{escape(hit.id)}/picture" alt="" loading="lazy">\n'


def facts(hit: Hit) -> str:
    """The short values of a result, as a list."""
    if hit.kind in MEDIA:
        return ""
    said = [(name, text) for name, value in hit.values.items() if (text := _text(name, value))]
    said.sort(key=lambda pair: FIRST.index(pair[0]) if pair[0] in FIRST else len(FIRST))
    rows = "".join(_row(name, text) for name, text in said[:MOST])
    return f'<dl class="facts">{rows}</dl>' if rows else ""


def _row(name: str, text: str) -> str:
    tag = '<div class="price">' if name in ("price", "salary") else "<div>"
    title = name[:1].upper() + name[1:].replace("_", " ")
    return f'{tag}<dt>{escape(title)}</dt><dd dir="auto">{escape(text)}</dd></div>'


def _text(name: str, value: Value) -> str:
    """A value as it is shown; "" if it is not."""
    if name in UNSAID:
        return ""
    text = ", ".join(filter(None, map(_word, each(value))))
    return text if len(text) <= LONGEST else ""


def _word(scalar: Scalar) -> str:
    match scalar:
        case bool():
            return "Yes" if scalar else "No"
        case Money(amount, currency):
            return f"{amount:,.2f} {currency}".rstrip()
        case Link(url, text):
            return text or url
        case Image():
            return ""
    return in_words(scalar)
