from __future__ import annotations

import dataclasses

import pytest

from gossamer.core.crawl.url_record import PageRef, UrlChange
from gossamer.core.crawl.url_state import Event, State
from gossamer.core.urls import url_id
from gossamer.messages import MAX_LINKS_PER_MESSAGE, DocumentParsed, PageFetched
from tests.documents import document_of, documents_of
from tests.item_reader import page_of_items, reading_items
from tests.life import bring
from tests.pump import JOB, Crash, answer, page, robots

ROOT = "http://a.test/"
NOINDEX = "<meta name=robots content=noindex>"
NOFOLLOW = "<meta name=robots content=nofollow>"


def fetched(w, url=ROOT, **more):
    """The message that FETCH sent for a URL."""
    record = w.record(url)
    return PageFetched(
        job=JOB,
        url=url,
        page=record.page,
        depth=record.depth,
        fetched_at=record.fetched_at,
        **more,
    )


async def parsed_again(w, url=ROOT, **more):
    return await w.deal_with("parse", fetched(w, url, **more))


def to(stream, emissions):
    return [emission for emission in emissions if emission.stream == stream]


def followed(emissions):
    return [link.url for e in to("links", emissions) for link in e.message.links]


async def test_a_page_becomes_a_document(world):
    w = world({ROOT: page("/x", title="Spiders & silk")})

    await w.crawl()

    document = document_of(w.home, ROOT)
    assert (document.url, document.title) == (ROOT, "Spiders & silk")
    assert w.end_of(ROOT) == (State.PARSED, "document")


@pytest.mark.parametrize(
    ("languages", "language"), [(["en"] * 6, "en"), (["en", "de"] * 3, ""), (["en"] * 4, "")]
)
async def test_a_table_has_the_language_of_most_pages_of_its_host(world, languages, language):
    table = "http://a.test/table"
    rows = "".join(f"<tr><td>spi_{n}</td><td>tuple_{n}</td><td>{n}</td></tr>" for n in range(40))
    answers = {ROOT: page("/0", title="Root"), table: answer(body=f"<table>{rows}</table>")}
    for number, told in enumerate(languages):
        after = "/table" if number + 1 == len(languages) else f"/{number + 1}"
        head = f'<meta http-equiv="content-language" content="{told}">'
        answers[f"{ROOT}{number}"] = page(after, title=f"Page {number}", head=head)
    w = world(answers)

    await w.crawl()
    await parsed_again(w, table)  # a message may come twice

    assert document_of(w.home, f"{ROOT}0").language == "en"
    assert document_of(w.home, table).language == language


async def test_a_document_is_announced_to_be_indexed(world):
    w = world({ROOT: page(title="r")})
    await w.crawl()

    (emission,) = to("index", await parsed_again(w))

    at = w.record(ROOT).fetched_at
    assert emission.message == DocumentParsed(job=JOB, url=ROOT, fetched_at=at)


async def test_what_leaves_no_document_is_not_announced(world):
    w = world({ROOT: page("/x", title="r", head=NOINDEX), "http://a.test/x": page(title="x")})
    await w.crawl()

    assert to("index", await parsed_again(w)) == []
    assert to("index", await parsed_again(w, "http://a.test/x", links_only=True)) == []


async def test_links_are_sent_on_with_their_words(world):
    w = world({ROOT: page("/x", "!/y", title="r")})
    await w.crawl()

    (emission,) = to("links", await parsed_again(w))

    found = emission.message
    assert (found.source, found.via, found.depth) == (ROOT, "page", 0)
    assert [(k.url, k.anchor, k.nofollow) for k in found.links] == [
        ("http://a.test/x", "/x", False),
        ("http://a.test/y", "!/y", True),
    ]


async def test_a_page_without_links_still_says_so(world):
    """Its old edges, if it had any, are replaced by none."""
    w = world({ROOT: page(title="r")})
    await w.crawl()

    (emission,) = to("links", await parsed_again(w))

    assert (emission.message.links, emission.message.parts) == ([], 1)


async def test_a_message_that_comes_back_emits_the_same_and_moves_nothing(world):
    w = world({ROOT: page("/x", title="r")}, max_documents=5)
    await w.crawl()
    left = w.budget()

    first = await parsed_again(w)
    second = await parsed_again(w)

    assert first == second
    assert w.end_of(ROOT) == (State.PARSED, "document")
    assert w.budget() == left


