"""Does the API answer right, with and without its router?"""

from __future__ import annotations

import json
from threading import Barrier, Thread

import pytest

from functions.api.app import app
from gossamer.core.errors import CorruptRecord, StoreFailed
from gossamer.entrypoints.api import endpoints, routes
from gossamer.entrypoints.api.endpoints import Request, answer, use_service
from gossamer.entrypoints.api.openapi import description
from tests.fake_search import FakeSearch


@pytest.fixture
def fake():
    fake = FakeSearch()
    use_service(fake)
    yield fake
    use_service(None)


def ask(endpoint, method="GET", headers=None, args=None, **query):
    texts = {name: value if isinstance(value, list) else [value] for name, value in query.items()}
    return answer(endpoint, Request(method, texts, headers or {}, args or {}))


def event(resource, method="GET", query=None, args=None, headers=None):
    """What API Gateway sends for a REST API."""
    return {
        "resource": resource,
        "path": resource,
        "httpMethod": method,
        "headers": headers or {"Accept": "application/json"},
        "multiValueHeaders": {},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": query,
        "pathParameters": args,
        "stageVariables": None,
        "requestContext": {"resourcePath": resource, "httpMethod": method, "stage": "Prod"},
        "body": None,
        "isBase64Encoded": False,
    }


def error(made):
    return json.loads(made.body)["error"]


class TestSearch:
    def test_a_search_answers_with_a_page_of_results(self, fake):
        made = ask(endpoints.search, q="thread", page="2", limit="5")

        body = json.loads(made.body)
        assert made.status == 200
        assert made.headers["Content-Type"] == "application/json"
        assert made.headers["Cache-Control"] == "public, max-age=30"
        assert [body["page"], body["limit"], len(body["hits"])] == [2, 5, 5]
        assert body["hits"][0]["rank"] == 6
        assert "explain" not in body["hits"][0]

    @pytest.mark.parametrize("truth", ["true", "1"])
    def test_an_explanation_is_given_on_request(self, fake, truth):
        made = ask(endpoints.search, q="silk moth", limit="1", explain=truth)

        hit = json.loads(made.body)["hits"][0]
        parts = [part["score"] for part in hit["explain"]["terms"]]
        assert sum(parts) + hit["explain"]["rank_score"] == pytest.approx(hit["score"])

    def test_the_profile_reaches_the_service(self, fake):
        made = ask(endpoints.search, q="silk", explain="1", profile="tfidf")

        assert json.loads(made.body)["hits"][0]["explain"]["profile"] == "tfidf"

    @pytest.mark.parametrize(
        ("query", "code", "field"),
        [
            ({}, "missing_parameter", "q"),
            ({"q": ""}, "missing_parameter", "q"),
            ({"q": " \t "}, "missing_parameter", "q"),
            ({"q": "a" * 1001}, "invalid_parameter", "q"),
            ({"q": "a\x00b"}, "invalid_parameter", "q"),
            ({"q": "a\ud800"}, "invalid_parameter", "q"),
            ({"q": ["a", "b"]}, "repeated_parameter", "q"),
            ({"q": []}, "repeated_parameter", "q"),
            ({"q": "a", "page": "0"}, "invalid_parameter", "page"),
            ({"q": "a", "page": "-1"}, "invalid_parameter", "page"),
            ({"q": "a", "page": "1001"}, "invalid_parameter", "page"),
            ({"q": "a", "page": "\uff11"}, "invalid_parameter", "page"),
            ({"q": "a", "page": "1.0"}, "invalid_parameter", "page"),
            ({"q": "a", "page": ""}, "invalid_parameter", "page"),
            ({"q": "a", "page": "9" * 5000}, "invalid_parameter", "page"),
            ({"q": "a", "limit": "1e9"}, "invalid_parameter", "limit"),
            ({"q": "a", "limit": "101"}, "invalid_parameter", "limit"),
            ({"q": "a", "limit": "0"}, "invalid_parameter", "limit"),
            ({"q": "a", "page": "101", "limit": "100"}, "invalid_parameter", "page"),
            ({"q": "a", "explain": "yes"}, "invalid_parameter", "explain"),
            ({"q": "a", "profile": "best"}, "invalid_parameter", "profile"),
            ({"q": "a", "colour": "red"}, "unknown_parameter", "colour"),
        ],
    )
    def test_a_bad_parameter_is_refused_by_name(self, fake, query, code, field):
        made = ask(endpoints.search, **query)

        assert made.status == 400
        assert error(made)["code"] == code
        assert error(made)["field"] == field
        assert fake.asked == []

    @pytest.mark.parametrize(("page", "limit"), [("100", "100"), ("1000", "10")])
    def test_the_deepest_page_is_still_answered(self, fake, page, limit):
        assert ask(endpoints.search, q="silk", page=page, limit=limit).status == 200

    def test_a_query_that_cannot_be_read_is_told_where(self, fake):
        made = ask(endpoints.search, q='silk "orb web')

        assert made.status == 400
        assert error(made) == {
            "code": "query_syntax",
            "message": "this quote is never closed",
            "position": 5,
            "field": "q",
        }

    def test_a_query_nested_too_deeply_is_the_askers_fault(self, fake, monkeypatch):
        def search(*_args, **_options):
            raise RecursionError

        monkeypatch.setattr(fake, "search", search)

        assert ask(endpoints.search, q="((((a))))").status == 400


