"""Do rule sets of Elastic's Open Crawler become templates?"""

from __future__ import annotations

import json

import pytest

from gossamer.core.errors import ConfigurationError
from gossamer.core.page.templates.exchange.reading import read_foreign
from gossamer.core.page.templates.extraction import extract
from gossamer.core.page.templates.matching import matches

PAGE = "<html><body><h1>Orb</h1><span class=tag>silk</span><span class=tag>web</span></body></html>"
RULES = [
    {"action": "extract", "field_name": "tags", "selector": ".tag", "join_as": "array",
     "source": "html"},
    {"action": "extract", "field_name": "Headline", "selector": "//h1", "join_as": "string",
     "source": "html"},
    {"action": "extract", "field_name": "year", "selector": "/(\\d{4})/", "join_as": "string",
     "source": "url"},
    {"action": "set", "field_name": "kind_of", "value": "it's a blog"},
]  # fmt: skip


def configuration(*filters, rules=RULES):
    sets = [{"url_filters": list(filters), "rules": rules}]
    return {"domains": [{"url": "https://a.test", "extraction_rulesets": sets}]}


def imported(given):
    return read_foreign(json.dumps(given), "crawl.yml", [])


def test_rules_become_fields_of_the_page():
    [template] = imported(configuration({"type": "begins", "pattern": "/blog/"})).templates

    [record] = extract(template, PAGE, "https://a.test/blog/2024/orb")

    assert record.values == {
        "tags": ["silk", "web"], "headline": "Orb", "year": "2024", "kind_of": "it's a blog",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "pattern", "inside", "outside"),
    [
        ("begins", "/blog/", "https://a.test/blog/1", "https://a.test/x/blog/1"),
        ("ends", ".html", "https://a.test/x.html", "https://a.test/x.html?y"),
        ("contains", "/news", "https://a.test/a/news/b", "https://b.test/news"),
        ("regex", "/\\d+", "https://a.test/x/12/y", "https://a.test/x/y"),
    ],
)
def test_filters_become_patterns(kind, pattern, inside, outside):
    [template] = imported(configuration({"type": kind, "pattern": pattern})).templates

    [said] = template.match
    assert matches(said, inside)
    assert not matches(said, outside)


def test_yaml_is_read_where_its_package_is():
    yaml = pytest.importorskip("yaml", reason="pyyaml is not installed")

    [template] = read_foreign(yaml.safe_dump(configuration()), "crawl.yml", []).templates

    assert template.match == ["https://a.test/*"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"domains": [{"extraction_rulesets": []}]}, "no url"),
        (configuration({"type": "odd", "pattern": "x"}), "filter of type 'odd'"),
        (configuration(rules=[{"action": "drop", "field_name": "a"}]), "action 'drop'"),
        ({"what": 1}, "this is not a sitemap"),
        ([1], "must be a table"),
    ],
)
def test_what_is_wrong_is_named(given, told):
    with pytest.raises(ConfigurationError, match=told):
        imported(given)


@pytest.mark.parametrize("text", ["[" * 100_000, "a: [", "\0"])
def test_what_is_no_file_of_anybody_is_refused(text):
    with pytest.raises(ConfigurationError):
        read_foreign(text, "x.json", [])
