"""Does the index follow a site that changes, by `gossamer recrawl` alone?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gossamer.core.ids import document_id
from gossamer.core.urls import url_id
from gossamer.entrypoints.api.services import local_search
from gossamer.settings import Settings
from tests.commands import run_here
from tests.e2e.crawls import crawl, opened, run
from tests.sites.generated import Resource, Site

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sites.generated import Server

TEXTS = {
    "/": "A spider lives here. <a href=/orb.html>orbs</a> <a href=/silk.html>silk</a>",
    "/orb.html": "An orb web is spun by a spider within an hour, and eaten again before dawn.",
    "/silk.html": "Silk of a spider is stronger than steel of its weight.",
}
AT_ONCE = ("--min-interval", 0, "--max-interval", 0)


def page(path: str, text: str) -> Resource:
    html = f"<html lang=en><head><title>Page {path}</title></head><body><p>{text}</p></body>"
    return Resource(body=html.encode())


def publish(server: Server, texts: dict[str, str]) -> Site:
    origin = server.origin()
    site = Site(origin)
    site.resources |= {origin + path: page(path, text) for path, text in texts.items()}
    return server.publish(site)


def crawled(server: Server, data: Path) -> Site:
    site = publish(server, TEXTS)
    crawl(site.seed, data)
    assert said("index", "--data", data)["indexed"] == len(TEXTS)
    return site


def said(*arguments: object) -> dict[str, Any]:
    done = run_here(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def recrawl(data: Path, *flags: object) -> dict[str, Any]:
    done = run("recrawl", "--data", data, "--json", *(flags or AT_ONCE))
    assert (done.returncode, done.stderr) == (0, "")
    return dict(json.loads(done.stdout))


def found(data: Path, query: str) -> list[str]:
    return sorted(hit["url"] for hit in said("search", query, "--data", data)["hits"])


def earlier(data: Path, url: str) -> list[bytes]:
    """The earlier versions of a page that the archive has."""
    service, id = local_search(Settings(data=str(data))), document_id(url_id(url))
    copies = [service.copy(id, at) for at in service.versions(id).times]
    return [copy.page.body for copy in copies if copy]


def test_a_page_that_changed_is_found_by_its_new_words_only(server, data):
    site = crawled(server, data)
    publish(server, TEXTS | {"/orb.html": "A funnel web is another matter, says the spider."})

    done = recrawl(data)

    assert (done["recrawl"]["asked"], done["indexed"], done["removed"]) == (3, 1, 0)
    assert done["crawl"]["state"] == "finished"
    assert done["crawl"]["by_reason"] == {"same-bytes": 2, "document": 1}
    assert found(data, "funnel") == [f"{site.origin}/orb.html"]
    assert f"{site.origin}/orb.html" not in found(data, "hour | dawn")
    before = page("/orb.html", TEXTS["/orb.html"]).body
    assert earlier(data, f"{site.origin}/orb.html") == [before], "its stored copy has both versions"
    assert earlier(data, f"{site.origin}/silk.html") == []


def test_a_page_leaves_the_index_when_it_is_missing_twice(server, data):
    site = crawled(server, data)
    del site.resources[f"{site.origin}/orb.html"]

    once = recrawl(data)
    assert found(data, "orb web") == sorted([f"{site.origin}/", f"{site.origin}/orb.html"])
    twice = recrawl(data)

    assert (once["removed"], twice["removed"]) == (0, 1)
    assert f"{site.origin}/orb.html" not in found(data, "orb | spider")


def test_a_page_that_is_linked_later_is_found(server, data):
    site = crawled(server, data)
    more = {"/": TEXTS["/"] + " <a href=/new.html>new</a>", "/new.html": "A wolf hunts alone."}
    publish(server, TEXTS | more)

    recrawl(data)

    assert found(data, "wolf") == [f"{site.origin}/new.html"]


def test_nothing_is_asked_for_too_early_or_beyond_the_budget(server, data):
    crawled(server, data)
    before = len(server.log)

    early = recrawl(data, "--min-interval", 3600)
    poor = recrawl(data, *AT_ONCE, "--budget", 1)

    assert early["recrawl"]["due"] == 0
    assert (poor["recrawl"]["due"], poor["recrawl"]["limit"]) == (3, 0)
    assert len(server.log) == before


def test_a_dry_run_says_what_would_be_asked_for_and_asks_for_nothing(server, data):
    site = crawled(server, data)
    before = len(server.log)

    told = said("recrawl", "--data", data, "--dry-run", *AT_ONCE)

    assert set(told["chosen"]) == {site.origin + path for path in TEXTS}
    assert told["asked"] == 0
    assert len(server.log) == before
    with opened(data) as home:
        assert {record.reason for record in home.urls.all()} == {"document"}


def test_wrong_numbers_and_unknown_jobs_are_named(server, data):
    crawled(server, data)

    wrong = run_here("recrawl", "--data", data, "--target", 2)
    unknown = run_here("recrawl", "--data", data, "--job", "other")

    assert wrong.returncode == unknown.returncode == 2
    assert "target" in wrong.stderr
    assert "there is no job 'other'" in unknown.stderr
