import pytest

from gossamer.core.page.html import parse_page


def read(html, url="http://a.test/x"):
    return parse_page(html.encode(), url).documents[0]


@pytest.mark.parametrize(
    ("html", "date", "source"),
    [
        ("<meta name=parsely-pub-date content=2025-12-16T01:02:03Z>", "2025-12-16", "meta"),
        ("<meta name=date content='Dec 16, 2025'>", "2025-12-16", "meta"),
        (
            "<script type=application/ld+json>"
            '{"@graph":[{"@type":"Article","datePublished":"Dec 16, 2025"}]}</script>',
            "2025-12-16",
            "json-ld",
        ),
        ("<h1>T</h1><p>December 16, 2025", "2025-12-16", "text"),
        ("<p>x<time>16 December 2025</time>", "2025-12-16", "time"),
        ('<script>x={"publishedAt":"2025-12-16T01:00:00Z"}</script>', "2025-12-16", "json-ld"),
        ("<meta property=og:updated_time content=2025-12-16>", "2025-12-16", "meta"),
    ],
)
def test_a_date_is_found_wherever_a_page_tells_it(html, date, source):
    found = read(html)

    assert (found.date[:10], found.date_source) == (date, source)


def test_what_is_declared_comes_before_what_is_shown():
    html = "<meta name=datepublished content=2025-12-16><h1>T</h1><p>January 1, 2020"

    assert read(html).date == "2025-12-16"


def test_the_address_tells_a_date_that_the_page_does_not():
    found = read("<h1>T</h1>", "http://a.test/2025/12/16/t")

    assert (found.date, found.date_source) == ("2025-12-16", "url")


def test_dates_of_several_pages_in_its_state_are_nobodys():
    html = '<script>[{"publishedAt":"2025-12-16"},{"publishedAt":"2025-12-17"}]</script>'

    assert read(html).date == ""
