"""Are pictures, recordings and films of a site found, in both homes, without being fetched?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gossamer.core.crawl.url_state import State
from gossamer.core.ids import DocumentId
from gossamer.entrypoints.api.services import local_search
from gossamer.settings import Settings
from tests.commands import said
from tests.e2e.crawls import audited, crawl, exported
from tests.fake_search import PNG
from tests.pump import answer, page, robots
from tests.sites.generated import Resource, Rules, Site
from tests.stack_world import StackWorld
from tests.unit.entrypoints.moto_stack import aws, deploy, home

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sites.generated import Server

WEBS = """<title>Webs</title>
<link rel=alternate type="application/rss+xml" href="/feed.xml">
<meta property="og:image" content="/shared.jpg"><meta property="og:title" content="Webs, shared">
<script type="application/ld+json">{"@type": "VideoObject", "name": "A web is spun in silk",
 "contentUrl": "/spun.mp4"}</script><p>Silk is strong.
<h2>Orb webs</h2><figure><img src="/garden-spider.jpg" alt="A silk web at dawn">
<figcaption>Seen in spring.</figcaption></figure><audio src="/song.ogg" title="The song of silk">
</audio>"""
FEED = """<rss><channel><item><title>Silk, episode 7</title><guid isPermaLink="false">7</guid>
<description>We talk of looms.</description>
<enclosure url="http://{host}/7.mp3" type="audio/mpeg"/></item></channel></rss>"""
FOUND = {
    "kind:image dawn": ["A silk web at dawn"],  # alt
    "kind:image spring": ["A silk web at dawn"],  # caption
    "kind:image orb": ["A silk web at dawn"],  # the heading above
    "kind:image garden": ["A silk web at dawn"],  # the name of the file
    "kind:image shared": ["Webs, shared"],  # og:image
    "kind:video silk": ["A web is spun in silk"],  # VideoObject
    "kind:audio song": ["The song of silk"],
    "kind:audio looms": ["Silk, episode 7"],  # enclosure
}


def of_feed(host: str) -> bytes:
    return FEED.replace("{host}", host).encode()


@pytest.fixture
def published(server: Server) -> Site:
    site = Site(server.origin())
    xml = (("Content-Type", "application/rss+xml"),)
    site.resources[site.seed] = Resource(body=WEBS.encode())
    host = site.origin.removeprefix("http://")
    site.resources[f"{site.origin}/feed.xml"] = Resource(body=of_feed(host), headers=xml)
    site.rule(site.origin, Rules())
    return server.publish(site)


def test_media_are_found_by_what_the_page_says(
    published: Site, server: Server, data: Path, tmp_path: Path
):
    job = tmp_path / "job.toml"
    job.write_text(f'seeds = ["{published.seed}"]\nmedia = true\n')
    crawl("", data, "--config", job, index=True)

    for query, titles in FOUND.items():
        hits = said("search", query, "--data", data, "--json")["hits"]
        assert [(query, hit["title"]) for hit in hits] == [(query, title) for title in titles]
        assert {hit["kind"] for hit in hits} == {query.partition(" ")[0].removeprefix("kind:")}
    asked = {url.removeprefix(published.origin) for url in server.asked()}
    assert asked == {"/robots.txt", "/", "/feed.xml"}, "no medium was fetched"


PRODUCT = """<title>Loom</title><p>A loom of oak.<script type="application/ld+json">
{"@type": "Product", "name": "Loom", "image": "/moved.png", "offers": {"price": 9}}</script>"""
NO_PICTURE = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"


def picture(body: bytes = PNG, kind: str = "image/png", **headers: str) -> Resource:
    named = ((name.replace("_", "-"), value) for name, value in headers.items())
    return Resource(body=body, headers=(("Content-Type", kind), *named))


def test_pictures_are_kept_and_shown_if_the_job_asks_for_them(
    published: Site, server: Server, data: Path
):
    site, origin = published, published.origin
    links = '<a href="/loom">loom</a> <a href="/shy">shy</a> <img src="/bad.png" alt="a bad one">'
    links += '<img src="/gone.png" alt="a lost one"><img src="/closed.png" alt="a closed one">'
    site.resources[site.seed] = Resource(body=(WEBS + links).encode())
    site.resources[f"{origin}/loom"] = Resource(body=PRODUCT.encode())
    shy = b"<meta name=robots content=noimageindex><p>Shy.<img src=/shy.png alt='a shy one'>"
    site.resources[f"{origin}/shy"] = Resource(body=shy)
    site.resources[f"{origin}/garden-spider.jpg"] = picture()  # it lies about its type
    site.resources[f"{origin}/shared.jpg"] = picture(PNG + b"\0", "image/jpeg")
    moved = Resource(code=302, headers=(("Location", "/loom.png"),))
    site.resources[f"{origin}/moved.png"] = moved
    site.resources[f"{origin}/loom.png"] = picture(PNG + b"loom")
    site.resources[f"{origin}/bad.png"] = picture(NO_PICTURE)
    site.resources[f"{origin}/closed.png"] = picture(PNG + b"2", X_Robots_Tag="noindex")
    report = crawl(site.seed, data, "--media", "--pictures", index=True)
    service = local_search(Settings(data=str(data)))

    def shown(query: str) -> list[bytes | None]:
        hits = service.search(query, fields=("*",)).hits
        found = [service.picture(DocumentId(bytes.fromhex(hit.id))) for hit in hits]
        assert [hit.picture for hit in hits if hit.picture] == [True for each in found if each]
        return [each.body if each else None for each in found]

    assert shown("kind:image dawn") == [PNG]
    assert shown("kind:page oak") == [PNG + b"loom"]
    for query in ("bad", "lost", "closed"):
        assert shown(f"kind:image {query}") == [None], query
    ends = {url["url"].removeprefix(origin): url["reason"] for url in exported(data, "urls")}
    assert ends["/garden-spider.jpg"] == ends["/loom.png"] == "picture"
    assert (ends["/moved.png"], ends["/gone.png"]) == ("redirect", "http-404")
    assert (ends["/bad.png"], ends["/closed.png"]) == ("not-text", "noindex")
    assert ends["/shy"] == "document"
    assert "/shy.png" not in ends
    assert report["unexplained"] == 0
    assert audited(data).violations == 0


def picture_of(data: Path, query: str) -> bytes | None:
    service = local_search(Settings(data=str(data)))
    [hit] = service.search(query, fields=("*",)).hits
    found = service.picture(DocumentId(bytes.fromhex(hit.id)))
    assert hit.picture == (found is not None)
    return found.body if found else None


def test_a_picture_is_visited_again_and_survives_a_rebuild(
    published: Site, server: Server, data: Path
):
    site, url = published, f"{published.origin}/garden-spider.jpg"
    query, soon = "kind:image dawn", ("--min-interval", 0, "--max-interval", 0)
    site.resources[url] = picture(ETag='"1"')
    crawl(site.seed, data, "--media", "--pictures", index=True)

    said("recrawl", "--data", data, *soon)
    assert picture_of(data, query) == PNG

    site.resources[url] = picture(PNG + b"2")
    said("recrawl", "--data", data, *soon)
    assert picture_of(data, query) == PNG + b"2"

    said("rebuild", "--force", "--data", data)
    assert picture_of(data, query) == PNG + b"2"

    del site.resources[url]
    for _ in range(2):
        said("recrawl", "--data", data, *soon)
    assert picture_of(data, query) is None
    assert audited(data).violations == 0


async def test_a_stack_finds_the_same(tmp_path: Path):
    root = "http://a.test/"
    site: dict[str, Any] = {
        f"{root}robots.txt": robots(""),
        root: answer(200, WEBS, headers=[("Content-Type", "text/html")]),
        f"{root}feed.xml": answer(200, of_feed("a.test"), headers=[("Content-Type", "text/xml")]),
        f"{root}other": page(title="never"),
    }
    with aws():
        deploy()
        opened = home()
        site[f"{root}garden-spider.jpg"] = answer(200, PNG, headers=[("Content-Type", "image/png")])
        stack = StackWorld(opened, tmp_path, site, seeds=[root], media=True, pictures=True)
        await stack.crawl()

        assert {query: stack.found(query) for query in FOUND} == FOUND
        assert stack.world.end_of(f"{root}garden-spider.jpg") == (State.EXCLUDED, "picture")
        assert stack.world.end_of(f"{root}shared.jpg") == (State.GONE, "http-404")
        opened.close()
