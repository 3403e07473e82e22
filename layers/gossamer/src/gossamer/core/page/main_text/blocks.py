"""The elements of a page as a flat list, with the amount of text that each holds."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from resiliparse.parse.html import ELEMENT, TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gossamer.core.page.html_tree import Node

MAX_BLOCKS = 50_000  # a page with more is read without looking at its parts

_SILENT = frozenset(
    str.split(
        "script style noscript template textarea select option svg button iframe input label"
        " datalist object canvas audio video"
    )
)
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_find_names = re.compile(r"[a-z]+").findall
FORM = frozenset({"<form>"})  # the name of what is one, whatever its classes
COMMENTS = "<comments>"  # the name of what readers say, in whatever language it is named
# Parts of such names in most languages of Europe: "leserkommentare", "comentario", "commentlist".
_COMMENT_STEMS = ("omment", "coment", "koment")
_COMMENT_NAMES = frozenset(str.split("disqus dsq reactie reacties yorum yorumlar"))
# The names of code and of all in it, where "comment", "meta" and "tag" are words of the language.
_CODE = frozenset({"<code>"})
MAX_NAMES = 400  # characters of classes and id that are looked at


@dataclass(slots=True)
class Block:
    """An element with text in it. Those inside of it follow it in the list, up to `end`."""

    node: Node
    tag: str
    parent: int
    names: frozenset[str]  # the words of its classes and its id
    in_link: bool
    end: int = 0
    own: int = 0  # characters directly in it
    chars: int = 0  # of its text, without what was cut
    links: int = 0  # of these inside of links
    prose: int = 0  # characters of long paragraphs, outside of links
    gone: bool = False


@dataclass(slots=True)
class Blocks:
    """The blocks of a page in its order; the first is the body."""

    list: list[Block]
    names: dict[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, body: Node) -> Blocks | None:
        """The blocks below `body`, measured; None if there are too many."""
        blocks = cls([Block(body, "body", -1, frozenset(), in_link=False)])
        if not blocks._fill(body):
            return None
        blocks.measure()
        return blocks

    def _fill(self, body: Node) -> bool:
        blocks = self.list
        here, node = 0, body.first_child
        while node is not None and len(blocks) <= MAX_BLOCKS:
            kind = node.type
            if kind == TEXT:
                blocks[here].own += _shown(node.value)
            elif (
                kind == ELEMENT
                and (first := node.first_child) is not None
                and (tag := node.tag) not in _SILENT
            ):
                here, node = self._open(node, tag, here), first
                continue
            while (following := node.next) is None and here:
                closed = blocks[here]
                closed.end = len(blocks)
                node, here = closed.node, closed.parent
            node = following
        blocks[0].end = len(blocks)
        return len(blocks) <= MAX_BLOCKS

    def _open(self, node: Node, tag: str, here: int) -> int:
        above = self.list[here]
        in_link = tag == "a" or above.in_link
        is_code = above.names is _CODE or tag == "pre" or tag == "code"  # faster
        names = _CODE if is_code else self._names_of(node, tag)
        self.list.append(Block(node, tag, here, names, in_link))
        return len(self.list) - 1

    def _names_of(self, node: Node, tag: str) -> frozenset[str]:
        text = node.getattr("class", "")
        if tag != "section" and text != "section":  # whose ids are made of their headings
            text = f"{text} {node.getattr('id', '')}"
        if "-" in tag:  # of a custom element
            text = f"{tag} {text}"
        names = self.names.get(text)
        if names is None:
            words = _CAPITAL.sub(" ", text[:MAX_NAMES]).lower()
            names = frozenset(_find_names(words))
            if _are_comments(words, names):
                names |= {COMMENTS}
            self.names[text] = names
        return names | FORM if tag == "form" else names

    def measure(self) -> None:
        """Sum up what is left of the text, from the inside out."""
        blocks = self.list
        for block in blocks:
            block.chars = 0 if block.gone else block.own
            block.links = block.chars if block.in_link else 0
        for block in reversed(blocks):
            if block.chars and block.parent >= 0:
                above = blocks[block.parent]
                above.chars += block.chars
                above.links += block.links

    def inside(self, start: int) -> Iterator[Block]:
        """All that is left inside of a block."""
        for at in range(start + 1, self.list[start].end):
            if not self.list[at].gone and self.list[at].chars:
                yield self.list[at]

    def children(self, start: int) -> Iterator[int]:
        """The places of what is left directly in a block."""
        at = start + 1
        while at < self.list[start].end:
            if not self.list[at].gone and self.list[at].chars:
                yield at
            at = self.list[at].end

    def outermost(self, start: int, wanted: Callable[[Block], bool]) -> Iterator[int]:
        """The places of what is wanted inside of a block, passing over what these hold."""
        at = start + 1
        while at < self.list[start].end:
            block = self.list[at]
            if block.gone or not block.chars:
                at = block.end
            elif wanted(block):
                yield at
                at = block.end
            else:
                at += 1

    def cut(self, at: int) -> None:
        """Take a block out, with all in it."""
        for inner in range(at, self.list[at].end):
            self.list[inner].gone = True


def _are_comments(words: str, names: frozenset[str]) -> bool:
    """Tell whether names are those of what readers say; a commentary is a text."""
    has_stem = any(stem in words for stem in _COMMENT_STEMS) and "commentary" not in names
    return has_stem or not _COMMENT_NAMES.isdisjoint(names)


def _shown(text: str) -> int:
    return 0 if text.isspace() else len(" ".join(text.split()))