async def test_very_many_links_come_in_several_messages(world):
    paths = [f"/{i}" for i in range(MAX_LINKS_PER_MESSAGE + 5)]
    w = world({ROOT: page(*paths, title="r")}, max_pages=1)
    await w.crawl()

    emissions = to("links", await parsed_again(w))

    assert [len(e.message.links) for e in emissions] == [MAX_LINKS_PER_MESSAGE, 5]
    assert [(e.message.part, e.message.parts) for e in emissions] == [(0, 2), (1, 2)]


async def test_no_more_links_of_a_page_are_read_than_the_job_allows(world):
    w = world({ROOT: page("/1", "/2", "/3", title="r")}, max_links=2)
    await w.crawl()

    assert followed(await parsed_again(w)) == ["http://a.test/1", "http://a.test/2"]


@pytest.mark.parametrize(
    "root",
    [page("/x", title="r", head=NOINDEX), page("/x", title="r", X_Robots_Tag="noindex")],
    ids=["meta", "header"],
)
async def test_noindex_keeps_no_document_but_follows_the_links(world, root):
    w = world({ROOT: root, "http://a.test/x": page(title="x")}, max_documents=5)

    await w.crawl()

    assert w.end_of(ROOT) == (State.EXCLUDED, "noindex")
    assert documents_of(w.home, ROOT) == []
    assert w.end_of("http://a.test/x") == (State.PARSED, "document")
    assert w.budget() == (None, 4)


@pytest.mark.parametrize(
    "root",
    [page("/x", title="r", head=NOFOLLOW), page("/x", title="r", X_Robots_Tag="nofollow")],
    ids=["meta", "header"],
)
async def test_nofollow_keeps_the_document_but_follows_no_link(world, root):
    w = world({ROOT: root})

    await w.crawl()

    assert w.end_of(ROOT) == (State.PARSED, "document")
    assert w.end_of("http://a.test/x") == (State.EXCLUDED, "nofollow")
    assert "http://a.test/x" not in w.fetcher.urls()


async def test_a_directive_for_another_crawler_is_not_for_us(world):
    w = world({ROOT: page("/x", title="r", X_Robots_Tag="otherbot: noindex, nofollow")})

    await w.crawl()

    assert w.end_of(ROOT) == (State.PARSED, "document")
    assert "http://a.test/x" in w.fetcher.urls()


async def test_a_canonical_link_is_no_way_to_go(world):
    w = world({ROOT: page(title="r", head='<link rel=canonical href="/canonical">')})

    await w.crawl()

    assert w.home.urls.get(url_id("http://a.test/canonical")) is None
    assert document_of(w.home, ROOT).canonical == "http://a.test/canonical"


async def test_only_links_in_the_scope_of_the_job_count(world):
    html = '<nav><a href="/nav">n</a></nav><main><a href="/main">m</a></main>'
    root = answer(200, html, headers=[("Content-Type", "text/html")])
    w = world({ROOT: root}, link_scope="//main")
    await w.crawl()

    assert followed(await parsed_again(w)) == ["http://a.test/main"]


async def test_links_only_leaves_the_document_alone(world):
    w = world({ROOT: page("/x", title="r")})
    await w.crawl()
    bring(w.home.urls, url_id(ROOT), State.DUPLICATE, UrlChange(reason="same-content"))

    (emission,) = await parsed_again(w, links_only=True)

    assert followed([emission]) == ["http://a.test/x"]
    assert w.end_of(ROOT) == (State.DUPLICATE, "same-content")


async def test_a_page_that_cannot_be_read_back_fails_and_frees_its_document(world):
    w = world({ROOT: page(title="r")}, max_documents=5)
    await w.crawl()
    bring(w.home.urls, url_id(ROOT), State.FETCHED, UrlChange(reason=""))
    left = w.budget()[1]
    message = PageFetched(
        job=JOB, url=ROOT, page=PageRef("missing.warc.gz", 0, 9), depth=0, fetched_at=100.0
    )

    assert await w.deal_with("parse", message) == []
    assert w.end_of(ROOT) == (State.FAILED, "corrupt-record")
    assert w.budget() == (None, left + 1)


async def test_a_page_of_a_job_that_is_gone_is_dropped(world):
    w = world({ROOT: page(title="r")})
    await w.crawl()
    message = PageFetched(
        job="other", url=ROOT, page=w.record(ROOT).page, depth=0, fetched_at=100.0
    )

    assert await w.deal_with("parse", message) == []


