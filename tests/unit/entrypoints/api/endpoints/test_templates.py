"""Can an owner read and change templates over HTTP, and is nothing overwritten that is newer?"""

from __future__ import annotations

import pytest

from gossamer.core.page.templates.template import read_template
from gossamer.entrypoints.cli.templates.keeping import templates_in
from tests.unit.entrypoints.api.endpoints.owning import ROUTERS, Client, client_of

TOML = "application/toml"
SHOP = """match = ["https://shop.test/p/*"]

[fields.price]
select = ".price"
type = "money"
sort = true
"""


@pytest.fixture(params=ROUTERS)
def ask(request, any_home):
    return Owning(client_of(any_home, request.param))


class Owning:
    """Asks about one template, by the resource that API Gateway names."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def __call__(self, method, body=None, kind="", name="shop", **headers):
        app = self.client.app

        def with_name(event, context):
            return app({**event, "pathParameters": {"name": name}}, context)

        return Client(with_name)(method, "/templates/{name}", body, kind, **headers)  # type: ignore[arg-type]

    def listed(self):
        return self.client("GET", "/templates")[2]["templates"]


def test_a_template_is_added_shown_replaced_and_removed(ask, any_home):
    added = ask("PUT", SHOP, TOML, If_None_Match="*")
    _, headers, shown = ask("GET")
    _, _, file = ask("GET", Accept=TOML)

    assert (added[0], added[2]) == (200, {"version": 1, "templates": ["shop"], "changed": True})
    assert added[1]["ETag"] == headers["ETag"]
    assert shown["fields"]["price"]["select"] == [".price"]
    assert read_template(file, "shop") == read_template(SHOP, "shop") == templates_in(any_home)[0]
    assert ask.listed() == [
        {"name": "shop", "match": ["https://shop.test/p/*"], "fields": ["price"]}
    ]
    assert any_home.settings.get().columns["price"].sort

    shown["fields"]["price"]["sort"] = False
    replaced = ask("PUT", shown, If_Match=headers["ETag"])

    assert replaced[2]["version"] == 2
    assert "price" not in any_home.settings.get().columns

    assert ask("DELETE", If_Match=replaced[1]["ETag"])[2] == {
        "version": 3, "templates": [], "changed": True,
    }  # fmt: skip
    assert ask.listed() == []
    assert ask("GET")[0] == ask("DELETE", If_Match="*")[0] == 404


def test_who_knows_another_version_changes_nothing(ask, any_home):
    first = ask("PUT", SHOP, TOML, If_None_Match="*")[1]["ETag"]
    other = SHOP.replace(".price", ".cost")
    ask("PUT", other, TOML, If_Match=first)

    assert ask("PUT", SHOP, TOML, If_Match=first)[0] == 412
    assert ask("PUT", SHOP, TOML, If_None_Match="*")[0] == 412
    assert ask("PUT", SHOP, TOML)[0] == 428
    assert ask("DELETE", If_Match=first)[0] == 412
    assert ask("DELETE")[0] == 428
    assert ask("PUT", SHOP, TOML, name="new", If_Match=first)[0] == 412
    assert ask("PUT", SHOP, TOML, name="new")[0] == 428
    assert templates_in(any_home) == (read_template(other, "shop"),)


@pytest.mark.parametrize(
    ("kind", "body", "place"),
    [
        ("", {"match": ["https://a.test/*"], "filds": {}}, {}),
        ("", {"match": ["https://a.test/*"], "name": "other"}, {"field": "name"}),
        ("", {"match": []}, {"field": "match"}),
        ("", {"match": ["x"], "fields": {"p": {"type": "int"}}}, {"field": "fields.p"}),
        (TOML, "match = ['https://a.test/*']\n[fields", {"line": 2, "column": 8}),
        (TOML, SHOP.replace("money", "int"), {"field": "fields.price", "line": 3}),
        (TOML, SHOP.replace('".price"', '"..p"'), {"field": "fields.price.select", "line": 4}),
        (TOML, f"{SHOP}[fields.b]\nselect = 'b'\nclean = '('", {"line": 9}),
        (TOML, f"items = 3\n{SHOP}", {"field": "items", "line": 1}),
        (TOML, SHOP + "#" * 100_000, {}),
    ],
)  # fmt: skip
def test_what_is_no_template_is_refused_with_its_place(home, kind, body, place):
    status, _, said = Owning(client_of(home))("PUT", body, kind, If_None_Match="*")

    assert (status, said["error"]["code"]) == (400, "invalid_setting")
    assert said["error"].items() >= place.items()
    assert home.settings.get().version == 0


@pytest.mark.parametrize("name", ["Shop", "a b", "x" * 41, "é"])
def test_a_name_that_cannot_be_is_refused(home, name):
    ask = Owning(client_of(home))

    assert ask("PUT", SHOP, TOML, name=name, If_None_Match="*")[0] == 400
    assert ask("GET", name=name)[0] == 404


def test_what_clashes_with_the_settings_is_refused(home):
    ask = Owning(client_of(home))
    own = {"columns": {"price": {"type": "date"}}}
    ask.client("PUT", "/settings", own, If_Match="*")
    clash = ask("PUT", SHOP, TOML, If_None_Match="*")

    ask.client("PUT", "/settings", {}, If_Match="*")
    ask("PUT", SHOP, TOML, If_None_Match="*")
    previewed = ask.client("PATCH", "/settings?preview=true", own)
    stored = ask.client("PATCH", "/settings", own, If_Match="*")

    for status, _, said in (clash, previewed, stored):
        assert status == 409
        assert "'price' is a column of type" in said["error"]["message"]


def test_without_the_key_nothing_is_shown_or_changed(home):
    ask = Owning(client_of(home))

    for method, body in (("GET", None), ("PUT", {}), ("DELETE", None)):
        assert ask(method, body, If_Match="*", Authorization="")[0] == 401
    assert ask.client("GET", "/templates", Authorization="Bearer x")[0] == 403
    assert home.settings.get().version == 0


HUGE = "((a{999}){999}){999}"
MANY = {f"f{number}": {"select": ["b"]} for number in range(10_000)}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"fields": MANY}, ""),
        ({"fields": dict([*MANY.items()][:65])}, "at most 64 fields"),
        ({"fields": {"x": {"clean": [HUGE]}}}, "is not usable"),
        ({"fields": {"x": {"from": [f"url:{HUGE}"]}}}, "is not usable"),
        ({"match": [f"re:https://a.test/{HUGE}"]}, "is not usable"),
        ({"fields": {"x": {"select": ["a" * 2_001]}}}, "2,000"),
        ({"fields": {"x": {"select": ["//p[document('/etc/passwd')]"]}}}, "no function document()"),
        ({"examples": [{"page": "x"}] * 65}, "64"),
        ({"actions": [{}] * 65}, "64"),
    ],
)
def test_a_template_made_to_be_too_much_is_refused_with_a_reason(home, body, said):
    status, _, answer = Owning(client_of(home))(
        "PUT", {"match": ["https://a.test/*"]} | body, If_None_Match="*"
    )

    assert status in (400, 413)
    assert said.replace(",", "") in answer["error"]["message"].replace(",", "")
    assert home.settings.get().version == 0


def test_a_selector_without_end_is_kept_at_once_since_no_page_is_read_here(home):
    endless = {"x": {"select": ["//*[count(//*[count(//*[count(//*) > 0]) > 0]) > 0]"]}}
    body = {"match": ["https://a.test/*"], "fields": endless}

    assert Owning(client_of(home))("PUT", body, If_None_Match="*")[0] == 200
