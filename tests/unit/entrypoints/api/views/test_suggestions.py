"""Do browsers get completions that they can read and open?"""

from __future__ import annotations

import json

from gossamer.core.search.result import Suggestion, SuggestResponse
from gossamer.entrypoints.api.views.suggestions import to_suggestions

BASE = "https://search.test/dev/"


def answer(*suggestions: Suggestion) -> list[object]:
    found = SuggestResponse(query="s", suggestions=list(suggestions), took_ms=1.0)
    read: list[object] = json.loads(to_suggestions(found, BASE))
    return read


def test_a_completion_leads_to_its_page_or_to_a_search_for_it():
    said = answer(
        Suggestion("Silk", "title", "http://a.test/silk"), Suggestion("spider & web", "phrase")
    )

    assert said == [
        "s",
        ["Silk", "spider & web"],
        ["title", "phrase"],
        ["http://a.test/silk", "https://search.test/dev/?q=spider+%26+web"],
    ]


def test_only_addresses_of_the_web_are_opened():
    said = answer(Suggestion("Silk", "title", "javascript:alert(1)"))

    assert said[3] == ["https://search.test/dev/?q=Silk"]


def test_nothing_is_four_empty_places():
    assert answer() == ["s", [], [], []]
