from resiliparse.parse.html import HTMLTree

from gossamer.core.page.main_text.blocks import Blocks
from gossamer.core.page.main_text.prose import prose_part

PARAGRAPH = f"<p>{'Words of a long paragraph that tells a story. ' * 3}</p>"


def part_of(html: str) -> str:
    blocks = Blocks.of(HTMLTree.parse(html).body)
    assert blocks is not None
    block = blocks.list[prose_part(blocks, 0)]
    return str(block.node.getattr("id") or block.tag)


def test_the_innermost_part_with_nearly_all_of_the_prose_is_found():
    story = f"<div id=outer><div id=inner>{PARAGRAPH * 9}</div><div>{PARAGRAPH}</div></div>"

    assert part_of(f"{story}<div>short</div>") == "inner"


def test_prose_in_two_places_is_taken_together():
    halves = f"<div>{PARAGRAPH * 4}</div>" * 2

    assert part_of(f"<div id=both>{halves}</div><div>short</div>") == "both"


def test_a_page_with_little_prose_has_no_part_of_prose():
    assert part_of(f"<div>{PARAGRAPH}</div><div>short</div>") == "body"


def test_one_long_list_is_not_cut_out_of_its_surroundings():
    items = PARAGRAPH.replace("p>", "li>") * 9

    assert part_of(f"<div id=text><h1>List</h1><ul>{items}</ul></div>") == "text"
