"""Does a page without scripts say what results declare, and as text alone?"""

from __future__ import annotations

import re
from pathlib import Path

import gossamer
from gossamer.core.page.values import Date, Image, Link, Money, Value
from gossamer.entrypoints.api.views import facts
from tests.fake_search import FakePage
from tests.unit.entrypoints.api.views.test_plain_page import opened

LOOM: dict[str, Value] = {
    "type": "product",
    "image": Image("https://b.test/loom.jpg"),
    "maker": Link("https://b.test/acme", "Acme <Ltd>"),
    "cover": Image("https://b.test/cover.jpg"),
    "rating": 4.64,
    "price": Money(1120.5, "EUR"),
    "in_stock": True,
    "since": Date("2024-05-31"),
    "story": "x" * 200,
    "tags": ["wood", "large"],
}


def test_the_price_comes_first_and_long_texts_not_at_all(fake):
    fake.pages = [FakePage("https://a.test/1", "Loom", "silk", values=LOOM, picture=True)]
    _, page = opened(q="silk")

    rows = page.query_selector_all(".facts > div")
    assert [(row.first_child.text, row.last_child.text) for row in rows] == [
        ("Price", "1,120.50 EUR"),
        ("Rating", "4.64"),
        ("Maker", "Acme <Ltd>"),
        ("In stock", "Yes"),
        ("Since", "2024-05-31"),
        ("Tags", "wood, large"),
    ]
    assert page.query_selector(".hit img").getattr("src").endswith("/picture")


def test_without_values_there_are_none(fake):
    fake.pages = [FakePage("https://a.test/1", "Loom", "silk")]
    _, page = opened(q="silk")

    assert page.query_selector(".facts") is None
    assert page.query_selector("img") is None


def test_a_picture_says_that_it_is_one(fake):
    values: dict[str, Value] = {"image": Image("https://b.test/loom.jpg")}
    fake.pages = [FakePage("https://a.test/1", "Loom", "silk", kind="image", values=values)]
    _, page = opened(q="silk")

    assert page.query_selector(".crumb .kind").text == "Picture"
    assert page.query_selector(".facts") is None


def test_the_page_with_scripts_chooses_likewise():
    script = (Path(gossamer.__file__).parent / "web" / "cards.js").read_text()

    def listed(name: str) -> list[str]:
        found = re.search(rf"const {name} = [^\[]*\[([^\]]*)\]", script)
        assert found is not None
        return re.findall(r'"(\w+)"', found[1])

    assert listed("FIRST") == facts.FIRST
    assert {*listed("UNSAID")} == facts.UNSAID
    assert f"const MOST = {facts.MOST};" in script
    assert f"const LONGEST = {facts.LONGEST};" in script
