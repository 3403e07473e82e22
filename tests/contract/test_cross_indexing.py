"""Do several templates fill one collection with one schema, in every home?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gossamer import homes
from gossamer.core.crawl.job import JobConfig, Rules
from gossamer.core.errors import ConfigurationError
from gossamer.core.page.read_response import read_response
from gossamer.core.page.templates.template import Template, read_template
from gossamer.core.urls import url_id
from gossamer.entrypoints.cli.templates.keeping import add, templates_in
from tests.indexing import index_home

if TYPE_CHECKING:
    from pathlib import Path

    from gossamer.ports.home import Home

HTML = (("content-type", "text/html; charset=utf-8"),)
# One shop writes currencies and shelves, the other numbers and one shelf.
SHOP = """
match = "shop.test/*"
[fields.price]
select = "b"
type = "money"
sort = true
[fields.shelf]
select = "i"
type = "list"
of = "keyword"
facet = true
"""
MARKET = """
match = "market.test/*"
[fields.price]
select = "u"
type = "number"
sort = true
[fields.shelf]
select = "i"
type = "keyword"
facet = true
"""
PAGES = {
    "http://shop.test/1": "<b>$30</b><i>silk</i><i>new</i>",
    "http://shop.test/2": "<b>$10</b><i>wool</i>",
    "http://market.test/1": "<u>20</u><i>silk</i>",
    "http://market.test/2": "<u>40</u><i>wool</i>",
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """The files of both templates."""
    found = {}
    for name, text in (("shop", SHOP), ("market", MARKET)):
        found[name] = tmp_path / f"{name}.toml"
        found[name].write_text(text)
    return found


def fill(home: Home, templates: tuple[Template, ...]) -> None:
    rules = Rules(JobConfig(), templates)
    for url, html in PAGES.items():
        parsed = read_response("page", html.encode(), url, HTML, rules)
        home.documents.put(url_id(url), parsed.documents, 1.0)
    home.commit()
    index_home(home)


def test_one_query_asks_the_pages_of_both(any_home: Home, files: dict[str, Path]):
    for name in files:  # as two jobs would, one after the other
        add(any_home, [str(files[name])])
    fill(any_home, templates_in(any_home))

    def found(query: str, **how: Any) -> list[str]:
        hits = homes.searcher(any_home).search(query, **how).hits
        return [hit.url.removeprefix("http://") for hit in hits]

    assert found("price:15..40", sort="price") == ["market.test/1", "shop.test/1", "market.test/2"]
    assert sorted(found("shelf:silk")) == ["market.test/1", "shop.test/1"]
    assert found("template:shop", sort="-price") == ["shop.test/1", "shop.test/2"]
    facets = homes.searcher(any_home).search("price:>0", facets=("shelf",)).facets["shelf"]
    assert {each.value: each.count for each in facets} == {"silk": 2, "wool": 2, "new": 1}


@pytest.mark.parametrize(
    ("kind", "use"), [("date", "sort"), ("keyword", "facet"), ("link", "search")]
)
def test_a_template_that_fits_no_column_changes_nothing(
    any_home: Home, files: dict[str, Path], kind: str, use: str
):
    add(any_home, [str(files["shop"])])
    before = any_home.settings.get()
    files["market"].write_text(MARKET.replace('"number"\nsort', f'"{kind}"\n{use}'))

    with pytest.raises(ConfigurationError, match="'price' is a column of type "):
        add(any_home, [str(files["market"])])

    assert any_home.settings.get() == before
    assert [each.name for each in templates_in(any_home)] == ["shop"]
    assert read_template(SHOP, "shop.toml") in templates_in(any_home)
