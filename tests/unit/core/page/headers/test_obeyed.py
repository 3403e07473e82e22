from gossamer.core.crawl.job import JobConfig, Rules
from gossamer.core.page.read_response import read_response

URL = "http://a.test/page"
RULES = Rules(JobConfig())


def read(body, *headers):
    html = ("Content-Type", "text/html; charset=utf-8")
    return read_response("page", body.encode(), URL, (html, *headers), RULES)


def test_a_link_header_names_the_canonical_address():
    parsed = read("<p>x", ("Link", '</real>; rel="canonical"'))

    assert parsed.documents[0].canonical == "http://a.test/real"
    assert [(link.url, link.kind) for link in parsed.outlinks] == [
        ("http://a.test/real", "canonical")
    ]


def test_what_the_page_calls_canonical_comes_before_its_header():
    parsed = read("<link rel=canonical href=/own>", ("Link", "</real>; rel=canonical"))

    assert parsed.documents[0].canonical == "http://a.test/own"
    assert [link.url for link in parsed.outlinks] == ["http://a.test/own"]


def test_a_refresh_header_leads_on_like_a_refresh_of_the_page():
    parsed = read("<p>x", ("Refresh", "0; url=/näxt".encode().decode("latin-1")))

    assert [(link.url, link.kind) for link in parsed.outlinks] == [
        ("http://a.test/n%C3%A4xt", "refresh")
    ]


def test_other_languages_are_kept_from_the_page_and_from_its_header():
    body = "<link rel=alternate hreflang=de href=/de><link rel=alternate href=/feed>"

    parsed = read(body, ("Link", "</fr>; rel=alternate; hreflang=fr, </x>; rel=alternate"))

    assert parsed.documents[0].alternates == {"de": "http://a.test/de", "fr": "http://a.test/fr"}


def test_the_earlier_of_two_last_days_counts():
    body = "<meta name=robots content='unavailable_after: 2030-01-01'>"

    both = read(body, ("X-Robots-Tag", "unavailable_after: 01 Jan 2029 00:00:00 GMT"))

    assert read(body).unavailable_after == 1893456000
    assert both.unavailable_after == 1861920000


def test_general_and_own_directives_count_together():
    body = "<meta name=robots content=noindex><meta name=gossamer content=nofollow>"

    parsed = read(body)

    assert (parsed.noindex, parsed.nofollow) == (True, True)
