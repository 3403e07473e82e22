"""Can an owner read and replace synonyms over HTTP, and is a mistake named with its line?"""

from __future__ import annotations

import pytest

from tests.unit.entrypoints.api.endpoints.owning import ROUTERS, client_of

TEXT = "text/plain"
LIST = "# vehicles\ncar, automobile, motor car\ntv => television\n"


@pytest.fixture(params=ROUTERS)
def ask(request, any_home):
    return client_of(any_home, request.param)


def test_a_list_is_stored_shown_and_removed(ask, any_home):
    _, before, empty = ask("GET", "/synonyms")
    stored = ask("PUT", "/synonyms", LIST, TEXT, If_Match=before["ETag"])
    _, headers, shown = ask("GET", "/synonyms")

    assert (empty, shown) == ("", LIST)
    assert stored[2] == {"version": 1, "rules": 2}
    assert stored[1]["ETag"] == headers["ETag"] != before["ETag"]
    assert headers["Content-Type"] == f"{TEXT}; charset=utf-8"

    removed = ask("DELETE", "/synonyms", If_Match=headers["ETag"])

    assert removed[2] == {"version": 2, "rules": 0}
    assert removed[1]["ETag"] == before["ETag"]
    assert any_home.settings.get().synonyms == ""


def test_a_change_of_settings_makes_no_other_list(ask):
    ask("PUT", "/synonyms", LIST, TEXT, If_Match="*")
    tag = ask("GET", "/synonyms")[1]["ETag"]

    ask("PATCH", "/settings", {"synonym_weight": 0.5}, If_Match="*")

    assert ask("PUT", "/synonyms", "a, b", TEXT, If_Match=tag)[0] == 200


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_who_knows_another_list_changes_nothing(ask, method):
    first = ask("GET", "/synonyms")[1]["ETag"]
    ask("PUT", "/synonyms", LIST, TEXT, If_Match=first)
    body = ("a, b", TEXT) if method == "PUT" else ()

    assert ask(method, "/synonyms", *body, If_Match=first)[0] == 412
    assert ask(method, "/synonyms", *body)[0] == 428
    assert ask("GET", "/synonyms")[2] == LIST


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("car", 1),
        ("# one\n\ncar, automobile\ntv =>\n", 4),
        ("a, b\n" + "c" * 10_000 + ", d", 2),
        ("a, b\nc, " + "d" * 201, 2),
        ("a, " * 101 + "b", 1),
        ("a => b => c", 1),
        ("a, !!", 1),
    ],
)
def test_a_mistake_is_refused_with_its_line(home, text, line):
    status, _, said = client_of(home)("PUT", "/synonyms", text, TEXT, If_Match="*")

    assert (status, said["error"]["code"]) == (400, "invalid_setting")
    assert said["error"]["line"] == line
    assert said["error"]["message"].startswith(f"line {line}: ")
    assert home.settings.get().version == 0


def test_what_is_no_text_is_refused(ask):
    assert ask("PUT", "/synonyms", "a, b", "application/json", If_Match="*")[0] == 415


def test_without_the_key_nothing_is_shown_or_changed(home):
    ask = client_of(home)

    for method in ("GET", "PUT", "DELETE"):
        body = ("a, b", TEXT) if method == "PUT" else ()
        assert ask(method, "/synonyms", *body, If_Match="*", Authorization="")[0] == 401
        assert ask(method, "/synonyms", *body, If_Match="*", Authorization="Bearer x")[0] == 403
    assert home.settings.get().version == 0


@pytest.mark.parametrize(
    ("method", "path", "body", "kind"),
    [
        ("PUT", "/synonyms", "tv, television\ncaf\ufffd, bar\n", TEXT),
        ("PUT", "/settings", 'stop_list = [\n"caf\ufffd"]\n', "application/toml"),
        ("PATCH", "/settings", '{"stop_list":\n["caf\ufffd"]}', "application/json"),
    ],
)
def test_a_body_in_another_charset_is_refused_with_its_place(
    ask, any_home, method, path, body, kind
):
    """What cannot be read as UTF-8 is U+FFFD by the time it is here, and would be stored so."""
    status, _, said = ask(method, path, body, kind, If_Match="*")

    error = said["error"]
    assert (status, error["code"], error["line"]) == (400, "invalid_setting", 2)
    assert error["column"] == body.splitlines()[1].index("\ufffd") + 1
    assert "UTF-8" in error["message"]
    assert any_home.settings.get().version == 0
