"""Do the tools read what there is, and tell a model what it did wrong?"""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from gossamer.core.search.result import Correction
from gossamer.entrypoints.mcp import tools as module
from gossamer.entrypoints.mcp.tools import Tools
from tests.fake_search import FakePage, FakeSearch, fake_id


def call(name, fake=None, **arguments):
    return Tools(lambda: fake or FakeSearch()).call(name, arguments)


def test_a_search_gives_what_read_needs():
    found = call("search", query="silk moth", limit=1).value

    assert found["total"] == 4
    [first] = found["results"]
    assert first["title"] == "Silk moth"
    assert call("read", id=first["id"]).text.startswith("# Silk moth\n")


def test_filters_narrow_a_search_and_bad_ones_are_explained():
    found = call("search", query="silk", filter=["site:looms.test"]).value
    wrong = call("search", query="silk", filter=["price:x..y"])

    assert [urlsplit(each["url"]).hostname for each in found["results"]] == ["looms.test"]
    assert wrong.is_error
    assert "price" in wrong.text


def test_values_are_counted_and_given_on_request():
    fake = FakeSearch([FakePage("https://a.test/x", "Orb", "silk", brand="acme")])

    plain = call("search", fake, query="silk").value
    found = call("search", fake, query="silk", facets=["brand", "lang"], fields=["*"]).value

    assert found["facets"] == {
        "brand": [{"value": "acme", "count": 1}],
        "lang": [{"value": "en", "count": 1}],
    }
    assert found["results"][0]["values"] == {"brand": "acme"}
    assert not {"facets", "values"} & {*plain, *plain["results"][0]}


def test_results_of_another_spelling_are_said_to_be_that():
    fake = FakeSearch(correction=Correction("slik", "silk", applied=True, words=[]))

    found = call("search", fake, query="silk").value
    typed = call("search", fake, query="silk", correct=False).value

    assert found["correction"] == {"typed": "slik", "corrected": "silk", "applied": True}
    assert "correction" not in typed


def test_a_search_that_was_stopped_says_what_is_missing():
    found = call("search", FakeSearch(stopped="stopped after 2 s"), query="silk").value

    assert found["partial"]
    assert found["notes"] == ["stopped after 2 s"]
    assert "partial" not in call("search", query="silk").value


def test_a_document_is_read_by_its_address_too():
    page = FakePage("https://a.test/x", "Orb", "silk")

    assert call("read", FakeSearch([page]), url="a.test/x").text.startswith("# Orb\n")


def test_a_long_document_comes_in_parts(monkeypatch):
    monkeypatch.setattr(module, "MAX_CHARACTERS", 60)
    fake = FakeSearch([FakePage("https://a.test/x", "Orb", "word " * 30)])

    first = call("read", fake, url="https://a.test/x").text
    rest = [
        call("read", fake, url="https://a.test/x", offset=at).text for at in (60, 120, 180, 240)
    ]

    whole = "".join(part.partition("\n\n[")[0] for part in (first, *rest))
    assert "go on with offset 60]" in first
    assert whole.count("word") == 30
    assert "offset" not in rest[-1]


def test_a_url_is_explained():
    called = call("explain_url", url="https://a.test/none")

    assert called.value["state"] == "unknown"
    assert "no page links to it" in called.text


def test_collections_say_which_is_searched():
    listed = call("collections").value["collections"]

    assert [(each["collection"], each["is_searched"]) for each in listed] == [
        ("web", True),
        ("other", False),
    ]
    assert listed[0]["documents"] == 65


@pytest.mark.parametrize(
    ("name", "arguments", "word"),
    [
        ("search", {}, "query"),
        ("search", {"query": ""}, "length"),
        ("search", {"query": "a", "limit": 51}, "limit"),
        ("search", {"query": "a", "colour": "red"}, "colour"),
        ("search", {"query": '"open'}, "quote is never closed"),
        ("read", {}, "either"),
        ("read", {"id": fake_id(1), "url": "https://a.test/"}, "either"),
        ("read", {"id": "one"}, "id"),
        ("read", {"url": "mailto:x"}, "not a web address"),
        ("read", {"url": "https://a.test/none"}, "explain_url"),
        ("explain_url", {"url": ""}, "url"),
        ("collections", {"x": 1}, "x"),
    ],
)
def test_what_a_model_did_wrong_it_is_told(name, arguments, word):
    called = call(name, **arguments)

    assert called.is_error
    assert word in called.text


def test_every_tool_says_what_it_takes():
    described = {each["name"]: each["inputSchema"] for each in Tools(FakeSearch).described()}

    assert described["search"]["required"] == ["query"]
    assert described["search"]["properties"]["limit"]["maximum"] == 50
    assert described["collections"] == {
        "type": "object",
        "properties": {},
        "required": [],
        "additionalProperties": False,
        "description": described["collections"]["description"],
    }
    assert all("$ref" not in str(schema) for schema in described.values())
