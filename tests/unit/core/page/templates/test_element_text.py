"""Is the text of an element that of its pieces, however soon it is long enough?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from gossamer.core.page.templates.element_text import text_of

PIECES = st.lists(st.sampled_from(["wool ", " silk", "x", "  ", "\n"]), max_size=40)


@given(PIECES, st.integers(1, 60))
def test_a_text_is_cut_where_its_words_without_spare_space_are_long_enough(pieces, limit):
    text = "".join(pieces)
    element = html.fragment_fromstring("<b></b>".join(["", *pieces]), create_parent="span")

    found = text_of(element, limit)

    # A long text is not read to its end; where the reading ends depends on its pieces.
    least = " ".join(text[: 8 * limit].split())[:limit].rstrip()
    assert " ".join(text.split()).startswith(found)
    assert len(least) <= len(found) <= limit


def test_blocks_are_words_of_their_own():
    element = html.fragment_fromstring("<ul><li>a<li><b>b</b>c</ul>" * 50, create_parent="div")

    assert text_of(element, 1_000) == " ".join(["a bc"] * 50)
    assert text_of(element, 8) == "a bc a b"
