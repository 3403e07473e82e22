import pytest

from gossamer.core.page.main_text.page_type import PageType, Signs, declared_types, page_type

LINKED = '<script type="application/ld+json">{"@context": "https://schema.org", %s}</script>'


@pytest.mark.parametrize(
    ("html", "signs", "expected"),
    [
        (LINKED % '"@type": "BlogPosting"', Signs(), PageType.ARTICLE),
        (LINKED % '"@type": ["NewsArticle"]', Signs(), PageType.ARTICLE),
        ("", Signs(og_type="article"), PageType.ARTICLE),
        (LINKED % '"@type": "Product"', Signs(), PageType.PRODUCT),
        ('<div itemtype="http://schema.org/Product">', Signs(), PageType.PRODUCT),
        ("", Signs(og_type="product.item"), PageType.PRODUCT),
        (LINKED % '"@type": "Product"', Signs(og_type="article"), PageType.ARTICLE),
        (LINKED % '"@type":"ItemList", "item": {"@type": "Product"}', Signs(), PageType.LISTING),
        (LINKED % '"@type": "DiscussionForumPosting"', Signs(), PageType.FORUM),
        ("", Signs("http://a.test/threads/x.7/"), PageType.FORUM),
        ("", Signs("http://forum.a.test/"), PageType.FORUM),
        ("", Signs("http://a.test/trade"), PageType.OTHER),
        ("", Signs("http://[a/"), PageType.OTHER),
        ("", Signs(generator="Docutils 0.19"), PageType.DOCUMENTATION),
        ('<script id="documentation_options">', Signs(), PageType.DOCUMENTATION),
        ("", Signs(generator="WordPress 6"), PageType.OTHER),
    ],
)
def test_a_page_is_of_the_type_that_it_declares(html, signs, expected):
    assert page_type(html, signs) is expected


def test_the_types_of_linked_data_and_of_markup_are_found():
    html = LINKED % '"@type" : "Offer"' + '<p itemtype="https://schema.org/Product">'

    assert declared_types(html) >= {"Offer", "Product"}


def test_a_page_without_the_vocabulary_declares_nothing():
    assert declared_types('"@type": "Article"') == set()
