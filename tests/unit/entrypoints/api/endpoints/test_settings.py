"""Can an owner read and change settings over HTTP, and is nothing overwritten that is newer?"""

from __future__ import annotations

import json

import pytest

from gossamer.core.collection import CollectionSettings
from gossamer.core.settings_file import read_settings, to_tables
from gossamer.entrypoints.api.owner import Owner
from gossamer.entrypoints.collection import settings as collection
from tests.unit.entrypoints.api.endpoints.owning import ROUTERS, client_of

TOML = "application/toml"


@pytest.fixture(params=ROUTERS)
def ask(request, any_home):
    return client_of(any_home, request.param)


def test_settings_go_out_and_come_back_alike(ask, any_home):
    status, headers, body = ask("GET", "/settings")
    stored = ask("PUT", "/settings", body["settings"], If_Match=headers["ETag"])

    assert (status, headers["ETag"], body["version"]) == (200, '"0"', 0)
    assert body["settings"] == json.loads(json.dumps(to_tables(CollectionSettings())))
    assert headers["Cache-Control"] == "no-store"
    assert stored[0] == 200
    assert stored[1]["ETag"] == '"1"'
    assert stored[2] == {
        "version": 1, "outdated": 0, "documents": 0, "changes": [], "is_preview": False,
    }  # fmt: skip
    assert any_home.settings.get() == CollectionSettings(version=1)


def test_the_file_of_the_settings_goes_out_and_comes_back_alike(ask, any_home):
    _, headers, file = ask("GET", "/settings", Accept=TOML)

    changed = file.replace('profile = "bm25"', 'profile = "tfidf"')
    status, _, done = ask("PUT", "/settings", changed, TOML, If_Match=headers["ETag"])

    assert headers["Content-Type"] == f"{TOML}; charset=utf-8"
    assert read_settings(file, "settings") == CollectionSettings()
    assert status == 200
    assert any_home.settings.get().profile == "tfidf"
    assert done["changes"] == [
        {"name": "profile", "before": "bm25", "after": "tfidf", "needs_reindex": False}
    ]


def test_some_settings_are_changed_and_the_others_stay(ask, any_home):
    ask("PUT", "/settings", {"words": {"silk": 2, "web": 1}, "bm25": {"rank": 1}}, If_Match="*")

    status, headers, done = ask(
        "PATCH", "/settings", {"words": {"web": None}, "weights": {"k1": 1.5}}, If_Match='"1"'
    )

    found = any_home.settings.get()
    assert (status, headers["ETag"]) == (200, '"2"')
    assert (found.words, found.bm25.rank, found.weights.k1) == ({"silk": 2.0}, 1.0, 1.5)
    assert {each["name"]: each["needs_reindex"] for each in done["changes"]} == {
        "words.web": False,
        "weights.k1": True,
    }


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_a_preview_stores_nothing_and_needs_no_version(ask, any_home, method):
    status, headers, done = ask(method, "/settings?preview=true", {"typos": {"q": 2}})

    assert (status, done["is_preview"], done["version"]) == (200, True, 0)
    assert done["changes"] == [{"name": "typos.q", "before": 3, "after": 2, "needs_reindex": True}]
    assert "ETag" not in headers
    assert any_home.settings.get() == CollectionSettings()


@pytest.mark.parametrize(
    ("if_match", "status", "code"),
    [
        (None, 428, "precondition_required"),
        ('"1"', 412, "changed"),
        ('W/"0", "7"', 412, "changed"),
        ("2", 412, "changed"),
    ],
)
def test_who_does_not_know_the_present_version_changes_nothing(
    ask, any_home, if_match, status, code
):
    ask("PATCH", "/settings", {"profile": "tfidf"}, If_Match='"0"')
    ask("PATCH", "/settings", {"profile": "bm25"}, If_Match='"1"')
    given = {} if if_match is None else {"If_Match": if_match}

    said = ask("PUT", "/settings", {}, **given)

    assert said[0] == status
    assert said[2]["error"]["code"] == code
    assert any_home.settings.get().version == 2


@pytest.mark.parametrize("if_match", ['"0"', 'W/"0"', '"9", "0"', "*"])
def test_who_knows_it_changes_them(ask, any_home, if_match):
    assert ask("PUT", "/settings", {"profile": "tfidf"}, If_Match=if_match)[0] == 200
    assert any_home.settings.get().profile == "tfidf"


