import pytest
from resiliparse.parse.html import HTMLTree

from gossamer.core.page.main_text.blocks import Blocks
from gossamer.core.page.main_text.declared import declared_part, largest

LONG = "Words of the text that the page is about. " * 5


def part_of(html: str, *, articles: bool = True) -> str:
    blocks = Blocks.of(HTMLTree.parse(html).body)
    assert blocks is not None
    return blocks.list[declared_part(blocks, articles=articles)].tag


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"<main>{LONG}</main><div>other</div>", "main"),
        (f"<div role=main>{LONG}</div><p>other</p>", "div"),
        (f"<main>Little</main><div>{LONG}</div>", "body"),
        (f"<main>Little</main><main>{LONG}</main>", "main"),
        (f"<main><article>{LONG}</article>other</main>", "article"),
        (f"<main><article>{LONG}</article><article>{LONG}{LONG[:9]}</article>.</main>", "article"),
        (f"<main>{f'<article>{LONG}</article>' * 3}</main>", "main"),
    ],
)
def test_a_declared_part_is_believed_if_it_has_most_of_the_text(html, expected):
    assert part_of(html) == expected


def test_the_longest_post_of_a_forum_is_not_its_text():
    html = f"<main><article>{LONG}</article><article>short</article></main>"

    assert part_of(html, articles=False) == "main"


def test_of_several_declared_parts_the_largest_is_taken():
    nodes = list(HTMLTree.parse("<main>a</main><main>abc</main>").body.child_nodes)

    assert largest(nodes) is not None
    assert [node.text for node in [largest(nodes)] if node] == ["abc"]
    assert largest([]) is None
