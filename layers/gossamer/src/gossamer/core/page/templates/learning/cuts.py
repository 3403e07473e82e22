"""The part of a text that is the value: what stands before it and after it on every page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_AFFIX: Final = 60


@dataclass(frozen=True, slots=True)
class Cut:
    """The value begins after `left` and ends before `right`; "" is the end of the text."""

    left: str = ""
    right: str = ""

    def apply(self, text: str) -> str:
        """The part of a text; "" if it does not have what stands around the value."""
        start = text.find(self.left)
        if start < 0:
            return ""
        rest = text[start + len(self.left) :]
        end = rest.find(self.right) if self.right else len(rest)
        return rest[:end].strip() if end >= 0 else ""

    def replacements(self) -> list[str]:
        """The same as `clean` of a field says it: a text without the affixes becomes empty."""
        if not (self.left or self.right):
            return []
        before = f".*?{_escaped(self.left)}" if self.left else ""
        after = f"{_escaped(self.right)}.*" if self.right else ""
        return [f"^(?:{before}(.*?){after}|.*)$ -> \\1"]


NO_CUT: Final = Cut()


def cut_of(sides: Sequence[tuple[str, str]]) -> Cut | None:
    """What is the same around the values of several texts; None if there is nothing to cut at."""
    if ("", "") in sides:
        return NO_CUT  # somewhere it stands alone; elsewhere it is a part by chance
    lefts, rights = [left for left, _ in sides], [right for _, right in sides]
    left = _beginning([text[::-1] for text in lefts])[::-1]
    right = _beginning(rights)
    if (any(lefts) and not left.strip()) or (any(rights) and not right.strip()):
        return None
    return Cut(left, right)


def _beginning(texts: Sequence[str]) -> str:
    """What all texts begin with."""
    columns = zip(*(text[:MAX_AFFIX] for text in texts), strict=False)
    return "".join(column[0] for column in takewhile(_is_one, columns))


def _is_one(column: tuple[str, ...]) -> bool:
    return len(set(column)) == 1


def _escaped(text: str) -> str:
    """For RE2; a space stands for any that a page has there."""
    words = (_punctuation(r"\\\g<0>", word) for word in text.split(" "))
    return r"[\s\pZ]+".join(words)


_punctuation = re.compile(r"[!-/:-@\[-`{-~]").sub
