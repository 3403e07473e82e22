"""Has a document its own date or none, never that of its fetch, in every home?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gossamer import homes
from gossamer.core.ids import document_id
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from tests.indexing import index_home

if TYPE_CHECKING:
    from gossamer.core.search.result import Hit
    from gossamer.ports.home import Home

FETCHED = 1_700_000_000.0  # 14 November 2023
FACTS: dict[str, dict[str, str]] = {
    "dated": {"published_at": "2020-05-06", "date": "2020-05-06", "date_source": "meta"},
    "changed": {"date": "2022-01-02T03:04:05+00:00", "date_source": "last-modified"},
    "year": {"published_at": "2021", "date": "2021", "date_source": "json-ld"},
    "older": {"published_at": "2019-01-01"},  # stored before documents had a date
    "undated": {},
}


def url_of(name: str) -> str:
    return f"http://a.test/{name}"


@pytest.fixture
def home(any_home: Home) -> Home:
    for name, facts in FACTS.items():
        document = Document(url=url_of(name), text=f"silk {name}", **facts)  # type: ignore[arg-type]
        any_home.documents.put(url_id(document.url), [document], FETCHED)
    any_home.commit()
    index_home(any_home)
    return any_home


def hits(home: Home, query: str = "silk", **how: Any) -> dict[str, Hit]:
    found = homes.searcher(home).search(query, similar="all", **how).hits
    return {hit.url.rpartition("/")[2]: hit for hit in found}


def test_a_result_has_its_date_and_what_says_so_and_apart_when_it_was_fetched(home):
    found = hits(home)

    assert {name: (hit.date, hit.date_source) for name, hit in found.items()} == {
        "dated": ("2020-05-06", "meta"),
        "changed": ("2022-01-02T03:04:05+00:00", "last-modified"),
        "year": ("2021", "json-ld"),
        "older": ("2019-01-01", ""),
        "undated": ("", ""),
    }
    assert {hit.fetched for hit in found.values()} == {"2023-11-14T22:13:20+00:00"}


def test_what_has_no_date_comes_last_and_fits_no_filter(home):
    assert list(hits(home, sort="date")) == ["older", "dated", "year", "changed", "undated"]
    assert list(hits(home, sort="-date")) == ["changed", "year", "dated", "older", "undated"]
    assert set(hits(home, "silk before:2100")) == {"older", "dated", "year", "changed"}
    assert set(hits(home, "silk after:2020-12-31")) == {"year", "changed"}
    assert set(hits(home, "silk date:2023")) == set()


@pytest.mark.parametrize(("name", "date"), [("changed", FACTS["changed"]["date"]), ("undated", "")])
def test_a_document_is_shown_with_its_date(home, name, date):
    view = homes.searcher(home).document(document_id(url_id(url_of(name))))

    assert view is not None
    assert (view.date, view.published_at) == (date, "")
    assert view.fetched_at == "2023-11-14T22:13:20+00:00"