class TestAPageOfItems:
    @pytest.fixture(autouse=True)
    def _reader(self):
        with reading_items():
            yield

    async def test_becomes_a_document_for_each(self, world):
        w = world({ROOT: page_of_items("a=Orb", "b=Funnel", "Sheet", whole="Webs")})

        await w.crawl()

        assert {d.title for d in documents_of(w.home, ROOT)} == {"Orb", "Funnel", "Sheet", "Webs"}
        assert w.end_of(ROOT) == (State.PARSED, "document")
        assert w.home.documents.count() == (1, 4)

    async def test_is_announced_once(self, world):
        w = world({ROOT: page_of_items("a=Orb", "b=Funnel")})
        await w.crawl()

        (emission,) = to("index", await parsed_again(w))

        at = w.record(ROOT).fetched_at
        assert emission.message == DocumentParsed(job=JOB, url=ROOT, fetched_at=at)

    async def test_takes_one_document_of_the_budget_whatever_it_holds(self, world):
        w = world({ROOT: page_of_items("a=Orb", "b=Funnel", "c=Sheet")}, max_documents=5)

        await w.crawl()

        assert w.budget() == (None, 4)

    async def test_without_any_ends_with_that_reason_and_leads_on(self, world):
        w = world({ROOT: page_of_items(links=("/x",)), f"{ROOT}x": page(title="x")})

        await w.crawl()

        assert w.end_of(ROOT) == (State.EXCLUDED, "no-document")
        assert (documents_of(w.home, ROOT), w.home.documents.count()) == ([], (1, 1))
        assert w.end_of(f"{ROOT}x") == (State.PARSED, "document")

    async def test_without_any_takes_no_document_of_the_budget_though_it_comes_twice(self, world):
        w = world({ROOT: page_of_items()}, max_documents=5, max_pages=5)
        await w.crawl()

        first, second = await parsed_again(w), await parsed_again(w)

        assert first == second
        assert w.end_of(ROOT) == (State.EXCLUDED, "no-document")
        assert w.budget() == (4, 5)

    async def test_without_any_keeps_its_page_of_the_budget_when_its_fetch_comes_again(self, world):
        w = world({ROOT: page_of_items()}, max_documents=5, max_pages=5)
        fetches = []

        def observe(stream, message, _emissions):
            if stream == "fetch" and message.purpose == "page":
                fetches.append(message)

        await w.crawl(observe=observe)
        for message in fetches:
            await w.deal_with("fetch", message)

        assert len(fetches) == 1
        assert w.budget() == (4, 5)

    async def test_without_any_is_not_announced_if_it_never_had_one(self, world):
        w = world({ROOT: page_of_items()})
        await w.crawl()

        assert to("index", await parsed_again(w)) == []

    async def test_that_forbids_it_is_not_kept(self, world):
        items = page_of_items("a=Orb")
        closed = (*items.headers, ("X-Robots-Tag", "noindex"))
        w = world({ROOT: dataclasses.replace(items, headers=closed)})

        await w.crawl()

        assert w.end_of(ROOT) == (State.EXCLUDED, "noindex")
        assert documents_of(w.home, ROOT) == []

    @pytest.mark.parametrize("method", ["put", "move"])
    async def test_is_kept_though_parse_dies_between_two_writes(self, world, monkeypatch, method):
        w = world({ROOT: page_of_items("a=Orb", "b=Funnel")})
        store = w.home.documents if method == "put" else w.home.urls
        real = getattr(store, method)
        died: list[object] = []

        def dies_once(*given):
            done = real(*given)
            if not died and (method == "put" or given[1] is Event.PARSED):
                died.append(given)
                raise Crash
            return done

        monkeypatch.setattr(store, method, dies_once)
        await w.crawl()

        assert died
        assert w.end_of(ROOT) == (State.PARSED, "document")
        assert w.home.documents.count() == (1, 2)


