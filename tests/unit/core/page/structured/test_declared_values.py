"""The typed values that a page declares of itself."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.html import parse_page
from gossamer.core.page.values import Date, Image, Money, check_values

ROOT = Path(__file__).resolve().parents[5]
URL = "https://shop.test/lamp"


def documents(*objects: object, head: str = "", body: str = "<p>Text</p>", url: str = URL):
    scripts = "".join(
        f'<script type="application/ld+json">{json.dumps(each)}</script>' for each in objects
    )
    html = f"<title>Page</title>{head}{scripts}<body>{body}"
    return parse_page(html.encode(), url, content_type="text/html; charset=utf-8").documents


def values(*objects: object, head: str = "", body: str = "<p>Text</p>"):
    return documents(*objects, head=head, body=body)[0].values


def product(name: str = "Lamp", price: object = "19.90", **more: object) -> dict[str, object]:
    offer = {"@type": "Offer", "price": price, "priceCurrency": "EUR"}
    return {"@type": "Product", "name": name, "offers": offer, **more}


def test_a_product_has_typed_values():
    found = values(
        product(
            brand={"@type": "Brand", "name": "Acme"},
            image=["/lamp.jpg"],
            sku="L1",
            aggregateRating={"ratingValue": "8.4", "bestRating": 10, "reviewCount": "12"},
        )
    )

    assert found == {
        "type": "product",
        "name": "Lamp",
        "brand": "Acme",
        "price": Money(19.9, "EUR"),
        "rating": 4.2,
        "reviews": 12,
        "image": Image("https://shop.test/lamp.jpg"),
        "sku": "L1",
    }


@pytest.mark.parametrize(
    "offers",
    [
        {"price": 7, "priceCurrency": "EUR"},
        [{"price": "9.00", "priceCurrency": "EUR"}, {"price": "7.00", "priceCurrency": "EUR"}],
        {"@type": "AggregateOffer", "lowPrice": "7", "highPrice": "9", "priceCurrency": "EUR"},
        {"@type": "AggregateOffer", "priceCurrency": "EUR", "offers": [{"price": "7,00 €"}]},
        {"priceSpecification": [{"price": "7", "priceCurrency": "EUR"}]},
        [{"price": 7, "priceCurrency": "EUR"}, {"price": 5, "priceCurrency": "USD"}],
    ],
)
def test_the_price_is_the_lowest_of_the_offers(offers):
    assert values({"@type": "Product", "name": "Lamp", "offers": offers})["price"] == Money(
        7, "EUR"
    )


def test_a_price_of_variants_is_that_of_the_cheapest():
    group = {
        "@type": "ProductGroup",
        "name": "Lamp",
        "hasVariant": [product("S", 9), product("M", 8)],
    }

    assert values(group)["price"] == Money(8, "EUR")


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("https://schema.org/InStock", "in stock"),
        ("http://schema.org/OutOfStock", "out of stock"),
        ("PreOrder", "preorder"),
        ("https://schema.org/LimitedAvailability", "limited availability"),
    ],
)
def test_availability_is_said_in_words(said, known):
    offer = {"price": 7, "availability": said}

    assert values({"@type": "Product", "name": "L", "offers": offer})["availability"] == known


def test_the_product_of_the_page_is_told_from_those_beside_it():
    beside = product("Other", 5, url="/other")

    assert values(product(url=URL), beside)["name"] == "Lamp"
    assert values(product(isRelatedTo=[beside]))["name"] == "Lamp"
    assert values(product(), beside)["name"] == "Lamp"


def test_a_list_of_products_that_have_pages_says_nothing_of_them():
    listed = [{"@type": "ListItem", "item": product(f"L{n}", url=f"/l{n}")} for n in range(3)]

    found = documents({"@type": "ItemList", "itemListElement": listed})

    assert [document.values for document in found] == [{}]


def test_a_list_with_one_product_says_nothing_of_it_either():
    listed = [{"@type": "ListItem", "item": product(url="/l1")}]

    assert documents({"@type": "ItemList", "itemListElement": listed})[0].values == {}


def test_products_without_pages_are_items_known_by_their_numbers():
    page, *items = documents(product("A", 7, sku="a"), product("B", 8, sku="b", description="Big"))

    assert page.values == {}
    assert [(item.key, item.title, item.text) for item in items] == [
        ("a", "A", "A"),
        ("b", "B", "Big"),
    ]
    assert items[1].values["price"] == Money(8, "EUR")


def test_an_article_has_its_authors_and_section():
    article = {
        "@type": "NewsArticle",
        "headline": "News",
        "author": [{"@type": "Person", "name": "Ann"}, "Bob"],
        "articleSection": "World",
        "datePublished": "2024-05-06T07:08:09Z",
        "publisher": {"@type": "Organization", "name": "Paper"},
    }

    assert values(article) == {
        "type": "article",
        "name": "News",
        "author": ["Ann", "Bob"],
        "section": "World",
        "published_on": Date("2024-05-06"),
    }


def test_an_event_a_recipe_a_job_and_questions_are_known():
    place = {"@type": "Place", "name": "Hall", "address": {"addressLocality": "Bern"}}
    event = {
        "@type": "MusicEvent",
        "name": "Gig",
        "startDate": "2024-05-06T19:00",
        "location": place,
    }
    recipe = {
        "@type": "Recipe",
        "name": "Soup",
        "recipeIngredient": ["Water", "Salt"],
        "totalTime": "PT1H30M",
    }
    pay = {"currency": "CHF", "value": {"minValue": 5000, "maxValue": 6000}}
    job = {
        "@type": "JobPosting",
        "title": "Cook",
        "hiringOrganization": {"name": "Inn"},
        "baseSalary": pay,
    }
    question = {"@type": "Question", "name": "Why?", "acceptedAnswer": {"text": "So."}}
    faq = {"@type": "FAQPage", "mainEntity": [question], "name": "Help"}

    assert (values(event)["starts"], values(event)["location"]) == (Date("2024-05-06"), "Bern")
    assert (values(recipe)["minutes"], values(recipe)["ingredients"]) == (90, ["Water", "Salt"])
    assert (values(job)["company"], values(job)["salary"]) == ("Inn", Money(5000, "CHF"))
    assert (values(faq)["questions"], values(faq)["answers"]) == (["Why?"], ["So."])


PLACE = {"@type": "Place", "name": "Hall", "address": {"addressLocality": "Bern"}}
OFFER = {"price": 7, "priceCurrency": "CHF", "availability": "https://schema.org/InStock"}
WHOLE = {
    "product": {
        **{"@type": "Product", "name": "Lamp", "image": "/l.jpg", "brand": "Acme", "sku": "L1"},
        **{"author": "Ann", "gtin13": "4006381333931", "category": "Lamps", "offers": OFFER},
        "aggregateRating": {"ratingValue": 4, "reviewCount": 3},
    },
    "article": {
        **{"@type": "BlogPosting", "headline": "News", "author": "Ann", "articleSection": "World"},
        **{"datePublished": "2024-05-06", "dateModified": "2024-05-07"},
    },
    "event": {
        **{"@type": "Event", "name": "Gig", "startDate": "2024-05-06", "endDate": "2024-05-07"},
        **{"location": PLACE, "organizer": {"name": "Club"}, "offers": OFFER},
    },
    "recipe": {
        **{"@type": "Recipe", "name": "Soup", "totalTime": "PT30M", "recipeYield": "4 plates"},
        **{"recipeIngredient": ["Water"], "recipeCuisine": "Swiss", "recipeCategory": "Starter"},
        "author": "Ann",
    },
    "job": {
        **{"@type": "JobPosting", "title": "Cook", "hiringOrganization": {"name": "Inn"}},
        **{"jobLocation": PLACE, "employmentType": "FULL_TIME", "datePosted": "2024-05-06"},
        "baseSalary": {"currency": "CHF", "value": {"value": 5000}},
        "validThrough": "2024-06-01",
    },
    "organization": {
        **{"@type": "Restaurant", "name": "Inn", "telephone": "+41 31 000 00 00", "url": URL},
        "address": {"addressLocality": "Bern"},
    },
    "faq": {
        **{"@type": "FAQPage", "name": "Help"},
        "mainEntity": [{"@type": "Question", "name": "Why?", "acceptedAnswer": {"text": "So."}}],
    },
}
DOCUMENTED = {
    "product": "products",
    "article": "articles",
    "event": "events",
    "recipe": "recipes",
    "job": "jobs",
    "organization": "organizations",
    "faq": "questions",
}


@pytest.mark.parametrize("kind", WHOLE)
def test_an_object_of_each_kind_has_all_values_that_the_documentation_names(kind):
    page = (ROOT / "docs" / "structured-data.md").read_text()
    (row,) = (line for line in page.splitlines() if line.startswith(f"| {DOCUMENTED[kind]} |"))
    documented = set(re.findall(r"`(\w+)`", row))

    found = values(WHOLE[kind])

    assert found["type"] == kind
    assert set(found) - {"type", "name", "image", "rating", "reviews"} == documented


def test_typed_objects_in_the_state_of_a_script_are_read_where_nothing_else_is_declared():
    state = json.dumps({"props": {"pageProps": {"item": product(sku="L1")}}})
    next_data = f'<script id="__NEXT_DATA__" type="application/json">{state}</script>'
    text = json.dumps(state)
    said = f"<script>window.__STATE__ = {state};</script>"
    parsed = f"<script>window.__STATE__ = JSON.parse({text})</script>"

    for head in (next_data, said, parsed):
        assert values(head=head)["price"] == Money(19.9, "EUR"), head
    assert values(product("Table", 7), head=next_data)["name"] == "Table"
    assert values(head=next_data.replace("@type", "kind")) == {}


def test_a_publisher_on_every_page_is_not_what_they_are_about():
    assert values({"@type": "Organization", "name": "Paper", "url": "https://shop.test/"}) == {}


def test_a_trail_is_kept_in_its_order():
    trail = [{"position": 2, "item": {"name": "Lamps"}}, {"position": 1, "name": "Home"}]

    found = values({"@type": "BreadcrumbList", "itemListElement": trail}, product())

    assert found["breadcrumb"] == ["Home", "Lamps"]
    assert found["type"] == "product"


def test_microdata_and_meta_tags_say_the_same():
    body = """<div itemscope itemtype="http://schema.org/Product"><h1 itemprop=name>Lamp</h1>
    <p itemprop=offers itemscope itemtype="http://schema.org/Offer">
    <b itemprop=price>19,90 €</b></div>"""
    head = """<meta property="og:title" content="Lamp">
    <meta property="product:brand" content="Acme">
    <meta property="product:price:amount" content="19.90"><meta property="product:price:currency"
    content="EUR">"""

    assert values(body=body) == {"type": "product", "name": "Lamp", "price": Money(19.9, "EUR")}
    assert values(head=head) == values(body=body) | {"brand": "Acme"}
    assert values(head=head, body=body) == values(head=head)


def test_a_page_without_declared_data_has_no_values():
    assert values() == {}


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                str.split(
                    "name offers price aggregateRating ratingValue image url brand author sku"
                )
                + str.split("itemListElement position item priceSpecification address location @id")
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=15,
)


@given(JSON, st.sampled_from(["Product", "Event", "Recipe", "JobPosting", "FAQPage", "ItemList"]))
def test_whatever_is_declared_the_values_are_ones_that_a_document_may_have(data, kind):
    content = data if isinstance(data, dict) else {"offers": data, "name": data}

    for document in documents({"@type": kind, **content}):
        check_values(document.values)
