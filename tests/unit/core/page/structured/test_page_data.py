"""What a page declares, looked up by a path."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.structured import PageData

URL = "https://shop.test/lamp"


def linked(data: object) -> PageData:
    text = data if isinstance(data, str) else json.dumps(data)
    return PageData.of(f'<script type="application/ld+json">{text}</script>', URL)


def test_a_type_is_found_wherever_it_stands_and_lists_are_flattened():
    offers = [{"@type": "Offer", "price": 7}, {"@type": "Offer", "price": "8.50"}]
    data = linked(
        {"@graph": [{"@type": "WebPage", "mainEntity": {"@type": "Product", "offers": offers}}]}
    )

    assert data.lookup("jsonld:Product.offers.price") == [7, "8.50"]
    assert data.lookup("jsonld:Offer.price") == [7, "8.50"]
    assert data.lookup("jsonld:Recipe.name") == []


def test_a_reference_by_id_means_the_object_of_that_id():
    brand = {"@id": "#brand", "@type": "Brand", "name": "Acme"}
    data = linked([{"@type": "Product", "brand": {"@id": "#brand"}}, brand])

    assert data.lookup("jsonld:Product.brand.name") == ["Acme"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("M&amp;S", "M&S"),
        ("O&#039;Neil &ndash; 5&quot;", "O'Neil \u2013 5\""),
        ("a\\\\&#92;b &#0; &#xD800;", "a\\\\b \ufffd \ufffd"),
        ("?a=1&lang=de&copy", "?a=1&lang=de&copy"),
    ],
)
def test_entities_in_linked_data_mean_their_signs(written: str, meant: str):
    data = linked(f'{{"@type": "Product", "name": "{written}"}}')

    assert data.lookup("jsonld:Product.name") == [meant]


def test_a_property_of_an_outermost_object_needs_no_type():
    assert linked({"@type": "Product", "sku": "L1"}).lookup("jsonld:sku") == ["L1"]


def test_names_may_be_written_with_their_vocabulary():
    data = linked({"@type": "http://schema.org/Product", "schema:name": {"@value": "Lamp"}})

    assert data.lookup("jsonld:Product.name") == ["Lamp"]


@pytest.mark.parametrize(
    "text",
    [
        '{"@type":"Product","sku":"L1",}',
        '/* note */ {"@type":"Product", // inner\n "sku":"L1"}',
        '//<![CDATA[\n{"@type":"Product","sku":"L1"}\n//]]>',
        '<!-- {"@type":"Product","sku":"L1"} -->',
        "{&quot;@type&quot;:&quot;Product&quot;,&quot;sku&quot;:&quot;L1&quot;}",
        '{"@type":"Product","note":"two\nlines","sku":"L1"}',
        '{"@type":"Thing"}{"@type":"Product","sku":"L1"};',
        '[[{"@type":["Thing","Product"],"sku":["L1"]}]]',
    ],
)
def test_broken_json_is_read_as_far_as_it_can_be(text):
    assert linked(text).lookup("jsonld:Product.sku") == ["L1"]


def test_signs_of_comments_within_texts_stay():
    data = linked('{"@type":"Product","url":"https://shop.test//a/*b*/,]",}')

    assert data.lookup("jsonld:Product.url") == ["https://shop.test//a/*b*/,]"]


MICRODATA = """
<div itemscope itemtype="https://schema.org/Product" itemref="more">
  <h1 itemprop="name">Desk  <b>lamp</b></h1>
  <img itemprop="image" src="/lamp.jpg"><a itemprop="url" href="?v=1">x</a>
  <div itemprop="offers" itemscope itemtype="https://schema.org/Offer">
    <meta itemprop="priceCurrency" content="EUR">
    <span itemprop="price" content="19.90">19,90 €</span>
    <link itemprop="availability" href="https://schema.org/InStock">
  </div>
  <time itemprop="releaseDate" datetime="2024-05-06">6 May</time>
  <data itemprop="sku" value="L1">number L1</data><meter itemprop="score" value="3">***</meter>
  <object itemprop="manual" data="/manual.pdf"></object>
  <span itemprop="color">red</span><span itemprop="color">blue</span>
