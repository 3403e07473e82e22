"""Does the API answer from the index as it is, also when it has answered before?"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from gossamer import homes
from gossamer.core.collection import CollectionSettings
from gossamer.core.index.declared import Column
from gossamer.core.page.document import Document
from gossamer.core.page.values import Money
from gossamer.core.urls import url_id
from gossamer.entrypoints.api.answers import Request, answer
from gossamer.entrypoints.api.endpoints import Backend, search
from gossamer.entrypoints.api.endpoints import document as one_document
from gossamer.entrypoints.api.services import local_search
from gossamer.settings import Settings
from tests.indexing import index_home

if TYPE_CHECKING:
    from gossamer.core.page.values import Value


@pytest.fixture
def settings(tmp_path):
    return Settings(data=str(tmp_path))


def publish(settings: Settings, text: str, fetched_at: float) -> None:
    home = homes.open_home(settings)
    url = "http://a.test/"
    home.documents.put(url_id(url), [Document(url=url, title="t", text=text)], fetched_at)
    index_home(home)
    home.close()


def test_an_answer_that_is_remembered_is_the_answer(settings):
    publish(settings, "silk and wool", 1.0)
    service = local_search(settings)

    first, again = service.search("silk"), service.search("silk")

    assert [hit.url for hit in first.hits] == ["http://a.test/"]
    assert again.hits == first.hits


def test_what_is_remembered_is_forgotten_when_the_index_changes(settings):
    publish(settings, "silk and wool", 1.0)
    service = local_search(settings)
    before = service.search("silk").total

    publish(settings, "only wool", 2.0)

    assert (before, service.search("silk").total, service.search("wool").total) == (1, 0, 1)


def test_declared_columns_reach_the_parameters_of_the_api(settings):
    home = homes.open_home(settings)
    columns = {"price": Column(type="money", facet=True, sort=True)}
    home.settings.put(CollectionSettings(version=1, columns=columns))
    for name, amount in (("cheap", 5.0), ("dear", 50.0)):
        url = f"http://a.test/{name}"
        values: dict[str, Value] = {"price": Money(amount, "EUR"), "colour": "red"}
        document = Document(url=url, title=name, text="silk", kind="item", values=values)
        home.documents.put(url_id(url), [document], 1.0)
    index_home(home)
    home.close()
    backend = Backend(lambda: local_search(settings))

    def ask(**query: str) -> Any:
        request = Request(query={name: [value] for name, value in query.items()})
        made = answer(partial(search, backend), request)
        return made.status, json.loads(made.body)

    status, body = ask(
        q="silk price:<100",
        sort="-price",
        facets="price_currency,kind",
        fields="price",
        similar="all",
    )
    assert status == 200
    assert [(hit["title"], hit["values"]) for hit in body["hits"]] == [
        ("dear", {"price": {"type": "money", "amount": 50.0, "currency": "EUR"}}),
        ("cheap", {"price": {"type": "money", "amount": 5.0, "currency": "EUR"}}),
    ]
    assert body["facets"] == {
        "price_currency": [{"value": "EUR", "count": 2}],
        "kind": [{"value": "item", "count": 2}],
    }
    [id, _] = [hit["id"] for hit in body["hits"]]
    shown = json.loads(answer(partial(one_document, backend), Request(args={"id": id})).body)
    assert (shown["kind"], shown["values"]["colour"]) == ("item", "red")

    for wrong in ({"sort": "colour"}, {"facets": "colour"}, {"q": "colour:red"}):
        status, body = ask(**({"q": "silk"} | wrong))
        assert (status, body["error"]["field"]) == (400, next(iter(wrong)))
        assert "price" in body["error"]["message"]
