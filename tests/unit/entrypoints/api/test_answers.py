"""Does every answer have its validators, its safety headers and its errors?"""

from __future__ import annotations

from pathlib import Path

import pytest

from gossamer.core.errors import CorruptRecord, StoreFailed, StoreGone
from gossamer.entrypoints.api.endpoints import collection, pages, search
from tests.unit.entrypoints.api.asking import ask, error


def test_an_answer_already_known_is_not_sent_again(fake):
    first = ask(search.search, q="silk")
    again = ask(search.search, q="silk", headers={"if-none-match": first.headers["ETag"]})

    assert again.status == 304
    assert again.body == ""
    assert again.headers["ETag"] == first.headers["ETag"]
    assert "Content-Type" not in again.headers


def test_how_long_a_search_took_makes_no_other_answer(fake, monkeypatch):
    first = ask(search.search, q="silk")
    usual = fake.search

    def slower(*args, **options):
        response = usual(*args, **options)
        response.took_ms = 99.0
        return response

    monkeypatch.setattr(fake, "search", slower)

    assert ask(search.search, q="silk").headers["ETag"] == first.headers["ETag"]


@pytest.mark.parametrize("given", ["*", '"x", {tag}', "{strong}"])
def test_a_validator_is_recognised_in_all_its_forms(fake, given):
    tag = ask(pages.home).headers["ETag"]
    given = given.format(tag=tag, strong=tag.removeprefix("W/"))

    assert ask(pages.home, headers={"if-none-match": given}).status == 304


def test_another_validator_gets_the_whole_answer(fake):
    assert ask(pages.home, headers={"if-none-match": '"x"'}).status == 200


def test_head_has_no_body(fake):
    made = ask(search.search, method="HEAD", q="silk")

    assert [made.status, made.body] == [200, ""]


def test_a_preflight_names_methods_and_leaves_the_origin_to_the_edge(fake):
    made = ask(search.search, method="OPTIONS", q="silk")

    assert made.status == 204
    assert "GET" in made.headers["Access-Control-Allow-Methods"]
    assert "Access-Control-Allow-Origin" not in made.headers, "access.py says who may read"


@pytest.mark.parametrize("query", [{"q": "silk"}, {"q": '"'}, {}])
def test_every_answer_keeps_a_browser_safe(fake, query):
    headers = ask(search.search, **query).headers

    assert "unsafe" not in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("raised", "status", "message"),
    [
        (StoreFailed("the disk is full"), 503, "the disk is full"),
        (StoreGone(Path("web.db"), Path("warc")), 503, "`gossamer rebuild --data .`"),
        (CorruptRecord("block 7 of silk cannot be read"), 500, "block 7 of silk"),
        (ValueError("a secret"), 500, "something went wrong"),
    ],
)
def test_a_failure_of_ours_says_what_it_may(fake, monkeypatch, raised, status, message):
    def fail():
        raise raised

    monkeypatch.setattr(fake, "stats", fail)

    made = ask(collection.stats)

    assert made.status == status
    assert message in error(made)["message"]
