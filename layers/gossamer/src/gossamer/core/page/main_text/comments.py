"""Cuts out what readers said about a text, however long it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.page.main_text.blocks import COMMENTS
from gossamer.core.page.main_text.page_type import PRODUCTS, declared_types

if TYPE_CHECKING:
    from gossamer.core.page.main_text.blocks import Block, Blocks

MIN_TEXT = 400  # characters outside of links that a text has; less is no text to comment on
MIN_TEXT_SHARE = 0.25  # of all such characters; a page with less is for what its readers say
MIN_RECORDS = 2  # of comments that are told from a section by their form
MIN_RECORD_SHARE = 0.6  # of the section, that records of one form have

_RECORDS = frozenset({"li", "div", "article", "section", "dd", "tr"})


def cut_comments(blocks: Blocks, html: str, room: float) -> None:
    """Cut out comments by their names, or as items that are declared, if there is room for them."""
    has_items = 'itemprop="comment"' in html
    if not has_items and not any(COMMENTS in names for names in blocks.names.values()):
        return  # as on most pages, without a walk over the blocks

    def is_comments(block: Block) -> bool:
        is_named = COMMENTS in block.names
        is_declared = has_items and block.node.getattr("itemprop") == "comment"
        return (is_named or is_declared) and _unlinked(block) <= room

    places = list(blocks.outermost(0, is_comments))
    chars = sum(_unlinked(blocks.list[at]) for at in places)
    # Programs of shops call reviews comments, and their pages of products articles.
    if 0 < chars <= room and PRODUCTS.isdisjoint(declared_types(html)):
        for at in places:
            blocks.cut(at)
        blocks.measure()


def room_for_comments(blocks: Blocks, *, is_article: bool) -> float:
    """Return how many characters outside of links comments may have, so that a text is left."""
    all_of_page = _unlinked(blocks.list[0])
    return all_of_page - max(MIN_TEXT, 0 if is_article else MIN_TEXT_SHARE * all_of_page)


def has_records(blocks: Blocks, section: list[int]) -> bool:
    """Tell whether a section consists of records of one form, as comments do, and not of text."""
    total = sum(blocks.list[at].chars for at in section)
    sizes: dict[tuple[int, str, frozenset[str]], list[int]] = {}
    for start in section:
        for at in range(start, blocks.list[start].end):
            block = blocks.list[at]
            if block.gone or (block.tag not in _RECORDS and "-" not in block.tag):
                continue
            if block.own < block.chars and not _has_code(blocks, at):
                sizes.setdefault((block.parent, block.tag, block.names), []).append(block.chars)
    return any(
        len(chars) >= MIN_RECORDS and sum(chars) >= MIN_RECORD_SHARE * total
        for chars in sizes.values()
    )


def _has_code(blocks: Blocks, at: int) -> bool:
    return any(blocks.list[child].tag == "pre" for child in blocks.children(at))


def _unlinked(block: Block) -> int:
    return block.chars - block.links