class TestDocuments:
    def test_a_document_is_found_by_its_id(self, fake):
        made = ask(endpoints.document, args={"id": "1"})

        assert made.status == 200
        assert json.loads(made.body)["title"] == "Silk moth"

    def test_an_unknown_document_is_not_found(self, fake):
        assert ask(endpoints.document, args={"id": "999999"}).status == 404

    @pytest.mark.parametrize("id", ["-1", "one", "", "9007199254740992", "1/2", "٣"])
    def test_what_is_no_id_is_refused(self, fake, id):
        made = ask(endpoints.document, args={"id": id})

        assert made.status == 400
        assert error(made)["field"] == "id"

    def test_parameters_are_unknown_here(self, fake):
        assert ask(endpoints.document, args={"id": "1"}, q="silk").status == 400


class TestTheRest:
    def test_stats_and_health_are_never_kept(self, fake):
        for endpoint in (endpoints.stats, endpoints.health):
            made = ask(endpoint)

            assert made.status == 200
            assert made.headers["Cache-Control"] == "no-store"
            assert "ETag" not in made.headers

    def test_the_page_ignores_the_parameters_that_its_script_reads(self, fake):
        made = ask(endpoints.home, q="silk", page="2", anything="goes")

        assert made.status == 200
        assert made.headers["Content-Type"] == "text/html; charset=utf-8"

    @pytest.mark.parametrize("name", endpoints.STATIC)
    def test_every_file_of_the_page_is_served_and_kept_for_an_hour(self, name):
        made = ask(endpoints.static, args={"name": name})

        assert made.status == 200
        assert made.headers["Cache-Control"] == "public, max-age=3600"

    @pytest.mark.parametrize("name", ["index.html", "../api.py", "..%2fapi.py", "app.js\x00", ""])
    def test_nothing_else_is_served(self, name):
        assert ask(endpoints.static, args={"name": name}).status == 404

    def test_the_page_is_light(self):
        sizes = [
            len(ask(endpoints.static, args={"name": name}).body.encode())
            for name in endpoints.STATIC
        ]

        assert sum(sizes) + len(ask(endpoints.home).body.encode()) < 60_000

    def test_the_page_has_nothing_inline(self):
        body = ask(endpoints.home).body

        assert "<style" not in body
        assert " style=" not in body
        assert " on" not in body.replace(" one", "").replace(" on this site", "")
        assert body.count("<script") == body.count('<script type="module" src=') == 1


