"""Are values that a page declares about itself read by a template, from each kind of source?"""

from __future__ import annotations

import pytest

from gossamer.core.crawl.job import JobConfig, Rules
from gossamer.core.page.read_response import read_response
from gossamer.core.page.templates.extraction import extract
from gossamer.core.page.templates.template import read_template
from gossamer.core.page.values import Date, Money, Value

URL = "https://shop.test/lamps/desk-lamp-17?v=2"
PAGE = """<html lang="en"><head><title>Desk lamp</title>
<meta property="product:price:amount" content="21.00">
<meta property="product:price:currency" content="EUR">
<script type="application/ld+json">{"@type": "Product", "name": "Desk lamp", "sku": "L17",
 "offers": {"price": "19.90", "priceCurrency": "CHF"}, "releaseDate": "2024-05-06"}</script>
<script id="__NEXT_DATA__" type="application/json">
 {"props": {"pageProps": {"lamp": {"stock": 4, "isNew": true}}}}</script></head>
<body><div itemscope itemtype="https://schema.org/Product"><b itemprop="color">green</b></div>
<table><tr><th>Weight</th><td>1.2 kg</td></tr></table></body></html>"""


@pytest.mark.parametrize(
    ("source", "kind", "value"),
    [
        ("jsonld:Product.offers.price", "money", Money(19.9, "CHF")),
        ("jsonld:Product.releaseDate", "date", Date("2024-05-06")),
        ("jsonld:sku", "keyword", "L17"),
        ("microdata:Product.color", "text", "green"),
        ("meta:product:price:amount", "money", Money(21, "EUR")),
        ("state:__NEXT_DATA__.props.pageProps.lamp.stock", "number", 4),
        ("state:lamp.isNew", "bool", True),
        ("table:weight", "number", 1.2),
        (r"url:-(\\d+)\\?", "number", 17),
    ],
)
def test_a_value_comes_from_its_source_and_is_of_its_type(source, kind, value):
    text = f'match = "shop.test/*"\n[fields.x]\nfrom = "{source}"\ntype = "{kind}"'
    template = read_template(text, "t.toml")

    (record,) = extract(template, PAGE, URL)
    parsed = read_response("page", PAGE.encode(), URL, (), Rules(JobConfig(), (template,)))

    assert record.values == {"x": value}
    assert record.origins["x"] == source.replace("\\\\", "\\")
    assert parsed.documents[0].values["x"] == value


LIST = """<html><body>
<div class="c" itemscope itemtype="https://schema.org/Product"><b itemprop="name">A</b>
 <i itemprop="offers" itemscope><u itemprop="price">5</u>
 <meta itemprop="priceCurrency" content="EUR"></i></div>
<div class="c" itemscope itemtype="https://schema.org/Product"><b itemprop="name">B</b></div>
<table class="t"><tr><th>Team<th>Points<tr><th>Reds<td>12<tr><th>Blues<td>9</table>
<script type="application/ld+json">{"@type": "ItemList", "name": "Best"}</script></body></html>"""


def values(items: str, **sources: str) -> list[dict[str, Value]]:
    fields = "".join(
        f'[fields.{name}]\nfrom = "{source}"\ntype = "{kind}"\n'
        for name, (kind, source) in ((name, said.split(" ", 1)) for name, said in sources.items())
    )
    template = read_template(f'match = "a.test/*"\nitems = "{items}"\n{fields}', "t.toml")
    return [record.values for record in extract(template, LIST, "https://a.test/")]


def test_an_item_has_its_own_microdata():
    found = values(".c", name="text microdata:name", price="money microdata:Product.offers.price")

    assert found == [{"name": "A", "price": Money(5, "EUR")}, {"name": "B"}]


def test_a_row_has_the_cells_below_the_headers_of_its_table():
    found = values(".t tr", team="text table:Team", points="number table:points")

    assert found == [{"team": "Reds", "points": 12}, {"team": "Blues", "points": 9}]


def test_what_is_declared_of_the_page_is_the_same_for_each_item():
    assert values(".c", of="text jsonld:ItemList.name") == [{"of": "Best"}, {"of": "Best"}]
