"""By which values documents of one text are told apart."""

from typing import Any

from gossamer.core.near_duplicates.distinguishing import distinguishing
from gossamer.core.page.document import Document
from gossamer.core.page.values import Image, Money


def told(values: dict[str, Any], **more: Any) -> int:
    return distinguishing(Document(url="http://shop.test/", text="one", values=values, **more))


def test_a_document_without_values_is_told_apart_by_nothing():
    assert told({}) == told({"breadcrumb": ["Home"]}) == told({"type": "article", "name": "N"}) == 0


def test_items_and_what_a_template_read_differ_in_any_value_but_pictures():
    red, blue = {"colour": "red"}, {"colour": "blue"}

    for more in ({"key": "a"}, {"place": 1}, {"template": "shop"}):
        assert told(red, **more) != told(blue, **more)
        assert told(red | {"image": Image("http://a.test/")}, **more) == told(red, **more)


def test_pages_differ_in_what_names_a_thing_and_in_its_price():
    lamp = {"type": "product", "name": "Lamp", "price": Money(7, "EUR")}

    assert told(lamp) != told(lamp | {"price": Money(8, "EUR")})
    assert told(lamp) == told(dict(reversed(lamp.items())) | {"rating": 4.5})
