import pytest
from resiliparse.parse.html import TEXT, HTMLTree

from gossamer.core.page.main_text.blocks import Blocks
from gossamer.core.page.main_text.side_headings import Side, side_of
from gossamer.core.page.main_text.side_sections import cut_side_sections
from tests.unit.core.page.main_text.pages import framed, prose, sentence, text_of

STORY = f"<div>{prose(6)}</div>"
LINKS = "".join(f"<div><a href=/{n}>Another tale {n}</a><i>short</i></div>" for n in range(4))


def left(html: str, *, comments: bool = True) -> str:
    tree = HTMLTree.parse(f"<body>{STORY}{html}</body>")
    blocks = Blocks.of(tree.body)
    assert blocks is not None
    cut_side_sections(blocks, comments=comments)
    shown = [block.node for block in blocks.list if not block.gone]
    return " ".join(each.value for node in shown for each in node.child_nodes if each.type == TEXT)


@pytest.mark.parametrize(
    ("heading", "side"),
    [
        ("Related articles", Side.PAGES),
        ("You may also like…", Side.PAGES),
        ("More stories", Side.PAGES),
        ("Das könnte Sie interessieren", Side.PAGES),
        ("Subscribe to our newsletter", Side.SITE),
        ("Follow us", Side.SITE),
        ("3 Comments", Side.COMMENTS),
        ("Related work", None),
        ("Top ten products", None),
        ("More about compasses", None),
        ("Shares of the company", None),
        ("Comments in Python", None),
    ],
)
def test_a_heading_tells_what_is_below_it(heading, side):
    assert side_of(heading) is side


def test_a_section_about_other_pages_is_cut_whatever_its_classes_are():
    html = f"<div class=x1f><div><h2>Related articles</h2></div><div class=q7>{LINKS}</div></div>"

    assert "Another tale" not in left(html)
    assert sentence(11) in left(html)


def test_what_follows_a_heading_without_a_part_of_its_own_is_cut_up_to_the_next_heading():
    html = f"<div>Before<h2>Up next</h2>{LINKS}<h2>Routes</h2><p>By the river.</p></div>"

    text = left(html)

    assert "Another tale" not in text
    assert "Before" in text
    assert "By the river." in text


def test_a_section_with_a_heading_of_the_same_rank_is_more_than_what_stands_beside():
    html = f"<div><div><h2>Trending</h2>{LINKS}</div><h2>Routes</h2><p>By the river.</p></div>"

    assert "By the river." in left(html)
    assert "Another tale" not in left(html)


def test_a_section_about_other_pages_without_links_is_believed_to_be_text():
    html = f"<div><h2>Related topics</h2><p>{sentence(50)}</p></div>"

    assert sentence(50) in left(html)


def test_a_long_text_below_the_word_of_a_margin_is_kept():
    html = f"<div><h2>Subscribe</h2>{prose(7, 50)}</div>"

    assert sentence(50) in left(html + STORY)


def test_most_of_a_page_stands_beside_nothing():
    html = f"<div><h2>Related articles</h2>{LINKS * 12}</div>"

    assert "Another tale" in left(html)


def test_what_each_record_has_is_a_part_of_it():
    records = "".join(f"<div>Trip<div><b>Tags</b><a>far {n}</a></div></div>" for n in range(3))

    assert "far 2" in left(records)
    assert "far 1" not in left("<div>Voyage<div><b>Tags</b><a>far 1</a></div></div>")


def test_comments_stand_beside_an_article_and_are_the_text_of_a_forum():
    html = "<div><h3>2 Comments</h3><p>I was there, and it rained.</p></div>"

    assert "rained" not in left(html)
    assert "rained" in left(html, comments=False)


def test_a_list_of_pages_keeps_its_sections():
    records = "".join(f"<li><a href=/{n}>A tale of {n} days and nights</a>" for n in range(9))
    html = framed(f"<main><h1>Tales</h1><div><h2>Latest posts</h2><ul>{records}</ul></div></main>")

    assert "A tale of 8 days" in text_of(html)


def test_a_page_of_nothing_but_such_headings_is_about_them():
    sections = "".join(f"<div><h2>Related {n} stories</h2><a>far {n}</a></div>" for n in range(101))

    assert "far 7" in left(sections)