def test_of_two_who_write_at_once_one_is_told(ask, any_home, monkeypatch):
    """The other one stores between our reading of the version and our own write."""
    usual = collection._complete

    def slow(home, before, wanted):
        monkeypatch.setattr(collection, "_complete", usual)
        assert ask("PATCH", "/settings", {"profile": "tfidf"}, If_Match="*")[0] == 200
        return usual(home, before, wanted)

    monkeypatch.setattr(collection, "_complete", slow)
    status, _, said = ask("PATCH", "/settings", {"synonym_weight": 0.5}, If_Match="*")

    assert (status, said["error"]["code"]) == (412, "changed")
    assert any_home.settings.get() == CollectionSettings(version=1, profile="tfidf")


@pytest.mark.parametrize(
    ("method", "kind", "body", "place"),
    [
        ("PUT", "", {"profil": "bm25"}, {"field": "profil"}),
        ("PUT", "", {"bm25": {"rank": -1}}, {"field": "bm25.rank"}),
        ("PUT", "", {"words": {"a b": 1001}}, {"field": 'words."a b"'}),
        ("PUT", "", {"columns": {"price": {"type": "int"}}}, {"field": "columns.price.type"}),
        ("PUT", "", {"columns": {"title": {"type": "bool"}}}, {"field": "columns.title"}),
        ("PUT", "", {"analyzer": {"language": "xx"}}, {"field": "analyzer.language"}),
        ("PUT", "", {"version": 3}, {"field": "version"}),
        ("PUT", "", {"synonyms": "x"}, {"field": "synonyms"}),
        ("PUT", "", {"formula": "1 + votes"}, {"field": "formula", "position": 4}),
        ("PATCH", "", {"formula": "rank / 0"}, {"field": "formula", "position": 5}),
        ("PATCH", "", {"formula": "(" * 10_000}, {"field": "formula", "position": 2000}),
        ("PATCH", "", {"formula": "(" * 1_000}, {"field": "formula", "position": 20}),
        ("PATCH", "", {"bm25": 3}, {"field": "bm25"}),
        ("PATCH", "", {"synonym_weight": 1.01}, {"field": "synonym_weight"}),
        ("PUT", TOML, "[bm25]\nrank = 0.4\ntext = -1", {"field": "bm25.text", "line": 3}),
        ("PUT", TOML, "profile = 'bm25'\n[bm25", {"line": 2, "column": 6}),
        ("PUT", TOML, "\nformula = 'log(0)'", {"field": "formula", "line": 2, "position": 0}),
        ("PUT", TOML, "[words]\n" + "a" * 10_000 + " = 'x'", {"line": 2}),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_with_its_place(home, method, kind, body, place):
    for preview in ("", "?preview=true"):
        status, _, said = client_of(home)(method, f"/settings{preview}", body, kind, If_Match="*")

        assert (status, said["error"]["code"]) == (400, "invalid_setting")
        assert said["error"].items() >= place.items()
    assert home.settings.get() == CollectionSettings()


@pytest.mark.parametrize("body", ["", "[]", "{", "1", '{"a": ' + "[" * 5_000 + "]" * 5_000 + "}"])
def test_what_is_no_table_is_refused(home, body):
    assert client_of(home)("PUT", "/settings", body, If_Match="*")[0] == 400
    assert client_of(home)("PATCH", "/settings", body, If_Match="*")[0] == 400


def test_without_the_key_nothing_is_shown_or_changed(home):
    ask = client_of(home)

    for method, body in (("GET", None), ("PUT", {}), ("PATCH", {})):
        assert ask(method, "/settings", body, If_Match="*", Authorization="")[0] == 401
        assert ask(method, "/settings", body, If_Match="*", Authorization="Bearer x")[0] == 403
    assert home.settings.get().version == 0


def test_a_parameter_that_is_not_known_is_refused(home):
    assert client_of(home)("PUT", "/settings?dry=true", {}, If_Match="*")[0] == 400
    assert client_of(home)("GET", "/settings?preview=true")[0] == 400


def test_settings_that_are_known_are_not_sent_again(home):
    status, _, body = client_of(home)("GET", "/settings", If_None_Match='"0"')

    assert (status, body) == (304, "")


def test_a_crawl_that_has_the_collection_is_named(home):
    from contextlib import contextmanager

    from gossamer.core.errors import ConfigurationError
    from gossamer.entrypoints.api.admin import Denied

    @contextmanager
    def taken():
        raise ConfigurationError("another gossamer (pid 7, crawl) is working in data")
        yield

    with pytest.raises(Denied, match="pid 7, crawl") as refused:
        Owner(taken, taken).change(lambda before: before, "*")
    assert refused.value.status == 409
