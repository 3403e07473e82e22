from resiliparse.parse.html import HTMLTree

from gossamer.core.page.main_text.blocks import Blocks
from gossamer.core.page.main_text.margins import (
    TALK,
    cut_link_lists,
    cut_margins,
    cut_named,
    is_mostly_text,
)

LONG = "Words of the text that the page is about, and more of them. " * 3
NONE: frozenset[str] = frozenset()


def blocks_of(html: str) -> Blocks:
    blocks = Blocks.of(HTMLTree.parse(html).body)
    assert blocks is not None
    return blocks


def kept(blocks: Blocks) -> list[str]:
    return [block.node.text.split()[0] for block in blocks.inside(0) if block.tag != "a"]


def test_a_margin_by_tag_role_or_name_is_cut():
    blocks = blocks_of(
        f"<p>{LONG}</p><aside>aside</aside><div role=search>find</div><div class=mainNav>menu</div>"
        "<div hidden>hidden</div><div style='display: none'>none</div>"
    )

    cut_margins(blocks)

    assert kept(blocks) == ["Words"]


def test_a_part_with_most_of_the_text_is_no_margin():
    blocks = blocks_of(f"<div class=sidebar>{LONG}</div><p>short</p>")

    cut_margins(blocks)

    assert kept(blocks) == ["Words", "short"]


def test_a_menu_is_a_margin_though_it_is_longer_than_the_text():
    links = "".join(f"<a href=/{n}>An entry of the menu, {n}</a>" for n in range(20))
    blocks = blocks_of(f"<div class=menu>{links}</div><p>{LONG}</p>")

    cut_margins(blocks)

    assert kept(blocks) == ["Words"]


def test_text_that_is_folded_is_kept():
    blocks = blocks_of(f"<div hidden>{LONG[:100]}</div><p>{LONG}{LONG}</p>")

    cut_margins(blocks)

    assert kept(blocks) == ["Words", "Words"]


def test_a_name_of_a_margin_is_believed_where_it_marks_little():
    html = f"<p>{LONG}</p><div class=comment>small</div><div class=related>other</div>"
    page, forum = blocks_of(html), blocks_of(html)

    cut_named(page, NONE, NONE)
    cut_named(forum, NONE, TALK)

    assert kept(page) == ["Words"]
    assert kept(forum) == ["Words", "small"]


def test_a_name_of_all_records_is_not_believed():
    blocks = blocks_of(f"<div class=teaser>{LONG}</div>" * 5)

    cut_named(blocks, NONE, NONE)

    assert kept(blocks) == ["Words"] * 5


def test_names_that_mark_most_of_the_page_together_are_not_all_believed():
    parts = ("meta", "teaser", "author", "tags", "actions")
    record = "".join(f"<div class={name}>{name} {LONG[:60]}</div>" for name in parts)
    blocks = blocks_of(f"<section><h3>heading</h3>{record}</section>" * 5)
    total = blocks.list[0].chars

    cut_named(blocks, NONE, NONE)

    assert blocks.list[0].chars >= 0.6 * total


def test_many_names_that_mark_little_together_are_believed():
    names = ("meta", "author", "tags", "share", "related")
    margins = "".join(f"<div class={name}>{name} {LONG[:60]}</div>" for name in names)
    blocks = blocks_of(f"<p>{LONG * 6}</p>{margins}")

    cut_named(blocks, NONE, NONE)

    assert kept(blocks) == ["Words"]


def test_lists_of_links_that_are_all_of_a_page_are_kept():
    def links(first: int) -> str:
        items = (f"<li><a href=/{n}>Entry number {n} of all</a>" for n in range(first, first + 9))
        return f"<ul>{''.join(items)}</ul>"

    blocks = blocks_of("".join(f"<h2>Part</h2>{links(10 * n)}" for n in range(6)))

    cut_link_lists(blocks)

    assert sum(block.tag == "ul" for block in blocks.inside(0)) == 6


def test_lists_of_links_are_cut_beside_a_text_though_they_are_longer():
    links = "".join(f"<li><a href=/{n}>Another page of the site, number {n}</a>" for n in range(9))
    blocks = blocks_of(f"<p>{LONG * 4}</p><ul>{links}</ul><ul>{links}</ul><ul>{links}</ul>")

    cut_link_lists(blocks)

    assert kept(blocks) == ["Words"]


def test_lists_of_links_are_cut_and_lists_of_text_are_not():
    links = "".join(f"<li><a href=/{n}>Another page {n}</a>" for n in range(9))
    texts = "<li>Words in a list, without any link to anywhere else at all."
    blocks = blocks_of(f"<p>{LONG * 5}</p><ul>{links}</ul><ul>{texts}</ul>")

    cut_link_lists(blocks)

    assert [block.tag for block in blocks.inside(0)] == ["p", "ul", "li"]


def test_a_page_of_links_is_for_them_and_a_text_with_some_is_not():
    links = "<ul><li><a href=/x>Another page of the same site</a></ul>"

    assert is_mostly_text(blocks_of(f"<p>{LONG}</p>{links}"))
    assert not is_mostly_text(blocks_of(f"<p>Words</p>{links}"))


def test_a_bar_that_announces_is_a_margin_though_it_is_longer_than_the_text():
    bar = f"<div class=promo-bar>{LONG * 3}</div>"
    blocks = blocks_of(f"{bar}<div class=progress-bar>Half</div><p>{LONG}</p>")

    cut_margins(blocks)

    assert kept(blocks) == ["Half", "Words"]


def test_buttons_badges_and_forms_stand_beside_a_text():
    html = f"<p>{LONG}</p><a class='btn big'>button</a><i class=badge>badge</i><form>form<i>x</i>"
    blocks = blocks_of(html)

    cut_named(blocks, NONE, NONE)

    assert kept(blocks) == ["Words"]


def test_a_form_around_the_text_and_the_forms_of_records_are_no_margins():
    whole = blocks_of(f"<form class=search><p>{LONG}</p></form>")
    records = blocks_of(f"<form>{LONG}</form>" * 5)

    cut_named(whole, NONE, NONE)
    cut_named(records, NONE, NONE)

    assert kept(whole) == ["Words", "Words"]
    assert kept(records) == ["Words"] * 5


def test_what_opens_the_text_below_a_heading_and_a_sentence_are_more_than_buttons():
    html = f"<p>{LONG * 3}</p><h4><a class=btn>question</a></h4><a class=btn>press</a>"
    blocks = blocks_of(f"{html}<i class=btn>Learn about the signs of a storm at sea in time</i>")

    cut_named(blocks, NONE, NONE)

    assert kept(blocks) == ["Words", "question", "Learn"]


def test_of_names_that_mark_as_much_the_same_are_believed_in_every_process():
    names = ("actions", "author", "date", "meta", "tags", "teaser")
    blocks = blocks_of("".join(f"<div class={name}>{name} {LONG[:50]}</div>" for name in names))

    cut_named(blocks, NONE, NONE)

    left = [block.node.text.split()[0] for block in blocks.inside(0)]
    assert left == sorted(left)[-len(left) :]
    assert left[-1] == "teaser"
