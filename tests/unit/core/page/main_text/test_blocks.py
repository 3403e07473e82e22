from resiliparse.parse.html import HTMLTree

from gossamer.core.page.main_text import blocks as blocks_module
from gossamer.core.page.main_text.blocks import Blocks


def blocks_of(html: str) -> Blocks:
    blocks = Blocks.of(HTMLTree.parse(html).body)
    assert blocks is not None
    return blocks


def test_a_block_knows_how_much_text_it_holds_and_how_much_is_linked():
    blocks = blocks_of("<div>four<p>five5 <a href=x>six six</a></p></div><script>no</script>")

    body, div, paragraph, link = blocks.list
    assert [block.tag for block in blocks.list] == ["body", "div", "p", "a"]
    assert (body.chars, div.chars, paragraph.chars, link.chars) == (16, 16, 12, 7)
    assert (body.links, div.links, paragraph.own) == (7, 7, 5)


def test_those_inside_of_a_block_follow_it_up_to_its_end():
    blocks = blocks_of("<ul><li>a<li><b>b</b></ul><p>c</p>")

    assert [(block.tag, block.end) for block in blocks.list] == [
        ("body", 6), ("ul", 5), ("li", 3), ("li", 5), ("b", 5), ("p", 6),
    ]  # fmt: skip


def test_names_are_the_words_of_class_and_id_but_ids_of_sections_are_headings():
    blocks = blocks_of("<div class='topNav side-bar' id=menu_2>a</div><section id=menu>b</section>")

    assert blocks.list[1].names == {"top", "nav", "side", "bar", "menu"}
    assert blocks.list[2].names == set()


def test_what_was_cut_counts_no_more():
    blocks = blocks_of("<div><p>one</p><p>three</p></div>")

    blocks.cut(2)
    blocks.measure()

    assert blocks.list[0].chars == 5
    assert [block.tag for block in blocks.inside(0)] == ["div", "p"]
    assert list(blocks.children(1)) == [3]


def test_the_outermost_are_found_and_what_they_hold_is_passed_over():
    blocks = blocks_of("<div><p>a</p></div><ul><li><div>b</div></ul>")

    assert list(blocks.outermost(0, lambda block: block.tag == "div")) == [1, 5]


def test_a_page_with_too_many_blocks_has_none(monkeypatch):
    monkeypatch.setattr(blocks_module, "MAX_BLOCKS", 10)

    assert Blocks.of(HTMLTree.parse("<p>a" * 11).body) is None


def test_deep_pages_need_no_deep_stack():
    assert blocks_of("<div>" * 5000 + "x").list[0].chars == 1
