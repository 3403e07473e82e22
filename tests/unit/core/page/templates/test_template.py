from __future__ import annotations

import pytest

from gossamer.core.errors import ConfigurationError
from gossamer.core.page.templates.template import (
    MAX_FIELDS,
    FieldRule,
    read_template,
    to_toml,
)

FULL = r"""
match = ["https://shop.test/c/*", 're:https://shop\.test/p/[0-9]+']
items = ".card"
key = "sku"
title = "{name} ({sku})"
url = "link"
next = "a[rel=next]"
links = "main"

[fields.name]
select = ["h2.title", ".//h3"]
search = true

[fields.sku]
select = "@data-sku"
type = "keyword"
facet = true

[fields.price]
from = ["jsonld:Product.offers.price", "meta:product:price:amount"]
select = ".price"
type = "money"
clean = ['\s+', 'Only (\d+) -> \1']
variable = "p"
sort = true
required = true

[fields.link]
select = "a"
type = "link"

[fields.tags]
select = ".tags li"
type = "list"
of = "keyword"

[[actions]]
scroll = "end"
max = 10

[[examples]]
page = "https://shop.test/c/wool"
expect = { name = "Silk", price = 12.5, on = 2026-05-31 }
"""
LEAST = 'match = "https://a.test/*"\n'


def test_a_template_is_read_with_all_that_it_says():
    template = read_template(FULL, "templates/shop.toml")

    assert template.name == "shop"
    assert template.match[1].startswith("re:")
    assert template.fields["name"] == FieldRule(select=["h2.title", ".//h3"], search=True)
    assert template.fields["price"].source[1] == "meta:product:price:amount"
    assert template.fields["price"].required
    assert template.actions == [{"scroll": "end", "max": 10}]
    assert template.examples[0].expect[0]["price"] == 12.5


def test_what_is_written_is_read_again_the_same():
    template = read_template(FULL, "templates/shop.toml")

    again = read_template(to_toml(template), "other.toml")

    assert to_toml(again) == to_toml(template)
    assert again.fields == template.fields
    assert again.name == "shop"


def test_one_text_stands_for_a_list_and_for_a_field():
    template = read_template(LEAST + '[fields]\nname = "h1"\n', "a.toml")

    assert template.match == ["https://a.test/*"]
    assert template.fields["name"] == FieldRule(select=["h1"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("match = [", "t.toml: not TOML"),
        ("", "t.toml: match: say which pages"),
        ('match = "*"', "t.toml: match: '*' matches every page"),
        (LEAST + "item = 'a'", "t.toml: unknown key 'item'; did you mean 'items'?"),
        (LEAST + "items = 'a['", "t.toml: items: 'a[' is no selector"),
        (LEAST + "items = 3", "t.toml: items: Expected `str`, got `int`"),
        (LEAST + "fields = 3", "t.toml: fields: write a table"),
        (LEAST + "key = 'sku'", "t.toml: key: there is no field 'sku'"),
        (LEAST + "title = 'A {name}'", "t.toml: title: there is no field 'name'"),
        (LEAST + "[fields.a]\nselct = 'b'", "t.toml: fields.a: unknown key 'selct'"),
        (LEAST + "[fields.a]\nselect = '//b['", "t.toml: fields.a.select: '//b[' is no selector"),
        (LEAST + "[fields.a]\nfrom = 'rdf:b'", "t.toml: fields.a.from: 'rdf:b' begins with none"),
        (LEAST + "[fields.a]\nfrom = 'url:('", "t.toml: fields.a.from: pattern '(' is not usable"),
        (LEAST + "[fields.a]\nclean = '('", "t.toml: fields.a.clean: pattern '(' is not usable"),
        (LEAST + "[fields.a]\nclean = 'b -> \\1'", "t.toml: fields.a.clean: 'b -> \\\\1' is not"),
        (LEAST + "[fields.a]\ntype = 'nummer'", "t.toml: fields.a: type: 'nummer' is not possible"),
        (LEAST + "[fields.a]\ntype = 'nummer'", "it is one of text, html, keyword, number, money,"),
        (LEAST + "[fields.a]\nof = 'list'", "t.toml: fields.a: of: 'list' is not possible"),
        (LEAST + "[fields.a]\nselect = [1]", "fields.a: select[0]: Expected `str`, got `int`"),
        (LEAST + "[fields.A]\nselect = 'b'", "t.toml: fields.A: is no name"),
        (LEAST + "[fields.a]\nvariable = 'a b'", "t.toml: fields.a: variable 'a b' is no name"),
        ("name = 'A b'\n" + LEAST, "t.toml: name: 'A b' is not possible: it is made of small"),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, said: str):
    with pytest.raises(ConfigurationError) as raised:
        read_template(text, "t.toml")

    assert said in str(raised.value)


def test_ten_thousand_fields_are_refused_at_once():
    fields = "".join(f"[fields.f{n}]\nselect = 'b'\n" for n in range(2 * MAX_FIELDS))

    with pytest.raises(ConfigurationError, match=f"at most {MAX_FIELDS} fields, not 128"):
        read_template(LEAST + fields, "t.toml")
    with pytest.raises(ConfigurationError, match="at most 100,000 bytes"):
        read_template(LEAST + fields * 80, "t.toml")
