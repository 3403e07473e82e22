"""Is a plain text titled by what it is about?"""

from __future__ import annotations

import pytest

from gossamer.core.crawl.job import JobConfig, Rules
from gossamer.core.page.plain_text import MAX_TITLE, read
from gossamer.core.page.read_response import StoredResponse

RULES = Rules(JobConfig())
LONG = "The spider builds its web at night and waits until the morning, and " * 5


def title(text: str, url: str = "http://a.test/doc/notes%20on_silk.txt") -> str:
    response = StoredResponse(text.encode(), url, (("Content-Type", "text/plain"),))
    return read(response, RULES).documents[0].title


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Notes on silk\n\nSilk is strong.", "Notes on silk"),
        ("\n\n   =====\n   Notes  on\tsilk\n   =====\n", "Notes on silk"),
        ("# Notes on silk #\ntext", "Notes on silk"),
        ("/*** Notes on silk ***/\n", "Notes on silk"),
        ("1.\n2024-05-06\nNotes on silk", "Notes on silk"),
        (
            "#!/bin/sh\n# -*- coding: utf-8 -*-\n# $Id$\n# vim: ts=4\n# Notes on silk",
            "Notes on silk",
        ),
        ("蜘蛛の糸\nText", "蜘蛛の糸"),
        ("", "notes on_silk.txt"),
        ("1 2 3\n4 5 6", "notes on_silk.txt"),
        ("- - -\n" * 30 + "Too late", "notes on_silk.txt"),
    ],
)
def test_a_text_is_titled_by_its_first_line_with_words_or_by_its_file(text, expected):
    assert title(text) == expected


@pytest.mark.parametrize("text", [LONG, "x" * 10_000, "x" * 300 + " y"])
def test_a_long_line_is_cut_to_a_title(text):
    found = title(text)

    assert len(found) <= MAX_TITLE + 1
    assert found.endswith("…")
    assert text.startswith(found[:-1])


@pytest.mark.parametrize(
    ("url", "expected"), [("http://a.test/", ""), ("http://a.test/x/?q=1", "")]
)
def test_without_words_and_without_a_file_there_is_no_title(url, expected):
    assert title("42", url) == expected
