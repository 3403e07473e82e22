"""The part of a text that is the value: what stands before it and after it on every page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_AFFIX: Final = 60
MAX_SIGNS: Final = 4


@dataclass(frozen=True, slots=True)
class Cut:
    """The value begins after `left` and ends before `right`; "" is the end of the text.

    With `signs` it ends where one of them ends a word, as in a sentence, or at the end of the text.
    """

    left: str = ""
    right: str = ""
    signs: str = ""

    def apply(self, text: str) -> str:
        """The part of a text; "" if it does not have what stands around the value."""
        start = text.find(self.left)
        if start < 0:
            return ""
        rest = text[start + len(self.left) :]
        if self.signs:
            return _before_sign(rest, self.signs)
        end = rest.find(self.right) if self.right else len(rest)
        return rest[:end].strip() if end >= 0 else ""

    def replacements(self) -> list[str]:
        """The same as `clean` of a field says it: a text without the affixes becomes empty."""
        if not (self.left or self.right):
            return []
        if self.signs:
            ending = f"(?:[{_escaped(self.signs)}](?:[\\s\\pZ].*)?)?"
            return [f"^(?:.*?{_escaped(self.left)}(.*?){ending}|.*)$ -> \\1"]
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
    if any(lefts) and not left.strip():
        return None
    if any(rights) and not right.strip():
        label, signs = _label(left), _signs(rights)
        return Cut(label, signs=signs) if label and signs else None
    return Cut(left, right)


def _label(left: str) -> str:
    """What names a value in a sentence: words since its last sign; "" if there are none."""
    label = _clause_end(left)[-1]
    return label if any(character.isalpha() for character in label) else ""


def _signs(rights: Sequence[str]) -> str:
    """The signs at which sentences go on; "" if something else follows."""
    signs = {right[0] for right in rights if right}
    ends_word = all(len(right) < 2 or right[1].isspace() for right in rights)
    is_punctuation = all(not sign.isalnum() and not sign.isspace() for sign in signs)
    return (
        "".join(sorted(signs)) if ends_word and is_punctuation and len(signs) <= MAX_SIGNS else ""
    )


def _before_sign(text: str, signs: str) -> str:
    for place, character in enumerate(text):
        if character in signs and (place + 1 == len(text) or text[place + 1].isspace()):
            return text[:place].strip()
    return text.strip()


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


_clause_end = re.compile(r"[,;.|] ").split
_punctuation = re.compile(r"[!-/:-@\[-`{-~]").sub
