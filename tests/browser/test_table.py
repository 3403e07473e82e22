"""Can results be seen as a table on the page, sorted by its columns and taken away as a file?"""

from __future__ import annotations

import pytest

from gossamer.core.page.values import Date, Image, Link, Money, Value
from tests.fake_search import FakePage

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

PHONE = {"viewport": {"width": 320, "height": 640}, "has_touch": True, "is_mobile": True}


@pytest.fixture(autouse=True)
def pages(fake):
    """Two loom makers' goods, and a page without values."""
    goods: list[tuple[str, str, Money, dict[str, Value]]] = [
        ("Loom", "Zettel", Money(120.5, "EUR"), {"in_stock": True, "tags": ["wood", "large"]}),
        ("Shuttle", "Acme", Money(9, "EUR"), {"in_stock": False, "since": Date("2024-05-31")}),
    ]
    fake.pages = [
        FakePage(f"https://a.test/{n}", title, "silk", brand=brand, values={"price": price, **more})
        for n, (title, brand, price, more) in enumerate(goods)
    ] + [FakePage("https://a.test/9", "About us", "silk")]


def rows(page):
    return [
        row.locator("th, td").all_inner_texts() for row in page.locator(".table tbody tr").all()
    ]


def heads(page):
    return page.locator(".table thead th").all_inner_texts()


def test_a_switch_shows_the_results_as_a_table_and_back(open_page):
    page = open_page("?q=silk")

    page.get_by_role("link", name="Table", exact=True).click()

    expect(page.locator(".table")).to_be_visible()
    assert "view=table" in page.url
    assert heads(page) == ["Title", "Brand", "Price", "In stock", "Tags", "Since"]
    assert rows(page) == [
        ["Loom", "Zettel", "€120.50", "Yes", "wood, large", ""],
        ["Shuttle", "Acme", "€9.00", "No", "", "2024-05-31"],
        ["About us", "", "", "", "", ""],
    ]
    page.get_by_role("link", name="List", exact=True).click()
    expect(page.locator("ol.hits")).to_be_visible()
    assert "view" not in page.url


def test_the_address_says_that_it_is_a_table(open_page):
    page = open_page("?q=silk&view=table")

    expect(page.get_by_role("link", name="Loom")).to_have_attribute("href", "https://a.test/0")


def test_what_says_the_title_or_the_address_again_is_no_column(open_page, fake):
    fake.pages = [
        FakePage(
            f"https://a.test/{name}",
            name,
            "silk",
            values={"name": name, "page": Link(f"https://a.test/{name}", name), "size": 3.0},
        )
        for name in ("Loom", "Shuttle")
    ]
    page = open_page("?q=silk&view=table")

    assert heads(page) == ["Title", "Size"]
    assert rows(page) == [["Loom", "3"], ["Shuttle", "3"]]


def test_names_stay_when_a_wide_table_is_scrolled(open_page, fake):
    values: dict[str, Value] = {f"text_{n}": "Woven on a loom of its own. " * 5 for n in range(4)}
    fake.pages = [FakePage("https://a.test/1", "Loom", "silk", values={"sku": "S-1", **values})]
    page = open_page("?q=silk&view=table", **PHONE)
    name, text = page.locator(".table tbody th"), page.locator(".table td.long").first
    left = name.bounding_box()["x"]

    page.locator(".table").evaluate("(table) => table.scrollTo(400, 0)")

    assert name.bounding_box()["x"] == left
    assert text.bounding_box()["width"] > 200, "a long text is no narrow column of words"


def test_what_can_be_sorted_by_is_sorted_by_its_heading(open_page):
    page = open_page("?q=silk&view=table")
    heading = page.locator("th[aria-sort]")
    expect(heading).to_have_count(1)

    heading.get_by_role("link", name="Brand").click()
    expect(heading).to_have_attribute("aria-sort", "ascending")
    assert [row[1] for row in rows(page)] == ["", "Acme", "Zettel"]
    heading.get_by_role("link", name="Brand").click()

    expect(heading).to_have_attribute("aria-sort", "descending")
    assert [row[1] for row in rows(page)] == ["Zettel", "Acme", ""]
    assert "view=table" in page.url


def test_links_and_pictures_lead_to_their_addresses_and_nothing_is_loaded(open_page, fake):
    values: dict[str, Value] = {
        "maker": Link("https://b.test/acme", "Acme Ltd"),
        "picture": Image("https://b.test/img/loom.jpg"),
        "bad": Link("javascript:alert(1)", "click"),
    }
    fake.pages = [FakePage("https://a.test/1", "Loom", "silk", values=values)]
    page = open_page("?q=silk&view=table")

    assert rows(page) == [["Loom", "Acme Ltd", "loom.jpg", "click"]]
    expect(page.get_by_role("link", name="loom.jpg")).to_have_attribute(
        "href", "https://b.test/img/loom.jpg"
    )
    expect(page.locator(".table img, .table a[href^=javascript]")).to_have_count(0)


def test_a_picture_that_is_stored_is_shown_from_there(open_page, fake):
    def goods(number: int, *, stored: bool) -> FakePage:
        values: dict[str, Value] = {
            "side": Image(f"https://b.test/side{number}.jpg"),
            "image": Image(f"https://b.test/front{number}.jpg"),
        }
        url = f"https://a.test/{number}"
        return FakePage(url, f"Loom {number}", "silk", values=values, picture=stored)

    fake.pages = [goods(1, stored=True), goods(2, stored=False)]
    page = open_page("?q=silk&view=table")

    picture = page.locator(".table td img")
    expect(picture).to_have_count(1)
    assert picture.get_attribute("src").endswith("/picture")
    assert picture.evaluate("(img) => img.closest('td').innerText").strip() == "front1.jpg"


def test_the_results_can_be_taken_away_as_csv(open_page):
    page = open_page("?q=silk&view=table&sort=brand")

    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()

    assert download.value.suggested_filename == "results.csv"
    lines = download.value.path().read_text().splitlines()
    assert lines[0] == "title,url,brand,price,price_currency,in_stock,since,tags"
    assert lines[2] == "Shuttle,https://a.test/1,Acme,9,EUR,false,2024-05-31,"


def test_keys_go_from_row_to_row(open_page):
    page = open_page("?q=silk&view=table")
    expect(page.locator(".table")).to_be_visible()

    page.locator("#results").focus()
    page.keyboard.press("j")
    page.keyboard.press("j")

    expect(page.get_by_role("link", name="Shuttle")).to_be_focused()


def test_on_a_phone_the_table_scrolls_and_the_page_does_not(open_page):
    page = open_page("?q=silk&view=table", **PHONE)

    wide = page.evaluate(
        "() => [document.documentElement.scrollWidth, document.querySelector('.table').scrollWidth]"
    )
    assert wide[0] <= 320 < wide[1]


def test_results_without_values_say_where_values_come_from(open_page, fake):
    fake.pages = [FakePage("https://a.test/9", "About us", "silk")]
    page = open_page("?q=silk&view=table")

    expect(page.locator(".hint")).to_contain_text("no values")
