"""The link to the next page of a list."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from gossamer.core.page.templates.learning.paths import blanks_in, in_one_line, quoted

if TYPE_CHECKING:
    from lxml import etree

    from gossamer.core.page.templates.learning.page_view import PageView

# What people call it, in the languages in which most lists are written.
_WORDS: Final = frozenset(
    str.split(
        "next weiter nächste suivant suivante siguiente próxima próximo successiva volgende"
        " następna nästa » → 次へ 下一页 далее"
    )
)
_words = re.compile(r"[^\s\d]+").findall
MAX_WORDS: Final = 4


def next_selector(view: PageView) -> str:
    """A selector of the link to the next page; "" if there is none."""
    links = [node for node in view.by_tag.get("a", []) if node.get("href")]
    if any("next" in (node.get("rel") or "").lower().split() for node in links):
        return 'a[rel~="next"]'
    return next((_selector(view, node) for node in links if _is_next(view.text(node))), "")


def _is_next(text: str) -> bool:
    words = [word.strip(".,:").lower() for word in _words(text)]
    return 0 < len(words) <= MAX_WORDS and any(word in _WORDS for word in words)


def _selector(view: PageView, node: etree._Element) -> str:
    line = in_one_line(blanks_in("".join(node.itertext())))
    return f"//a[{line} = {quoted(view.text(node))}]"
