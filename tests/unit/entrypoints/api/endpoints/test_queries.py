"""Are clicks taken only where they are counted, and reports given only to admins?"""

from __future__ import annotations

import json

import pytest

from gossamer.core.search.lexemes import MAX_TEXT
from gossamer.core.search.query_log import QueryReport
from gossamer.entrypoints.api.admin import Gate
from gossamer.entrypoints.api.backend import Backend
from gossamer.entrypoints.api.owner import Owner
from gossamer.entrypoints.api.routes import make_app
from tests.fake_search import FakeSearch
from tests.unit.entrypoints.api.asking import event


class Asked(Owner):
    """An owner who asks for nothing but queries."""

    def __init__(self) -> None:
        self.given: list[tuple[int, int]] = []

    def queries(self, days: int, limit: int) -> QueryReport:
        self.given.append((days, limit))
        return QueryReport(days=days, asked=0, most=[], no_result=[], no_click=[])


def post(search: FakeSearch, body: str) -> tuple[int, dict[str, object]]:
    asked = {**event("/clicks", method="POST"), "body": body}
    said = make_app(Backend(lambda: search))(asked, None)
    return int(said["statusCode"]), json.loads(said["body"])


def test_a_click_is_counted_where_queries_are_logged():
    search = FakeSearch(logs=True)

    assert post(search, '{"q": "silk"}') == (200, {"counted": True})
    assert search.clicks == ["silk"]


@pytest.mark.parametrize(("logs", "cache"), [(True, "no-cache"), (False, "public, max-age=30")])
def test_a_search_that_is_counted_is_asked_for_each_time(logs: bool, cache: str):
    asked = event("/search", query={"q": ["silk"]})
    said = make_app(Backend(lambda: FakeSearch(logs=logs)))(asked, None)

    assert said["statusCode"] == 200
    assert said["headers"]["Cache-Control"] == cache


def test_else_there_is_nothing_to_post_to():
    status, said = post(FakeSearch(), '{"q": "silk"}')

    assert (status, said["error"]) == (
        404,
        {"code": "not_found", "message": "queries are not logged here"},
    )


LONG = json.dumps({"q": "x" * (MAX_TEXT + 1)})


@pytest.mark.parametrize(
    "body", ["", "{}", '{"q": ""}', '{"q": 1}', '{"q": "a", "ip": "::1"}', LONG]
)
def test_what_is_no_click_is_refused(body: str):
    assert post(FakeSearch(logs=True), body)[0] == 400


def test_a_report_needs_the_key_and_takes_bounded_numbers():
    owner = Asked()
    app = make_app(Backend(FakeSearch, changing=lambda: (Gate(lambda: "key"), owner)))
    headers = {"Authorization": "Bearer key"}

    def ask(**more: object) -> int:
        return int(app(event("/queries", **more), None)["statusCode"])

    assert ask() == 401
    assert ask(headers=headers, query={"days": ["7"]}) == 200
    assert owner.given == [(7, 20)]
    assert ask(headers=headers, query={"days": ["0"]}) == 400
    assert ask(headers=headers, query={"since": ["0"]}) == 400


def test_without_a_key_the_command_reports():
    app = make_app(Backend(FakeSearch))

    assert app(event("/queries"), None)["statusCode"] == 403
