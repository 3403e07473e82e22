"""Does Chalice lead every event to its endpoint?"""

from __future__ import annotations

import json
from threading import Barrier, Thread

import pytest

from gossamer.entrypoints.api import routes
from tests.fake_search import fake_id
from tests.unit.entrypoints.api.asking import APP, event


def test_a_search_arrives_with_its_parameters(fake):
    said = APP(event("/search", query={"q": ["silk moth"], "limit": ["1"]}), None)

    assert said["statusCode"] == 200
    assert json.loads(said["body"])["hits"][0]["title"] == "Silk moth"
    assert json.dumps(said), "Lambda must be able to send it"


def test_a_document_arrives_with_its_id(fake):
    said = APP(event("/documents/{id}", args={"id": fake_id(1)}), None)

    assert json.loads(said["body"])["id"] == fake_id(1)


@pytest.mark.parametrize("path", ["/", "/stats", "/health", "/openapi.json"])
def test_every_route_without_parameters_answers(fake, path):
    assert APP(event(path), None)["statusCode"] == 200


def test_a_file_arrives_by_its_name(fake):
    said = APP(event("/static/{name}", args={"name": "favicon.svg"}), None)

    assert said["headers"]["Content-Type"] == "image/svg+xml"


def test_headers_are_found_in_any_case(fake):
    tag = APP(event("/"), None)["headers"]["ETag"]

    said = APP(event("/", headers={"IF-NONE-MATCH": tag}), None)

    assert said["statusCode"] == 304


def test_the_wrong_method_is_refused_with_our_error(fake):
    said = APP(event("/search", method="DELETE"), None)

    assert said["statusCode"] == 405
    assert said["headers"]["Allow"] == "GET, HEAD, OPTIONS"
    assert json.loads(said["body"])["error"]["code"] == "method_not_allowed"


def test_the_type_of_an_unread_body_does_not_matter(fake):
    headers = {"Content-Type": "text/plain"}

    said = APP(event("/health", headers=headers), None)

    assert said["statusCode"] == 200


def test_two_requests_at_once_do_not_see_each_other(fake, monkeypatch):
    """Chalice keeps one `current_request` for all threads; our views must not read it."""
    both, seen = Barrier(2), {}
    respond = routes._respond

    def once_both_are_here(*args):
        both.wait(60)
        return respond(*args)

    monkeypatch.setattr(routes, "_respond", once_both_are_here)

    def call(word):
        said = APP(event("/search", query={"q": [word]}), None)
        seen[word] = json.loads(said["body"])["query"]

    threads = [Thread(target=call, args=(word,)) for word in ("silk", "loom")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert seen == {"silk": "silk", "loom": "loom"}


def test_a_steering_route_names_the_methods_it_takes(fake):
    said = APP(event("/seeds", method="GET"), None)

    assert (said["statusCode"], said["headers"]["Allow"]) == (405, "POST, OPTIONS")


@pytest.mark.parametrize("path", ["/jobs", "/seeds"])
def test_without_an_administration_no_one_steers(fake, path):
    method = "POST" if path == "/seeds" else "GET"

    assert APP(event(path, method=method), None)["statusCode"] == 403
