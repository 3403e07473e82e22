"""Where a value stands on a page: as a whole text, as a part of one, or in an attribute."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gossamer.core.page.templates.learning.kinds import plain
from gossamer.core.page.templates.learning.paths import TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

    from gossamer.core.page.templates.learning.kinds import Kind
    from gossamer.core.page.templates.learning.page_view import PageView

MAX_WHOLE: Final = 24  # places of a value on a page
MAX_PARTS: Final = 12
MAX_SPELLINGS: Final = 6
MAX_LEAVES: Final = 12  # texts that one value may be spread over
ATTRIBUTES: Final = ("content", "value", "datetime", "alt", "title", "href", "src")
_squeezed = re.compile(r"\s+").sub


@dataclass(frozen=True, slots=True, eq=False)
class Occurrence:
    """An element and what of it is the value; `left` and `right` is the rest of that text."""

    element: etree._Element
    leaf: int  # the number of the text, -1 in an attribute
    end: str = ""
    nth: int = 0
    left: str = ""
    right: str = ""


def occurrences(
    view: PageView, value: str, kind: Kind = "text", base: str = ""
) -> list[Occurrence]:
    """All places of a value, those first where it stands alone."""
    value = " ".join(value.split())
    if not value:
        return []
    if kind not in ("text", "keyword"):
        return [each for said in _spellings(view, value, kind, base) for each in _all(view, said)]
    return _all(view, value)


def _spellings(view: PageView, value: str, kind: Kind, base: str) -> list[str]:
    """The texts and attributes of a page that mean the same number, day or address."""
    wanted = plain(value, kind, base)
    said = [text for text in view.by_text if plain(text, kind, base) == wanted]
    names = {"href", "src"} if kind in ("link", "image") else {"content", "datetime"}
    names |= view.data_names
    held = [text for name, text in view.by_mark if name in names]
    said += [text for text in held if plain(text, kind, base) == wanted]
    return list(dict.fromkeys(said))[:MAX_SPELLINGS]


def _all(view: PageView, value: str) -> list[Occurrence]:
    whole = list(_whole(view, value)) or list(_spread(view, value))
    parts = list(_parts(view, value))[:MAX_PARTS]
    return whole[:MAX_WHOLE] + list(_attributes(view, value))[:MAX_PARTS] + parts


def _whole(view: PageView, value: str) -> Iterator[Occurrence]:
    for place in view.by_text.get(value, [])[:MAX_WHOLE]:
        yield from _of_leaf(view, place)


def _of_leaf(view: PageView, place: int, left: str = "", right: str = "") -> Iterator[Occurrence]:
    for element in view.nodes((place, place + 1)):
        yield Occurrence(element, place, left=left, right=right)
    leaf = view.leaves[place]
    if view.spans.get(leaf.element) != (place, place + 1):
        yield Occurrence(leaf.element, place, TEXT, leaf.nth, left, right)


def _spread(view: PageView, value: str) -> Iterator[Occurrence]:
    """Elements whose texts are the value only together."""
    wanted = _squeezed("", value)
    for place, leaf in enumerate(view.leaves):
        if wanted.startswith(_squeezed("", leaf.text)):
            for end in range(place + 2, place + 2 + MAX_LEAVES):
                for element in view.nodes((place, end)):
                    if _squeezed("", view.text(element)) == wanted:
                        yield Occurrence(element, place)


def _parts(view: PageView, value: str) -> Iterator[Occurrence]:
    for place, leaf in enumerate(view.leaves):
        if value in leaf.text and value != leaf.text:
            start = leaf.text.find(value)
            left, right = leaf.text[:start], leaf.text[start + len(value) :]
            if not _cuts_a_word(left, value, right):
                yield from _of_leaf(view, place, left, right)


def _cuts_a_word(left: str, value: str, right: str) -> bool:
    before = left[-1:].isalnum() and value[0].isalnum()
    return before or (right[:1].isalnum() and value[-1].isalnum())


def _attributes(view: PageView, value: str) -> Iterator[Occurrence]:
    for name in (*ATTRIBUTES, *sorted(view.data_names)):
        for element in view.by_mark.get((name, value), [])[:MAX_PARTS]:
            yield Occurrence(element, -1, f"@{name}")
