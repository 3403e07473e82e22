"""Reads the main text of a page: first its type is decided, then it is read by that type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.page.main_text.fast import read_fast
from gossamer.core.page.main_text.page_type import PageType, page_type
from gossamer.core.page.main_text.plain import is_endless
from gossamer.core.page.main_text.scripted_text import with_scripted_text
from gossamer.core.page.main_text.selection import read_selected

if TYPE_CHECKING:
    from gossamer.core.page.html_tree import Node, Tree
    from gossamer.core.page.main_text.page_type import Signs


def read_main_text(
    html: str, tree: Tree, extractor: str, signs: Signs, declared: list[Node]
) -> str:
    """The main text; takes `tree` apart.

    `declared` are the elements that the page declares to be its main part. `extractor` is auto
    (by the type of the page), fast, or article (by trafilatura).
    """
    text = ""
    if extractor == "article":
        text = read_article(html)
    elif extractor == "auto" and not is_endless(html, tree):
        kind = page_type(html, signs)
        if kind is not PageType.DOCUMENTATION:
            text = read_selected(html, tree, kind)
            return with_scripted_text(html, text or read_fast(html, tree, declared), kind)
    return text or read_fast(html, tree, declared)


def read_article(html: str) -> str:
    """The main text by trafilatura, the judge of what is prose; "" if it finds none."""
    from trafilatura import extract  # heavy, and most crawls never need it

    return extract(html, include_comments=False) or ""
