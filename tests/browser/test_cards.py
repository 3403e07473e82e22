"""Do results show what their documents declare, and media side by side, loading nothing foreign?"""

from __future__ import annotations

import pytest

from gossamer.core.page.values import Date, Image, Link, Money, Value
from tests.fake_search import FakePage

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

PHONE = {"viewport": {"width": 320, "height": 640}, "has_touch": True, "is_mobile": True}
LOOM: dict[str, Value] = {
    "type": "product",
    "name": "Loom",
    "image": Image("https://b.test/img/loom.jpg", "A loom"),
    "maker": Link("https://b.test/acme", "Acme Ltd"),
    "rating": 4.64,
    "reviews": 12,
    "price": Money(1120.5, "EUR"),
    "in_stock": True,
    "since": Date("2024-05-31"),
    "story": "x" * 200,
    "breadcrumb": ["Weaving", "Looms"],
    "tags": ["wood", "large"],
}


def medium(number: int, kind: str = "image", *, picture: bool = False) -> FakePage:
    url = f"https://b.test/img/web-{number}.jpg"
    values: dict[str, Value] = {kind: Image(url) if kind == "image" else Link(url)}
    return FakePage(
        *(f"https://a.test/{number}", f"silk web {number}", "silk"),
        kind=kind,
        values=values,
        picture=picture,
    )


def facts(page, number=0):
    found = page.locator(".hit").nth(number).locator(".facts > div").all()
    return [each.locator("dt, dd").all_text_contents() for each in found]


def test_an_item_shows_its_price_first_and_what_is_short(open_page, fake):
    fake.pages = [
        FakePage("https://a.test/1", "Loom", "silk", values=LOOM),
        FakePage("https://a.test/2", "About us", "silk"),
    ]
    page = open_page("?q=silk")

    assert facts(page) == [
        ["Price", "€1,120.50"],
        ["Rating", "4.6 from 12 reviews"],
        ["Maker", "Acme Ltd"],
        ["In stock", "Yes"],
        ["Since", "2024-05-31"],
        ["Tags", "wood, large"],
    ]
    expect(page.locator(".facts")).to_have_count(1)
    expect(page.locator(".hit img")).to_have_count(0)  # its picture is not stored


@pytest.mark.parametrize(
    ("money", "text"),
    [
        (Money(9, "USD"), "$9.00"),
        (Money(9), "9"),
        (Money(9, "no currency"), "9 no currency"),
        (Money(0.0005, "EUR"), "€0.00"),
    ],
)
def test_a_price_is_written_as_people_write_it(open_page, fake, money, text):
    fake.pages = [FakePage("https://a.test/1", "Loom", "silk", values={"price": money})]

    assert facts(open_page("?q=silk")) == [["Price", text]]


def test_values_of_strangers_are_text(open_page, fake):
    values: dict[str, Value] = {
        "brand": "<img src=x onerror=alert(1)>",
        "maker": Link("javascript:alert(1)", "click"),
        "image": Image("https://evil.test/x.png"),
    }
    fake.pages = [FakePage("https://a.test/1", "Loom", "silk", values=values)]
    page = open_page("?q=silk")

    assert facts(page) == [["Brand", "<img src=x onerror=alert(1)>"], ["Maker", "click"]]
    expect(page.locator("#results img, .facts a")).to_have_count(0)


@pytest.mark.parametrize("query", ["?q=silk+kind:image", "?q=silk&filter=kind:%22image%22"])
def test_pictures_stand_side_by_side_without_being_loaded(open_page, fake, query):
    fake.pages = [medium(number) for number in range(40)]
    page = open_page(query)

    tiles = page.locator(".grid > .tile")
    expect(tiles).to_have_count(30)
    first, second = tiles.nth(0).bounding_box(), tiles.nth(1).bounding_box()
    assert first["y"] == second["y"]
    expect(tiles.nth(0).get_by_role("link", name="silk web 0", exact=True)).to_have_attribute(
        "href", "https://a.test/0"
    )
    expect(tiles.nth(0).get_by_role("link", name="Picture itself: silk web 0")).to_have_attribute(
        "href", "https://b.test/img/web-0.jpg"
    )
    expect(page.locator("#results img")).to_have_count(0)


def test_a_picture_that_is_stored_is_shown_from_there(open_page, fake):
    fake.pages = [medium(1, picture=True), medium(2)]
    page = open_page("?q=silk+kind:image")

    shown = page.locator(".tile img")
    expect(shown).to_have_count(1)
    page.wait_for_function("() => document.querySelector('.tile img').naturalWidth === 1")
    assert shown.get_attribute("src").startswith("./documents/")
    expect(page.locator(".tile .none")).to_have_count(1)


def test_an_item_shows_its_stored_picture(open_page, fake):
    fake.pages = [FakePage("https://a.test/1", "Loom", "silk", values=LOOM, picture=True)]
    page = open_page("?q=silk")

    page.wait_for_function("() => document.querySelector('.hit img').naturalWidth === 1")


def test_keys_go_from_picture_to_picture(open_page, fake):
    fake.pages = [medium(number) for number in range(3)]
    page = open_page("?q=silk+kind:image")
    expect(page.locator(".tile")).to_have_count(3)

    page.locator("#results").focus()
    page.keyboard.press("j")
    page.keyboard.press("j")

    expect(page.get_by_role("link", name="silk web 1", exact=True)).to_be_focused()


def test_on_a_phone_two_pictures_fit_side_by_side_and_nothing_sticks_out(open_page, fake):
    fake.pages = [medium(number) for number in range(4)]
    page = open_page("?q=silk+kind:image", **PHONE)

    tiles = page.locator(".tile")
    expect(tiles).to_have_count(4)
    assert tiles.nth(0).bounding_box()["y"] == tiles.nth(1).bounding_box()["y"]
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 320


def test_among_pages_a_medium_says_what_it_is(open_page, fake):
    fake.pages = [medium(1), medium(2, "video"), FakePage("https://a.test/9", "Silk", "silk")]
    page = open_page("?q=silk")

    expect(page.locator(".hit .crumb .kind")).to_have_text(["Picture", "Video"])
    expect(page.locator(".grid")).to_have_count(0)
