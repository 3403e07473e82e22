"""Does the API answer from the index as it is, also when it has answered before?"""

from __future__ import annotations

import dataclasses
import json
import math
from contextlib import closing
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from gossamer import homes
from gossamer.core.collection import CollectionSettings
from gossamer.core.errors import OverBudget
from gossamer.core.index.declared import Column
from gossamer.core.page.document import Document
from gossamer.core.page.values import Money
from gossamer.core.urls import url_id
from gossamer.entrypoints.api.answers import Request, answer
from gossamer.entrypoints.api.backend import Backend
from gossamer.entrypoints.api.endpoints.documents import document as one_document
from gossamer.entrypoints.api.endpoints.search import search
from gossamer.entrypoints.api.endpoints.settings import replace_settings
from gossamer.entrypoints.api.endpoints.synonyms import replace_synonyms
from gossamer.entrypoints.api.gateway_event import Head
from gossamer.entrypoints.api.reply import Asked, Replier, budget_clock
from gossamer.entrypoints.api.routes import make_app
from gossamer.entrypoints.api.services import (
    BATCH_IS_OVER,
    HomeSearch,
    backend_of,
    local_search,
)
from gossamer.entrypoints.mcp.protocol import handle
from gossamer.entrypoints.mcp.tools import Tools
from gossamer.ports.home import CRAWL
from gossamer.search import budget
from gossamer.settings import Settings
from scripts.bench.worlds.worst_queries import worst
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


def test_a_change_of_settings_is_noticed_by_a_service_that_runs(settings):
    publish(settings, "silk", 1.0)
    service = local_search(settings)
    before = service.search("silk").hits[0].score

    with closing(homes.open_home(settings)) as home:
        home.settings.put(CollectionSettings(version=1, formula="7"))
        home.commit()

    assert service.search("silk").hits[0].score == pytest.approx(before + 7)


def test_settings_that_were_put_over_http_hold_from_the_next_query_on(settings, tmp_path):
    publish(settings, "silk and cocoon", 1.0)
    (tmp_path / "key").write_text("a key of this test\n")
    settings = dataclasses.replace(settings, admin_secret=str(tmp_path / "key"))
    backend = backend_of(settings)
    shown = {"authorization": "Bearer a key of this test", "if-match": "*"}

    def put(endpoint, kind, body):
        headers = {**shown, "content-type": kind}
        made = answer(partial(endpoint, backend), Request("PUT", {}, headers, body=body), ["PUT"])
        return made.status

    before = backend.search().search("silk").hits[0].score
    first = put(replace_settings, "application/json", '{"formula": "7"}')
    second = put(replace_synonyms, "text/plain", "pupa, cocoon")

    assert (first, second) == (200, 200)
    assert backend.search().search("silk").hits[0].score == pytest.approx(before + 7)
    assert backend.search().search("pupa").total == 1

    with closing(homes.open_home(settings)) as home:
        home.lock(CRAWL)
        assert put(replace_settings, "application/json", "{}") == 409


def test_without_a_key_nobody_changes_settings(settings):
    publish(settings, "silk", 1.0)
    request = Request("PUT", {}, {"authorization": "Bearer x", "if-match": "*"}, body="{}")

    refused = answer(partial(replace_settings, backend_of(settings)), request, ["PUT"])

    assert refused.status == 403
    assert "--admin-key" in refused.body


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

    for wrong in ({"sort": "colour"}, {"facets": "colour"}):
        status, body = ask(**({"q": "silk"} | wrong))
        assert (status, body["error"]["field"]) == (400, next(iter(wrong)))
        assert "price" in body["error"]["message"]


def replier(settings: Settings, seconds: float) -> Replier:
    service = local_search(dataclasses.replace(settings, search_seconds=seconds))
    return Replier(make_app(Backend(lambda: service)))


def reply(app: Replier, target: str, patience: float = math.inf) -> Any:
    made = app.reply(Asked(Head("GET", target, "HTTP/1.1", {}), patience=patience))
    return made.status, json.loads(made.body), made.headers["Cache-Control"]


