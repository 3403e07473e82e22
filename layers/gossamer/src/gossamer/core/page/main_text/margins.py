"""Cuts out what stands beside the text: menus, footers, notices, and what readers are not shown.

The names are those that stood on hardly anything but margins, in 179 judged pages of 169 sites. A
name is never believed alone: a part with most of the text is no margin whatever it is called.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.page.html_tree import Node
    from gossamer.core.page.main_text.blocks import Block, Blocks

MOST = 0.3  # of the text; a margin has less
# Of the text, that blocks which are cut by their names, or as lists of links, may have together: of
# 0.3, 0.35 … 0.6 it reads the judged pages of half A best.
MAX_CUT_SHARE = 0.4
MIN_TEXT = 400  # characters outside of links; where so many are left, lists of links may have more
MOST_OF_FRAME = 0.6  # of the text, for what can hardly be anything but a menu or a footer
MOST_OF_LINKS = 0.9  # of the text, for a menu: on a home page it may be nearly all
MENU = 0.8  # share of its text that is in links
LINKED = 0.6  # share of its text that is in links, for a list that leads away
LEADING = 0.35  # at least that share, for a page that is for its links
FOLDED = 0.3  # at most that share, for text that is hidden until it is opened
SHORT_LIST = 60  # characters; fewer are no list and no text

_TAGS = frozenset({"nav", "footer", "aside", "dialog", "header"})
_ROLES = frozenset(
    str.split(
        "navigation complementary contentinfo banner dialog alert alertdialog menu menubar search"
        " toolbar"
    )
)
_CONSENT = frozenset({"cookie", "cookies", "consent", "gdpr", "onetrust"})
_BARS = frozenset({"bar", "bars", "strip", "ticker", "ribbon"})
_ANNOUNCED = frozenset({"promo", "promotion", "announcement", "announcements"})
# They stand beside the text, whatever the page is about.
_BESIDE = _CONSENT | frozenset(
    str.split(
        "nav navbar navigation menu submenu subnav megamenu mega footer copyright legal sidebar"
        " breadcrumb breadcrumbs modal popup dialog masthead login"
    )
)
# They stand beside one text, and may be a part of each record of a list.
_MAYBE = frozenset(
    str.split(
        "account actions ad ads advert advertisement advertising announcement author badge badges"
        " banner bio buttons byline cart categories colophon comment comments crosssell"
        " crumb ctas date disqus drawer dropdown feedback filter filters flyout <form> hidden hide"
        " meta minicart newsletter notice offscreen overlay pager pagination popular posts print"
        " privacy promo promotion recommend recommendation recommendations recommended related"
        " respond search selector share sharing signin signup skip social sponsor sponsored"
        " sticky subscribe subscription suggestion suggestions switcher tags teaser toast toolbar"
        " tooltip topbar trending upsell utility widget wishlist"
    )
)
# What is pressed, unless it is a sentence or opens the text below a heading.
_BUTTONS = frozenset({"btn", "button"})
LONGEST_BUTTON = 40  # characters
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
# What a forum is made of.
TALK = frozenset({"comment", "comments", "respond", "posts", "author", "date", "meta", "byline"})
# What says of the writer of a post who that is, not what was written.
WRITERS = frozenset({"signature", "signatures", "flair", "reputation"})
REVIEWS = frozenset({"review", "reviews"})

_READ_ALOUD = ("visually", "visuallyhidden", "sr", "reader")  # for those who do not see
_is_not_displayed = re.compile(r"display\s*:\s*none").search
_LISTS = frozenset({"ul", "ol", "div", "section", "table"})


def cut_margins(blocks: Blocks) -> None:
    """Cut out what is a margin by its tag, role or name."""
    total = blocks.list[0].chars

    def is_margin(block: Block) -> bool:
        return block.chars < total * _most(block) and _is_beside(block)

    for at in blocks.outermost(0, is_margin):
        blocks.cut(at)
    blocks.measure()


def cut_named(blocks: Blocks, more: frozenset[str], less: frozenset[str]) -> None:
    """Cut out what seems a margin by a name that marks little of the page.

    What marks much of it is the name of its records, or of parts of them; so are the names that
    mark the most where all together would leave little of the page.
    """
    marked = _marked(blocks, (_MAYBE | _BUTTONS | more) - less)
    most = MOST * blocks.list[0].chars
    # By name where they mark as much, so that a page reads the same in every process.
    names = [name for name, chars in sorted(marked.items(), key=_by_chars) if chars < most]
    limit = MAX_CUT_SHARE * blocks.list[0].chars
    places = _places_named(blocks, names)
    if _chars(blocks, places).all > limit:
        fewer = range(len(names))
        count = bisect_right(fewer, limit, key=lambda n: _chars_named(blocks, names[:n]))
        places = _places_named(blocks, names[: count - 1])
    for at in places:
        blocks.cut(at)
    blocks.measure()


def _by_chars(mark: tuple[str, int]) -> tuple[int, str]:
    name, chars = mark
    return chars, name


def _chars_named(blocks: Blocks, names: Sequence[str]) -> int:
    """Return how many characters would be cut by these names."""
    return _chars(blocks, _places_named(blocks, names)).all


def _places_named(blocks: Blocks, believed: Sequence[str]) -> list[int]:
    """Return the places of blocks with one of these names, and of buttons if they are named."""
    buttons = _BUTTONS.intersection(believed)
    names = frozenset(believed) - _BUTTONS

    def is_margin(block: Block) -> bool:
        return not names.isdisjoint(block.names) or (
            not buttons.isdisjoint(block.names)
            and block.chars <= LONGEST_BUTTON
            and blocks.list[block.parent].tag not in _HEADINGS
        )

    return list(blocks.outermost(0, is_margin))


def is_mostly_text(blocks: Blocks) -> bool:
    """Whether lists of links are beside the text of a page; else they may be what it is for."""
    return blocks.list[0].links < LEADING * blocks.list[0].chars


def cut_link_lists(blocks: Blocks) -> None:
    """Cut out lists of links, which lead away from a text."""
    most = MOST * blocks.list[0].chars

    def is_links(block: Block) -> bool:
        return (
            block.tag in _LISTS
            and SHORT_LIST < block.chars < most
            and block.links > LINKED * block.chars
        )

    places = list(blocks.outermost(0, is_links))
    cut, left = _chars(blocks, places), _chars(blocks, [0])
    if cut.all > MAX_CUT_SHARE * left.all and left.unlinked - cut.unlinked < MIN_TEXT:
        return  # they are what the page is for
    for at in places:
        blocks.cut(at)
    blocks.measure()


class _Chars(NamedTuple):
    """How much text some blocks have."""

    all: int
    unlinked: int


def _chars(blocks: Blocks, places: Sequence[int]) -> _Chars:
    chars = sum(blocks.list[at].chars for at in places)
    return _Chars(chars, chars - sum(blocks.list[at].links for at in places))


def _most(block: Block) -> float:
    if block.links > MENU * block.chars or _is_notice(block.names):
        return MOST_OF_LINKS
    return MOST_OF_FRAME if block.tag in ("nav", "footer") else MOST


def _is_notice(names: frozenset[str]) -> bool:
    """Whether names are those of a notice about cookies, or of a bar that announces something."""
    return not _CONSENT.isdisjoint(names) or not (
        _BARS.isdisjoint(names) or _ANNOUNCED.isdisjoint(names)
    )


def _is_named_beside(names: frozenset[str]) -> bool:
    return not _BESIDE.isdisjoint(names) or _is_notice(names)


def _is_beside(block: Block) -> bool:
    return (
        block.tag in _TAGS
        or (block.tag not in ("a", "span") and _is_named_beside(block.names))
        or _is_unseen(block)
    )


def _is_unseen(block: Block) -> bool:
    if block.node.getattr("role") in _ROLES:
        return True
    if not block.names.isdisjoint(_READ_ALOUD) and _is_read_aloud(block.names):
        return True
    return _is_hidden(block.node) and not _is_folded(block)


def _is_hidden(node: Node) -> bool:
    if node.getattr("aria-hidden") == "true" or node.getattr("hidden") is not None:
        return True
    style = node.getattr("style")
    return bool(style and "none" in style and _is_not_displayed(style))


def _is_folded(block: Block) -> bool:
    """Whether what is hidden is text behind a heading or a tab, not a menu or a message."""
    return block.chars >= SHORT_LIST and block.links <= FOLDED * block.chars


def _is_read_aloud(names: frozenset[str]) -> bool:
    return (
        "visuallyhidden" in names
        or {"visually", "hidden"} <= names
        or {"sr", "only"} <= names
        or {"screen", "reader"} <= names
    )


def _marked(blocks: Blocks, names: frozenset[str]) -> dict[str, int]:
    """Return how many characters each name marks; what it marks twice counts once."""
    marked = dict.fromkeys(names, 0)
    passed = dict.fromkeys(names, 0)
    for at, block in enumerate(blocks.list):
        if block.gone or not block.chars:
            continue
        for name in names & block.names:
            if at >= passed[name]:
                marked[name] += block.chars
                passed[name] = block.end
    return marked
