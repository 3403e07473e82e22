from resiliparse.parse.html import HTMLTree

from gossamer.core.page.main_text.blocks import Blocks
from gossamer.core.page.main_text.repeats import cut_repeats

TEXT = "A description of the thing."


def kept(html: str) -> int:
    blocks = Blocks.of(HTMLTree.parse(html).body)
    assert blocks is not None
    cut_repeats(blocks, 0)
    blocks.measure()
    return blocks.list[0].chars


def test_a_text_is_left_once_where_it_stands_first():
    assert kept(f"<div><p>{TEXT}</p></div><div><div>{TEXT}</div></div>") == len(TEXT)


def test_a_text_inside_of_another_element_is_not_its_repetition():
    assert kept(f"<section><div><p>{TEXT}</p></div></section>") == len(TEXT)


def test_short_texts_may_be_said_twice():
    assert kept("<p>Sold out</p><p>Sold out</p>") == 16