class TestWhatAllAnswersShare:
    def test_an_answer_already_known_is_not_sent_again(self, fake):
        first = ask(endpoints.search, q="silk")
        again = ask(endpoints.search, q="silk", headers={"if-none-match": first.headers["ETag"]})

        assert again.status == 304
        assert again.body == ""
        assert again.headers["ETag"] == first.headers["ETag"]
        assert "Content-Type" not in again.headers

    def test_how_long_a_search_took_makes_no_other_answer(self, fake, monkeypatch):
        first = ask(endpoints.search, q="silk")
        search = fake.search

        def slower(*args, **options):
            response = search(*args, **options)
            response.took_ms = 99.0
            return response

        monkeypatch.setattr(fake, "search", slower)

        assert ask(endpoints.search, q="silk").headers["ETag"] == first.headers["ETag"]

    @pytest.mark.parametrize("given", ["*", '"x", {tag}', "{strong}"])
    def test_a_validator_is_recognised_in_all_its_forms(self, fake, given):
        tag = ask(endpoints.home).headers["ETag"]
        given = given.format(tag=tag, strong=tag.removeprefix("W/"))

        assert ask(endpoints.home, headers={"if-none-match": given}).status == 304

    def test_another_validator_gets_the_whole_answer(self, fake):
        assert ask(endpoints.home, headers={"if-none-match": '"x"'}).status == 200

    def test_head_has_no_body(self, fake):
        made = ask(endpoints.search, method="HEAD", q="silk")

        assert [made.status, made.body] == [200, ""]

    def test_anybody_may_ask_from_anywhere(self, fake):
        made = ask(endpoints.search, method="OPTIONS", q="silk")

        assert made.status == 204
        assert made.headers["Access-Control-Allow-Origin"] == "*"
        assert "GET" in made.headers["Access-Control-Allow-Methods"]
        assert ask(endpoints.search, q="silk").headers["Access-Control-Allow-Origin"] == "*"

    @pytest.mark.parametrize("query", [{"q": "silk"}, {"q": '"'}, {}])
    def test_every_answer_keeps_a_browser_safe(self, fake, query):
        headers = ask(endpoints.search, **query).headers

        assert "unsafe" not in headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"

    @pytest.mark.parametrize(
        ("raised", "status", "message"),
        [
            (StoreFailed("the disk is full"), 503, "the disk is full"),
            (CorruptRecord("block 7 of silk cannot be read"), 500, "block 7 of silk"),
            (ValueError("a secret"), 500, "something went wrong"),
        ],
    )
    def test_a_failure_of_ours_says_what_it_may(self, fake, monkeypatch, raised, status, message):
        def fail():
            raise raised

        monkeypatch.setattr(fake, "stats", fail)

        made = ask(endpoints.stats)

        assert made.status == status
        assert message in error(made)["message"]


class TestTheRouter:
    def test_a_search_arrives_with_its_parameters(self, fake):
        said = app(event("/search", query={"q": ["silk moth"], "limit": ["1"]}), None)

        assert said["statusCode"] == 200
        assert json.loads(said["body"])["hits"][0]["title"] == "Silk moth"
        assert json.dumps(said), "Lambda must be able to send it"

    def test_a_document_arrives_with_its_id(self, fake):
        said = app(event("/documents/{id}", args={"id": "1"}), None)

        assert json.loads(said["body"])["id"] == 1

    @pytest.mark.parametrize("path", ["/", "/stats", "/health", "/openapi.json"])
    def test_every_route_without_parameters_answers(self, fake, path):
        assert app(event(path), None)["statusCode"] == 200

    def test_a_file_arrives_by_its_name(self, fake):
        said = app(event("/static/{name}", args={"name": "favicon.svg"}), None)

        assert said["headers"]["Content-Type"] == "image/svg+xml"

    def test_headers_are_found_in_any_case(self, fake):
        tag = app(event("/"), None)["headers"]["ETag"]

        said = app(event("/", headers={"IF-NONE-MATCH": tag}), None)

        assert said["statusCode"] == 304

    def test_the_wrong_method_is_refused_in_our_words(self, fake):
        said = app(event("/search", method="DELETE"), None)

        assert said["statusCode"] == 405
        assert said["headers"]["Allow"] == "GET, HEAD, OPTIONS"
        assert json.loads(said["body"])["error"]["code"] == "method_not_allowed"

    def test_the_type_of_an_unread_body_does_not_matter(self, fake):
        headers = {"Content-Type": "text/plain"}

        said = app(event("/health", headers=headers), None)

        assert said["statusCode"] == 200

    def test_two_requests_at_once_do_not_see_each_other(self, fake, monkeypatch):
        """Chalice keeps one `current_request` for all threads; our views must not read it."""
        both, seen = Barrier(2), {}
        respond = routes._respond

        def once_both_are_here(endpoint, **args):
            both.wait(5)
            return respond(endpoint, **args)

        monkeypatch.setattr(routes, "_respond", once_both_are_here)

        def call(word):
            said = app(event("/search", query={"q": [word]}), None)
            seen[word] = json.loads(said["body"])["query"]

        threads = [Thread(target=call, args=(word,)) for word in ("silk", "loom")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert seen == {"silk": "silk", "loom": "loom"}


class TestTheDescription:
    def test_every_route_is_described(self):
        assert set(description()["paths"]) == set(app.routes)

    def test_every_reference_leads_somewhere(self):
        text = json.dumps(description())
        names = description()["components"]["schemas"]

        for part in text.split('"#/components/schemas/')[1:]:
            assert part.partition('"')[0] in names

    def test_every_operation_says_how_it_can_fail(self):
        always = {"200", "405", "414", "431", "500", "503"}
        for path, operations in description()["paths"].items():
            for operation in operations.values():
                assert always <= set(operation["responses"]), path
