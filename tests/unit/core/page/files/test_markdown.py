"""Is Markdown read as its reader sees it?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.read_files import parsed

TYPE = "text/markdown"
TEXT = """---
title: "Silk, again"
author: A. Spider
date: 2024-05-31
---
# On *Silk*

Silk is **strong** and `light`; see [glue](glue.md "Glue") and <http://b.test/x>.
![a web](web.png)

Glue
----
- one
- [two](/two)

```python
x = a * b * c  # not [a link](nowhere)
```
"""


def test_marks_are_gone_and_code_stays():
    (document,) = parsed(TEXT.encode(), TYPE).documents

    assert "Silk is strong and light; see glue and http://b.test/x." in document.text
    assert "a web" in document.text
    assert "x = a * b * c" in document.text
    assert "**" not in document.text


def test_front_matter_and_headings_say_what_it_is():
    (document,) = parsed(TEXT.encode(), TYPE).documents

    assert (document.title, document.date, document.kind) == (
        "Silk, again",
        "2024-05-31",
        "markdown",
    )
    assert document.headings == [(1, "On Silk"), (2, "Glue")]
    assert document.values["author"] == "A. Spider"
    assert "author:" not in document.text


def test_links_lead_on_and_images_do_not():
    links = parsed(TEXT.encode(), TYPE, "http://a.test/docs/silk.md").outlinks

    found = [(link.url, link.anchor) for link in links]
    assert ("http://a.test/docs/glue.md", "glue") in found
    assert ("http://a.test/two", "two") in found
    assert ("http://b.test/x", "") in found
    assert not any("web.png" in url for url, _ in found)


@given(st.text(alphabet="#*_`[]()<>!-= \nab~.1", max_size=300))
def test_nothing_that_looks_like_markdown_fails(text):
    parsed(text.encode(), TYPE)