class SteppingClock:
    """A clock that goes on by itself, by as much at every look."""

    def __init__(self, step):
        self.step, self.now = step, 0.0

    def __call__(self):
        self.now += self.step
        return self.now


def call(number: int, query: str = "silk") -> dict[str, Any]:
    params = {"name": "search", "arguments": {"query": f"{query} {number}"}}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def texts_of(body: Any) -> list[str]:
    return [each["result"]["content"][0]["text"] for each in body]


def test_the_calls_of_a_batch_share_the_time_of_one_request(settings):
    publish(settings, "silk", 1.0)
    service = local_search(dataclasses.replace(settings, search_seconds=10.0))
    token = budget_clock.set(SteppingClock(1.0))
    try:
        batch = handle(json.dumps([call(n) for n in range(10)]), Tools(lambda: service))
        alone = handle(json.dumps(call(11)), Tools(lambda: service))
    finally:
        budget_clock.reset(token)

    texts = texts_of(batch.body)
    assert '"partial":true' in texts[0] or '"total":1' in texts[0]
    assert BATCH_IS_OVER in texts[-1]
    assert BATCH_IS_OVER not in texts_of([alone.body])[0]


def test_the_calls_of_a_batch_share_the_reads_of_one_request(settings, monkeypatch):
    publish(settings, "silk", 1.0)
    service = local_search(settings)
    service._reads = 100.0
    reads = count(0.0, 5.0)  # as many at every look
    monkeypatch.setattr(HomeSearch, "_reads_so_far", lambda _self: next(reads))

    batch = handle(json.dumps([call(n) for n in range(10)]), Tools(lambda: service))

    assert BATCH_IS_OVER in texts_of(batch.body)[-1]


def test_nothing_is_searched_for_a_client_that_hung_up(settings):
    publish(settings, "silk", 1.0)
    service = local_search(settings)
    token = budget_clock.set(lambda: math.inf)
    try:
        with pytest.raises(OverBudget, match="hung up"):
            service.search("silk")
    finally:
        budget_clock.reset(token)


LITTLE = 1e-9  # seconds: over before the first look at the clock


@pytest.mark.parametrize("name", worst(0))
def test_the_worst_queries_are_answered_whole_or_say_what_is_missing(settings, name):
    publish(settings, "all the silk that a spider can make in one line", 1.0)

    status, whole, cache = reply(replier(settings, math.inf), worst(0)[name])
    assert (status, whole["partial"], cache) == (200, False, "public, max-age=30")

    status, part, cache = reply(replier(settings, LITTLE), worst(0)[name])
    assert (status, part["partial"], part["hits"], cache) == (200, True, [], "no-store")
    assert "results may be missing" in part["notes"][-1]
    assert "For a whole answer type more letters" in part["notes"][-1]


def test_a_partial_answer_is_not_remembered(settings):
    publish(settings, "silk", 1.0)
    service = local_search(dataclasses.replace(settings, search_seconds=LITTLE))
    assert service.search("silk").partial

    service._seconds = math.inf

    assert service.search("silk").total == 1


def test_what_is_asked_with_little_patience_is_given_up_instead_of_answered_in_part(settings):
    publish(settings, "silk", 1.0)
    app = replier(settings, math.inf)

    status, body, _ = reply(app, "/search?q=silk", patience=LITTLE)
    assert status == 503
    assert "type more letters" in body["error"]["message"]

    assert reply(app, "/search?q=silk")[1]["total"] == 1


def test_prefixes_of_too_many_words_are_refused(settings, monkeypatch):
    publish(settings, "silk", 1.0)
    monkeypatch.setattr(budget, "MOST_WORDS", 100)

    status, body, _ = reply(replier(settings, math.inf), "/search?q=s*")

    assert status == 400
    assert "a query looks up at most 100" in body["error"]["message"]
