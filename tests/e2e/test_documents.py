"""Pages with none, one or many documents, from the server to every place where they are shown."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.batch import index_pages
from gossamer.core.ids import DocumentId, page_of
from gossamer.core.urls import url_id
from gossamer.entrypoints.api.services import local_search
from gossamer.settings import Settings
from tests.commands import run_here, said
from tests.e2e.crawls import crawl_flags, opened
from tests.item_reader import ITEMS_TYPE, Item, ItemLink, PageOfItems, reading_items
from tests.sites.generated import Resource, Site
from tests.warc_bytes import response

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.sites.generated import Server

DATES = ("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z")
AT_ONCE = ("--min-interval", 0, "--max-interval", 0)
HOME = "<title>Spiders</title><p>All of them: <a href=/webs>here</a> <a href=/none>there</a>"
FIRST = [Item("Orb web", "orb"), Item("Funnel web", "funnel"), Item("Sheet web", "sheet")]
SECOND = [Item("Ladder web", "ladder"), Item("Sheet web", "sheet"), Item("Orb web", "orb")]


@pytest.fixture(autouse=True)
def _reader() -> Iterator[None]:
    with reading_items():
        yield


def items(*found: Item) -> Resource:
    page = PageOfItems(items=list(found), links=[ItemLink("/", "home")])
    return Resource(body=page.body(), headers=(("Content-Type", ITEMS_TYPE),))


def publish(server: Server, webs: list[Item], none: list[Item]) -> Site:
    site = Site(server.origin())
    paths = {"/": Resource(body=HOME.encode()), "/webs": items(*webs), "/none": items(*none)}
    site.resources |= {site.origin + path: page for path, page in paths.items()}
    return server.publish(site)


def titles(data: Path, query: str) -> list[str]:
    return sorted(hit["title"] for hit in said("search", query, "--data", data)["hits"])


def documents_of(data: Path, url: str) -> dict[str, str]:
    """The documents of a page as `explain-url` names them: titles and ids."""
    life = said("explain-url", url, "--data", data)
    return {each["title"]: each["id"] for each in life.get("documents", [])}


def exported(data: Path) -> list[dict[str, str]]:
    done = run_here("export", "--what", "documents", "--data", data)
    assert (done.returncode, done.stderr) == (0, "")
    return list(csv.DictReader(io.StringIO(done.stdout)))


def crawled(server: Server, data: Path) -> tuple[Site, dict[str, Any]]:
    site = publish(server, FIRST, [])
    command, *rest = crawl_flags(site.seed, data, "--no-index")
    report = said(command, *[word for word in rest if word != "--json"])
    assert said("index", "--data", data)["indexed"] == 4
    return site, report


def test_every_item_of_a_page_is_stored_found_exported_and_explained(server, data):
    site, report = crawled(server, data)
    webs = f"{site.origin}/webs"

    assert (report["pages"], report["documents"], report["document_pages"]) == (3, 4, 2)
    assert report["by_reason"] == {"document": 2, "no-document": 1}
    assert titles(data, "web") == ["Funnel web", "Orb web", "Sheet web"]
    assert titles(data, "web kind:item") == titles(data, "web")
    assert titles(data, "spiders kind:page") == ["Spiders"]
    ids = documents_of(data, webs)
    assert ids.keys() == {item.title for item in FIRST}
    assert documents_of(data, f"{site.origin}/none") == {}
    rows = [row for row in exported(data) if row["url"] == webs]
    assert {row["title"]: row["id"] for row in rows} == ids
    assert {row["page"] for row in rows} == {url_id(webs).hex()}
    told = run_here("explain-url", webs, "--data", data).stdout
    assert "3 documents:" in told
    assert all(f"{id}  {title}" in told for title, id in ids.items())


def test_the_api_shows_each_item_with_its_page_and_the_links_of_the_page(server, data):
    site, _ = crawled(server, data)
    said("rank", "--data", data)
    search = local_search(Settings(data=str(data)))

    for title, id in documents_of(data, f"{site.origin}/webs").items():
        view = search.document(DocumentId(bytes.fromhex(id)))
        assert view is not None
        assert (view.title, view.url) == (title, f"{site.origin}/webs")
        assert view.page == page_of(DocumentId(bytes.fromhex(id))).hex()
        assert [link.url for link in view.inlinks.links] == [f"{site.origin}/"]
        assert [link.url for link in view.outlinks] == [f"{site.origin}/"]
    assert search.stats().documents == 4


def test_items_come_go_and_move_with_their_page(server, data):
    site, _ = crawled(server, data)
    webs, none = f"{site.origin}/webs", f"{site.origin}/none"
    before = documents_of(data, webs)

    publish(server, SECOND, [Item("Cobweb", "cob")])
    done = said("recrawl", "--data", data, *AT_ONCE, "--quiet")

    after = documents_of(data, webs)
    assert after.keys() == {"Ladder web", "Sheet web", "Orb web"}
    assert {title: after[title] for title in before if title in after} == {
        title: before[title] for title in ("Sheet web", "Orb web")
    }
    assert titles(data, "web") == ["Ladder web", "Orb web", "Sheet web"]
    assert titles(data, "cobweb") == ["Cobweb"]
    assert (done["crawl"]["documents"], done["crawl"]["document_pages"]) == (5, 3)
    assert documents_of(data, none).keys() == {"Cobweb"}


def test_a_page_that_has_none_any_more_or_is_gone_loses_all_its_documents(server, data):
    site, _ = crawled(server, data)
    publish(server, [], [Item("Cobweb", "cob")])
    said("recrawl", "--data", data, *AT_ONCE, "--quiet")
    assert titles(data, "web | cobweb") == ["Cobweb"]

    del site.resources[f"{site.origin}/none"]
    publish(server, FIRST, []).resources.pop(f"{site.origin}/none")
    for _ in range(2):  # one absence may be a mistake
        said("recrawl", "--data", data, *AT_ONCE, "--quiet")

    assert titles(data, "web | cobweb") == ["Funnel web", "Orb web", "Sheet web"]
    assert documents_of(data, f"{site.origin}/none") == {}


def test_an_unchanged_page_keeps_its_documents(server, data):
    site, _ = crawled(server, data)
    before = documents_of(data, f"{site.origin}/webs")

    done = said("recrawl", "--data", data, *AT_ONCE, "--quiet")

    assert (done["indexed"], done["removed"]) == (0, 0)
    assert done["crawl"]["by_reason"] == {"same-bytes": 3}
    assert documents_of(data, f"{site.origin}/webs") == before
    assert titles(data, "web") == ["Funnel web", "Orb web", "Sheet web"]


def test_a_warc_file_of_such_pages_is_indexed_into_the_same_documents(server, data, tmp_path):
    site, _ = crawled(server, data)
    files = sorted(data.rglob("*.warc.gz"))

    done = said("index", "--data", tmp_path / "other", *files)

    assert (done["added"], done["indexed"], done["documents"]) == (4, 4, 4)
    with opened(data) as here, opened(tmp_path / "other") as there:
        known, again = (
            {s.page: s.parts for s in home.documents.stamps()} for home in (here, there)
        )
    assert known == again
    assert len(known[url_id(f"{site.origin}/webs")]) == 3


@pytest.mark.parametrize("lot", [1, 100])
@pytest.mark.parametrize("order", [1, -1])
def test_of_the_versions_in_a_warc_file_the_newest_counts_though_it_has_fewer_documents(
    data, tmp_path, monkeypatch, order, lot
):
    monkeypatch.setattr(index_pages, "FIRST_LOT", lot)
    monkeypatch.setattr(index_pages, "MOST_IN_LOT", lot)
    versions = {"none": (FIRST, []), "fewer": (FIRST, SECOND[:1]), "more": ([], FIRST)}
    records = [
        response(f"http://a.test/{path}", items(*found).body, at=at, headers=items().headers)
        for path, both in versions.items()
        for found, at in list(zip(both, DATES, strict=True))[::order]
    ]
    (tmp_path / "pages.warc.gz").write_bytes(b"".join(records))

    done = said("index", "--data", data, tmp_path / "pages.warc.gz")

    assert done["documents"] == 4
    assert titles(data, "web") == ["Funnel web", "Ladder web", "Orb web", "Sheet web"]
    assert said("index", "--data", data)["indexed"] == 0


def test_a_collection_of_such_pages_is_indexed_anew_as_it_was(server, data):
    crawled(server, data)
    before = said("search", "web", "--data", data)["hits"]

    assert said("reindex", "--data", data)["documents"] == 4

    assert said("search", "web", "--data", data)["hits"] == before