</div>
<p id="more"><span itemprop="brand">Acme</span></p>
"""


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("Product.name", ["Desk lamp"]),
        ("Product.image", ["https://shop.test/lamp.jpg"]),
        ("Product.url", ["https://shop.test/lamp?v=1"]),
        ("Product.offers.price", ["19.90"]),
        ("Offer.priceCurrency", ["EUR"]),
        ("Product.offers.availability", ["https://schema.org/InStock"]),
        ("Product.releaseDate", ["2024-05-06"]),
        ("Product.sku", ["L1"]),
        ("Product.score", ["3"]),
        ("Product.manual", ["https://shop.test/manual.pdf"]),
        ("Product.color", ["red", "blue"]),
        ("Product.brand", ["Acme"]),
        ("Product.price", []),
    ],
)
def test_each_element_of_microdata_has_its_own_kind_of_value(path, values):
    assert PageData.of(MICRODATA, URL).lookup(f"microdata:{path}") == values


def test_meta_tags_are_found_by_name_and_property():
    html = '<meta property="OG:Title" content="Lamp">'
    html += "<meta name=author content=A><meta name=author content=B>"

    assert PageData.of(html, URL).lookup("meta:og:title") == ["Lamp"]
    assert PageData.of(html, URL).lookup("meta:author") == ["A", "B"]


@pytest.mark.parametrize(
    "script",
    [
        '<script id="__NEXT_DATA__" type="application/json">{"props":{"price":7}}</script>',
        '<script>window.__NEXT_DATA__ = {"props":{"price":7}}; start()</script>',
        '<script>var __NEXT_DATA__={"props":{"price":7,},}</script>',
        '<script>window["__NEXT_DATA__"] = JSON.parse("{\\"props\\":{\\"price\\":7}}")</script>',
        '<script>window.__NEXT_DATA__ = JSON.parse(\'{"props":{"price":7}}\')</script>',
    ],
)
def test_state_is_found_by_its_name_or_by_a_key_within(script):
    data = PageData.of(f"<p>a</p>{script}", URL)

    assert data.lookup("state:__NEXT_DATA__.props.price") == [7]
    assert data.lookup("state:props.price") == data.lookup("state:price") == [7]


def test_tables_are_found_by_their_headers():
    html = """<table><tr><th>Weight:<td>3 kg</table><table><tr><th>Size<th>Price<tr><td>S<td>7
    <tr><td>M<td>8</table><dl><dt>Colour<dd>red</dl>"""
    data = PageData.of(html, URL)

    assert data.lookup("table:weight") == ["3 kg"]
    assert data.lookup("table:Price") == ["7", "8"]
    assert data.lookup("table:colour") == ["red"]


def test_rows_with_headers_of_their_own_are_found_by_those_of_the_columns():
    html = "<table><tr><th>Team<th>Points<tr><th>Reds<td>12<tr><th>Blues<td>9</table>"
    html += "<table><tr><th colspan=2>Size<tr><th>Width<td>3 m<tr><th>Depth<td>2 m</table>"
    data = PageData.of(html, URL)

    assert data.lookup("table:team") == ["Reds", "Blues"]
    assert data.lookup("table:points") == ["12", "9"]
    assert data.lookup("table:depth") == ["2 m"]


def test_an_unknown_source_has_no_values():
    assert PageData.of(MICRODATA, URL).lookup("rdfa:Product.name") == []


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"a":' * 5_000 + "1" + "}" * 5_000, '"' * 50_001, "{" + "/*" * 50_000],
)
def test_hostile_json_is_no_data(text):
    assert linked(text).lookup("jsonld:Product.name") == []


def test_items_that_refer_to_each_other_end():
    html = "".join(
        f'<div id="i{n}" itemprop="p" itemscope itemref="i{1 - n}"></div>' for n in (0, 1)
    )
    data = PageData.of(
        f'<div itemscope itemtype="https://schema.org/Product" itemref="i0">{html}</div>', URL
    )

    assert len(data.microdata.of_type("Product")) == 1


@given(st.text(alphabet=st.sampled_from('{}[]",:/*\\ a1<>-')))
def test_no_script_raises(text):
    linked(text).lookup("jsonld:Product.name")
    PageData.of(f"<script>window.a = {text}</script>", URL).lookup("state:a.b")