class TestASitemap:
    INDEX = """<sitemapindex><sitemap><loc>http://a.test/s1.xml</loc></sitemap>
    <sitemap><loc>http://b.test/s2.xml</loc></sitemap></sitemapindex>"""
    PAGES = """<urlset><url><loc>http://a.test/hidden</loc></url>
    <url><loc>http://a.test/no</loc></url><url><loc>http://far.test/</loc></url></urlset>"""
    RULES = "User-agent: *\nDisallow: /no\nSitemap: http://a.test/sitemap.xml"

    async def test_of_robots_txt_is_read_with_its_children_of_the_same_host(self, world):
        w = world(
            {
                "http://a.test/robots.txt": robots(self.RULES),
                "http://a.test/sitemap.xml": answer(200, self.INDEX),
                "http://a.test/s1.xml": answer(200, self.PAGES),
                "http://a.test/hidden": page(title="hidden"),
                ROOT: page(title="r"),
            }
        )

        await w.crawl()

        assert w.end_of("http://a.test/hidden") == (State.PARSED, "document")
        assert w.record("http://a.test/hidden").depth == 1
        assert w.end_of("http://a.test/no") == (State.EXCLUDED, "robots")
        assert w.end_of("http://far.test/") == (State.EXCLUDED, "out-of-scope")
        assert w.fetcher.times("b.test") == []

    async def test_is_neither_a_page_nor_a_document(self, world):
        w = world(
            {
                "http://a.test/robots.txt": robots(self.RULES),
                "http://a.test/sitemap.xml": answer(200, self.PAGES),
                ROOT: page(title="r"),
            },
            max_pages=5,
        )

        await w.crawl()

        assert w.home.urls.get(url_id("http://a.test/sitemap.xml")) is None
        assert w.budget() == (4, None)

    @pytest.mark.parametrize("config", [{"sitemaps": False}, {"follow": False}])
    async def test_is_not_read_if_the_job_does_not_want_it(self, world, config):
        rules = robots("Sitemap: http://a.test/sitemap.xml")
        w = world({"http://a.test/robots.txt": rules, ROOT: page(title="r")}, **config)

        await w.crawl()

        assert w.fetcher.urls() == ["http://a.test/robots.txt", ROOT]

    async def test_of_another_host_is_not_read(self, world):
        rules = robots("Sitemap: http://b.test/sitemap.xml")
        w = world({"http://a.test/robots.txt": rules, ROOT: page(title="r")})

        await w.crawl()

        assert w.fetcher.times("b.test") == []

    async def test_that_lists_itself_ends(self, world):
        loop = (
            "<sitemapindex><sitemap><loc>http://a.test/sitemap.xml</loc></sitemap></sitemapindex>"
        )
        w = world(
            {
                "http://a.test/robots.txt": robots(self.RULES),
                "http://a.test/sitemap.xml": answer(200, loop),
                ROOT: page(title="r"),
            }
        )

        await w.crawl()

        assert w.fetcher.urls().count("http://a.test/sitemap.xml") <= 3

    @pytest.mark.parametrize("body", ["", "<html>no</html>", "<urlset><url><loc>", b"\xff\xfe\x00"])
    async def test_that_is_broken_stops_nothing(self, world, body):
        w = world(
            {
                "http://a.test/robots.txt": robots(self.RULES),
                "http://a.test/sitemap.xml": answer(200, body),
                ROOT: page(title="r"),
            }
        )

        await w.crawl()

        assert w.end_of(ROOT) == (State.PARSED, "document")

    async def test_in_trouble_is_tried_again(self, world):
        w = world(
            {
                "http://a.test/robots.txt": robots(self.RULES),
                "http://a.test/sitemap.xml": [answer(500), answer(200, self.PAGES)],
                ROOT: page(title="r"),
            }
        )

        await w.crawl()

        assert w.fetcher.urls().count("http://a.test/sitemap.xml") == 2
        assert "http://a.test/hidden" in w.fetcher.urls()


async def test_a_page_is_withheld_from_its_last_day_on(world):
    w = world({ROOT: page("/x", title="r", X_Robots_Tag="unavailable_after: 25 Jun 2010")})
    w.clock.advance_to(1_300_000_000.0)

    await w.crawl()

    assert documents_of(w.home, ROOT) == []
    assert w.end_of(ROOT) == (State.EXCLUDED, "unavailable-after")


async def test_the_last_day_of_a_page_is_kept_until_then(world):
    w = world({ROOT: page(title="r", X_Robots_Tag="unavailable_after: 25 Jun 2099 00:00:00 GMT")})

    await w.crawl()

    assert document_of(w.home, ROOT).unavailable_after == 4086028800
