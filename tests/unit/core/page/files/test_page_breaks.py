"""Is the page of a snippet found?"""

from __future__ import annotations

import pytest

from gossamer.core.page.files.page_breaks import PAGE_BREAK, page_in
from gossamer.core.search.result import Highlight

TEXT = PAGE_BREAK.join(["Silk is\nstrong.", "Glue is viscid. It", "holds flies. Silk again."])


def pieces(*parts: str) -> list[Highlight]:
    """Pieces of a snippet; those in capitals of the form *x* are marked."""
    return [Highlight(part.strip("*"), part.startswith("*")) for part in parts]


@pytest.mark.parametrize(
    ("snippet", "page"),
    [
        (pieces("Silk is ", "*strong*", "."), 1),
        (pieces("… is ", "*viscid*", ". It"), 2),
        (pieces("*holds*", " flies. …"), 3),
        (pieces("It holds ", "*flies*", "."), 3),  # over the end of a page
        (pieces("nowhere"), 0),
        (pieces(), 0),
    ],
)
def test_a_snippet_is_on_the_page_of_its_words(snippet, page):
    assert page_in(TEXT, snippet) == page
