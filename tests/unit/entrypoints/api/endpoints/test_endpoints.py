"""Does every endpoint answer right, and refuse what it cannot read?"""

from __future__ import annotations

import json
from functools import partial

import pytest

from gossamer.core.bot_auth import DIRECTORY_TYPE
from gossamer.core.page.values import Money, Value
from gossamer.entrypoints.api import parameters
from gossamer.entrypoints.api.answers import Request, answer
from gossamer.entrypoints.api.backend import Backend
from gossamer.entrypoints.api.endpoints import collection, documents, pages, search
from tests.fake_search import FakePage, fake_id
from tests.unit.core.test_bot_auth import make_signer, verify
from tests.unit.entrypoints.api.asking import SERVED, ask, error


class TestSearch:
    def test_a_search_answers_with_a_page_of_results(self, fake):
        made = ask(search.search, q="thread", page="2", limit="5")

        body = json.loads(made.body)
        assert made.status == 200
        assert made.headers["Content-Type"] == "application/json"
        assert made.headers["Cache-Control"] == "public, max-age=30"
        assert [body["page"], body["limit"], len(body["hits"])] == [2, 5, 5]
        assert body["hits"][0]["rank"] == 6
        assert "explain" not in body["hits"][0]

    @pytest.mark.parametrize("endpoint", [search.search, search.feed])
    def test_an_answer_that_is_partial_is_not_stored(self, fake, endpoint):
        fake.stopped = "stopped after 2 s"

        assert ask(endpoint, q="silk").headers["Cache-Control"] == "no-store"

    def test_a_table_has_a_row_for_each_result_and_a_column_for_each_value(self, fake):
        values: dict[str, Value] = {"price": Money(9, "EUR"), "tags": ["a", "b"]}
        fake.pages = [FakePage("https://a.test/", "=Loom", "silk", brand="Acme", values=values)]

        answer = ask(search.search, q="silk", format="csv")

        assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
        assert answer.headers["Content-Disposition"] == 'attachment; filename="results.csv"'
        assert answer.body == (
            "title,url,brand,price,price_currency,tags\n'=Loom,https://a.test/,Acme,9,EUR,a; b\n"
        )
        [line] = ask(search.search, q="silk", format="jsonl", fields="price").body.splitlines()
        assert json.loads(line) == {
            "title": "=Loom", "url": "https://a.test/", "price": 9, "price_currency": "EUR",
        }  # fmt: skip
        assert ask(search.search, q="silk", format="xml").status == 400

    @pytest.mark.parametrize("truth", ["true", "1"])
    def test_an_explanation_is_given_on_request(self, fake, truth):
        made = ask(search.search, q="silk moth", limit="1", explain=truth)

        hit = json.loads(made.body)["hits"][0]
        parts = [part["score"] for part in hit["explain"]["terms"]]
        assert sum(parts) + hit["explain"]["rank_score"] == pytest.approx(hit["score"])

    def test_the_profile_reaches_the_service(self, fake):
        made = ask(search.search, q="silk", explain="1", profile="tfidf")

        assert json.loads(made.body)["hits"][0]["explain"]["profile"] == "tfidf"

    @pytest.mark.parametrize(
        ("query", "field", "position"),
        [
            ({"filter": ["lang:en", "-lang:de silk"]}, "filter", 9),
            ({"filter": "date:2025..2024"}, "filter", 5),
            ({"filter": "price:<50"}, "filter", 0),
            ({"facets": "site,price"}, "facets", 5),
            ({"sort": "-price"}, "sort", 1),
        ],
    )
    def test_what_the_collection_does_not_know_is_refused_with_its_place(
        self, fake, query, field, position
    ):
        made = ask(search.search, q="silk", **query)

        assert made.status == 400
        assert (error(made)["field"], error(made)["position"]) == (field, position)

    def test_a_filter_may_be_given_several_times_and_all_must_be_met(self, fake):
        made = ask(search.search, q="silk", filter=["lang:en", "date:2025"], facets="*")

        found = json.loads(made.body)
        assert [hit["title"] for hit in found["hits"]] == ["Silk moth"]
        assert list(found["facets"]) == ["brand", "site", "lang", "kind", "year"]

    @pytest.mark.parametrize(
        ("query", "code", "field"),
        [
            ({}, "missing_parameter", "q"),
            ({"q": ""}, "missing_parameter", "q"),
            ({"q": " \t "}, "missing_parameter", "q"),
            ({"q": "a" * (parameters.MAX_ENCODED + 1)}, "invalid_parameter", "q"),
            ({"q": "a\x00b"}, "invalid_parameter", "q"),
            ({"q": "a\ud800"}, "invalid_parameter", "q"),
            ({"q": ["a", "b"]}, "repeated_parameter", "q"),
            ({"q": []}, "repeated_parameter", "q"),
            ({"q": "a", "filter": ["lang:en"] * 21}, "invalid_parameter", "filter"),
            ({"q": "a", "filter": ["lang:en", " "]}, "missing_parameter", "filter"),
            ({"q": "a", "filter": "lang:" + "e" * 1000}, "invalid_parameter", "filter"),
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
        made = ask(search.search, **query)

        assert made.status == 400
        assert error(made)["code"] == code
        assert error(made)["field"] == field
        assert fake.asked == []

    @pytest.mark.parametrize(("page", "limit"), [("100", "100"), ("1000", "10")])
    def test_the_deepest_page_is_still_answered(self, fake, page, limit):
        assert ask(search.search, q="silk", page=page, limit=limit).status == 200

    def test_a_query_that_cannot_be_read_is_told_where(self, fake):
        made = ask(search.search, q='silk "orb web')

        assert made.status == 400
        assert error(made) == {
            "code": "query_syntax",
            "message": "this quote is never closed",
            "position": 5,
            "field": "q",
        }

    def test_a_query_nested_too_deeply_is_the_askers_fault(self, fake, monkeypatch):
        def failing(*_args, **_options):
            raise RecursionError

        monkeypatch.setattr(fake, "search", failing)

        assert ask(search.search, q="((((a))))").status == 400


class TestDocuments:
    def test_a_document_is_found_by_its_id(self, fake):
        made = ask(documents.document, args={"id": fake_id(1)})

        assert made.status == 200
        assert json.loads(made.body)["title"] == "Silk moth"

    def test_an_unknown_document_is_not_found(self, fake):
        assert ask(documents.document, args={"id": fake_id(999_999)}).status == 404

    @pytest.mark.parametrize("id", ["-1", "one", "", "1", "1/2", "٣", "A" * 32, "0" * 31, "0" * 41])
    def test_what_is_no_id_is_refused(self, fake, id):
        made = ask(documents.document, args={"id": id})

        assert made.status == 400
        assert error(made)["field"] == "id"

    def test_a_document_is_markdown_by_its_name_or_on_request(self, fake):
        named = ask(documents.document, args={"id": f"{fake_id(1)}.md"})
        wished = ask(
            documents.document, headers={"accept": "text/markdown"}, args={"id": fake_id(1)}
        )
        usual = ask(documents.document, args={"id": fake_id(1)})

        assert named.body == wished.body
        assert named.body.startswith("# Silk moth\n")
        assert wished.headers["Content-Type"] == "text/markdown; charset=utf-8"
        assert (wished.headers["Vary"], usual.headers["Vary"]) == ("Accept", "Accept")
        assert wished.headers["ETag"] != usual.headers["ETag"]

    def test_the_stored_copy_of_a_page_can_do_nothing(self, fake):
        made = ask(documents.cached, args={"id": fake_id(1)})

        assert made.status == 200
        assert made.headers["Content-Type"] == "text/html; charset=utf-8"
        assert made.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
        assert "<h1>Silk moth</h1>" in made.body

    def test_without_a_copy_it_says_so(self, fake):
        made = ask(documents.cached, args={"id": fake_id(999_999)})
        fake.copied = b'<meta name="robots" content="noarchive">'
        unwanted = ask(documents.cached, args={"id": fake_id(1)})

        assert made.status == unwanted.status == 404
        assert made.headers["Content-Security-Policy"].startswith("sandbox;")
        assert "was not crawled here" in made.body
        assert "noarchive" in unwanted.body
        assert f'href="../{fake_id(1)}.md"' in unwanted.body, "the text is there"

    def test_parameters_are_unknown_here(self, fake):
        assert ask(documents.document, args={"id": fake_id(1)}, q="silk").status == 400


class TestTheRest:
    def test_stats_and_health_are_never_kept(self, fake):
        for endpoint in (collection.stats, collection.health):
            made = ask(endpoint)

            assert made.status == 200
            assert made.headers["Cache-Control"] == "no-store"
            assert "ETag" not in made.headers

    def test_the_page_ignores_the_parameters_that_its_script_reads(self, fake):
        made = ask(pages.home, q="silk", page="2", anything="goes")

        assert made.status == 200
        assert made.headers["Content-Type"] == "text/html; charset=utf-8"

    @pytest.mark.parametrize("name", pages.STATIC)
    def test_every_file_of_the_page_is_served_and_kept_for_an_hour(self, name):
        made = ask(pages.static, args={"name": name})

        assert made.status == 200
        assert made.headers["Cache-Control"] == "public, max-age=3600"

    @pytest.mark.parametrize("name", ["index.html", "../api.py", "..%2fapi.py", "app.js\x00", ""])
    def test_nothing_else_is_served(self, name):
        assert ask(pages.static, args={"name": name}).status == 404

    def test_the_page_is_light(self):
        sizes = [
            len(ask(pages.static, args={"name": name}).body.encode())
            for name in pages.STATIC
            if name != pages.WIDGET  # for the pages of others
        ]

        assert sum(sizes) + len(ask(pages.home).body.encode()) < 96_000

    def test_the_page_has_nothing_inline(self):
        body = ask(pages.home).body

        assert "<style" not in body
        assert " style=" not in body
        assert " on" not in body.replace(" one", "").replace(" on this site", "")
        assert body.count("<script") == body.count('<script type="module" src=') == 1


class TestKeys:
    def asked(self, signer):
        backend = Backend(lambda: SERVED.service, signer=lambda: signer)
        return answer(partial(collection.keys, backend), Request("GET", {}, {}, {}))

    def test_the_key_that_signs_requests_is_published_and_signed(self):
        made = self.asked(make_signer())

        assert made.headers["Content-Type"] == DIRECTORY_TYPE
        assert [key["kid"] for key in json.loads(made.body)["keys"]] == [make_signer().key_id]
        verify(made.headers, {'"@authority";req': "search.example"})

    def test_without_a_key_there_is_no_directory(self):
        assert self.asked(None).status == 404
