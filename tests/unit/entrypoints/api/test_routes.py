"""Do both routers, ours and Chalice, lead every event to its endpoint?"""

from __future__ import annotations

import json
import re
from threading import Barrier, Thread

import pytest

from gossamer.entrypoints.api import routes
from gossamer.entrypoints.lambdas import chalice_app
from tests.fake_search import fake_id
from tests.unit.entrypoints.api.asking import SERVED, event

MODULES = {"embedded": routes, "cloud": chalice_app}
APPS = {home: SERVED.app(module.make_app) for home, module in MODULES.items()}


@pytest.fixture(params=APPS)
def home(request) -> str:
    return str(request.param)


@pytest.fixture
def app(home):
    return APPS[home]


def test_a_search_arrives_with_its_parameters(app, fake):
    said = app(event("/search", query={"q": ["silk moth"], "limit": ["1"]}), None)

    assert said["statusCode"] == 200
    assert json.loads(said["body"])["hits"][0]["title"] == "Silk moth"
    assert json.dumps(said), "Lambda must be able to send it"


def test_completions_arrive_as_browsers_read_them(app, fake):
    asked = event("/suggest", query={"q": ["silk"], "limit": ["2"]}, headers={"Host": "a.test"})

    said = app(asked, None)

    assert said["headers"]["Content-Type"] == "application/x-suggestions+json"
    address = "https://silk.test/fibres/silk-moth.html"
    assert json.loads(said["body"]) == ["silk", ["Silk moth"], ["title"], [address]]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({}, "missing_parameter"),
        ({"q": [" "]}, "missing_parameter"),
        ({"q": ["a" * 10_000]}, "invalid_parameter"),
        ({"q": ["a\x00b"]}, "invalid_parameter"),
        ({"q": ["a\ud800"]}, "invalid_parameter"),
        ({"q": ["a"], "limit": ["21"]}, "invalid_parameter"),
        ({"q": ["a"], "limit": ["0"]}, "invalid_parameter"),
        ({"q": ["a", "b"]}, "repeated_parameter"),
        ({"q": ["a"], "page": ["2"]}, "unknown_parameter"),
    ],
)
def test_what_cannot_be_completed_is_refused(app, fake, query, code):
    said = app(event("/suggest", query=query), None)

    assert said["statusCode"] == 400
    assert json.loads(said["body"])["error"]["code"] == code
    assert fake.typed == []


def test_a_document_arrives_with_its_id(app, fake):
    said = app(event("/documents/{id}", args={"id": fake_id(1)}), None)

    assert json.loads(said["body"])["id"] == fake_id(1)


@pytest.mark.parametrize("path", ["/", "/stats", "/health", "/openapi.json"])
def test_every_route_without_parameters_answers(app, fake, path):
    assert app(event(path), None)["statusCode"] == 200


def test_a_file_arrives_by_its_name(app, fake):
    said = app(event("/static/{name}", args={"name": "favicon.svg"}), None)

    assert said["headers"]["Content-Type"] == "image/svg+xml"


def test_a_feed_and_a_description_name_the_address_that_the_client_knows(app, fake):
    asked = event("/opensearch.xml", headers={"Host": "a.test", "X-Forwarded-Proto": "https"})
    asked["requestContext"]["path"] = "/Prod/opensearch.xml"

    cloud = app(asked, None)
    local = app(event("/opensearch.xml", headers={"host": "b.test:80"}), None)

    assert 'template="https://a.test/Prod/?q={searchTerms}"' in cloud["body"]
    assert 'template="http://b.test:80/?q={searchTerms}"' in local["body"]


def test_headers_are_found_in_any_case(app, fake):
    tag = app(event("/"), None)["headers"]["ETag"]

    said = app(event("/", headers={"IF-NONE-MATCH": tag}), None)

    assert said["statusCode"] == 304


def test_the_wrong_method_is_refused_with_our_error(app, fake):
    said = app(event("/search", method="DELETE"), None)

    assert said["statusCode"] == 405
    assert said["headers"]["Allow"] == "GET, HEAD, OPTIONS, POST"
    assert json.loads(said["body"])["error"]["code"] == "method_not_allowed"


def test_the_type_of_an_unread_body_does_not_matter(app, fake):
    headers = {"Content-Type": "text/plain"}

    said = app(event("/health", headers=headers), None)

    assert said["statusCode"] == 200


def test_two_requests_at_once_do_not_see_each_other(app, home, fake, monkeypatch):
    """Chalice keeps one `current_request` for all threads; our views must not read it."""
    both, seen = Barrier(2), {}
    respond = routes.respond

    def once_both_are_here(*args):
        both.wait(60)
        return respond(*args)

    monkeypatch.setattr(MODULES[home], "respond", once_both_are_here)

    def call(word):
        said = app(event("/search", query={"q": [word]}), None)
        seen[word] = json.loads(said["body"])["query"]

    threads = [Thread(target=call, args=(word,)) for word in ("silk", "loom")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert seen == {"silk": "silk", "loom": "loom"}


def test_a_steering_route_names_the_methods_it_takes(app, fake):
    said = app(event("/seeds", method="GET"), None)

    assert (said["statusCode"], said["headers"]["Allow"]) == (405, "POST, OPTIONS")


@pytest.mark.parametrize("path", ["/jobs", "/seeds"])
def test_without_an_administration_no_one_steers(app, fake, path):
    method = "POST" if path == "/seeds" else "GET"

    assert app(event(path, method=method), None)["statusCode"] == 403


TYPES = [
    None,
    "application/toml",
    "application/json",
    "Application/JSON; charset=utf-8",
    "text/plain",
    "",
    "*/*",
]


@pytest.mark.parametrize("route", routes.ROUTES, ids=lambda route: route.path)
def test_both_routers_answer_alike(fake, route):
    args = {name: "x" for name in ("id", "name", "job", "action") if f"{{{name}}}" in route.path}
    for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
        for kind in TYPES:
            headers = {"Host": "a.test"} | ({} if kind is None else {"Content-Type": kind})
            asked = event(route.path, method, {"q": ["silk"]}, args or None, headers)

            ours, theirs = (app(dict(asked), None) for app in APPS.values())

            assert {name: _steady(theirs[name]) for name in ours} == {
                name: _steady(said) for name, said in ours.items()
            }, (method, kind)


def _steady(said: object) -> object:
    """Without what differs between two answers to one question: how long it took."""
    return re.sub(r'"seconds":[\d.e-]+', "", said) if isinstance(said, str) else said
