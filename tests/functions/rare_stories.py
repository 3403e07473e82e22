"""What a stack meets now and then, so that each permission of its functions is used once."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import msgspec

from gossamer.core.crawl.url_state import State
from gossamer.core.page.templates.template import read_template
from gossamer.core.urls import url_id
from gossamer.entrypoints.collection.templates import keep
from gossamer.messages import Candidate, CrawlRequest, Link, LinksFound
from gossamer.search.groups.groups import Groups
from tests.functions.stories import DAY, asked
from tests.pump import answer, page, redirect, robots

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.functions.rehearsal import Rehearsal

HOUR = 3600.0
ALL = "User-agent: *\nAllow: /\n"
HTML = [("Content-Type", "text/html")]
WORDS = ["silk", "thread", "loom", "spool", "weft", "warp", "bobbin", "heddle", "shuttle"]


def _seed(stack: Rehearsal, job: str, urls: list[str], **config: Any) -> None:
    stack.ask("POST", "/seeds", {"urls": urls, "job": job, "config": {"delay": 0.0} | config})


def _allow(stack: Rehearsal, *hosts: str) -> None:
    for host in hosts:
        stack.fetcher.answers[f"http://{host}/robots.txt"] = robots(ALL)


def parked_and_woken(stack: Rehearsal) -> None:
    """A host that is asked so rarely that its URLs are parked; a sweep wakes it. Then a stop."""
    _allow(stack, "rare.test")
    urls = [f"http://rare.test/{n}" for n in range(8)]
    stack.fetcher.answers |= {url: page(title=f"rare silk {url}") for url in urls}
    _seed(stack, "rare", urls, delay=800.0)
    stack.run()
    for _ in range(3):
        stack.clock.advance(1000.0)
        stack.sweep()
        stack.run(5.0)
    stack.ask("POST", "/jobs/rare/pause", {})
    parked = CrawlRequest(job="rare", host="rare.test", urls=[Candidate(urls[0])])
    stack.person.frontier.park(parked)  # as SCHEDULE does with what arrives during a pause
    for action in ("resume", "stop"):
        stack.ask("POST", f"/jobs/rare/{action}", {})
    stack.run(1.0)


def listed_and_closed(stack: Rehearsal) -> None:
    """A sitemap that lists another; a closed page in a limited job; a late retry."""
    site, host = stack.fetcher.answers, "http://listed.test"
    site[f"{host}/robots.txt"] = robots(f"{ALL}Sitemap: {host}/maps.xml\n")
    xml = [("Content-Type", "application/xml")]
    index = f"<sitemap><loc>{host}/map.xml</loc></sitemap></sitemapindex>"
    pages = f"<url><loc>{host}/closed</loc></url></urlset>"
    head = '<?xml version="1.0"?><{} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    site[f"{host}/maps.xml"] = answer(200, head.format("sitemapindex") + index, headers=xml)
    site[f"{host}/map.xml"] = answer(200, head.format("urlset") + pages, headers=xml)
    site[f"{host}/"] = page("/closed", "/busy", title="listed silk")
    site[f"{host}/closed"] = page(title="closed", head='<meta name="robots" content="noindex">')
    site[f"{host}/busy"] = answer(500)
    _seed(stack, "listed", [f"{host}/"], max_pages=10, retry_wait=2000.0)
    stack.run()
    site[f"{host}/busy"] = page(title="not busy any more")
    stack.clock.advance(HOUR)
    stack.sweep()
    stack.run()


def large_documents(stack: Rehearsal) -> None:
    """A document that is larger than an item may be is written, indexed and shown."""
    _allow(stack, "large.test")
    stack.fetcher.answers["http://large.test/"] = page(title="enormous silk")
    with patch("gossamer.adapters.aws.documents.MAX_ITEM", 10):
        _seed(stack, "large", ["http://large.test/"])
        stack.run()
        best = stack.ask("GET", "/search?q=enormous")["hits"][0]
        stack.ask("GET", f"/documents/{best['id']}")
        stack.ask("GET", "/search?q=enormous&explain=true")
        stack.forget("api", "search")
        with _groups():
            stack.ask("GET", "/search?q=enormous&explain=true")


@contextmanager
def _groups() -> Iterator[None]:
    """Let every segment be too large to be searched with another one."""
    with patch.object(Groups.__init__, "__defaults__", (1,)):
        yield


def similar_texts(stack: Rehearsal) -> None:
    """Founders of similar texts: runs of them are read, merged, and deleted an hour later."""
    _allow(stack, "similar.test")
    few = patch("gossamer.core.near_duplicates.runs.FAN", 2)
    an_hour_later = patch("gossamer.adapters.aws.founders.store.KEPT", -1.0)
    with few, an_hour_later:
        for n in range(4):
            url = f"http://similar.test/{n}"
            words = " ".join(f"{word}{n}x{m}" for m in range(20) for word in WORDS)
            stack.fetcher.answers[url] = answer(200, f"<p>{words}</p>", headers=HTML)
            stack.forget("index")
            _seed(stack, "similar", [url])
            stack.run()


def nearer_and_fewer(stack: Rehearsal) -> None:
    """A shorter way to a page that was read; and a page with fewer links than before."""
    _allow(stack, "deep.test")
    site = stack.fetcher.answers
    site["http://deep.test/"] = page("/1", title="deep silk")
    site["http://deep.test/1"] = page("/2", title="deeper silk")
    site["http://deep.test/2"] = page(title="deepest silk")
    _seed(stack, "deep", ["http://deep.test/"])
    stack.run()
    nearer = [Link("http://deep.test/2")]
    found = LinksFound(job="deep", source="", depth=0, via="seed", links=nearer)
    stack.send("links", found)
    first = LinksFound(
        job="deep", source="http://deep.test/1", depth=1, via="page", links=nearer, parts=2
    )
    second = msgspec.structs.replace(first, part=1)
    for message in (first, second, msgspec.structs.replace(first, parts=1)):
        stack.send("links", message)
        stack.run(1.0)
    stack.run()


def found_anywhere(stack: Rehearsal) -> None:
    """A job that goes anywhere: a found host gives few URLs, earns more, and is asked again."""
    _allow(stack, "seed.test", "found.test")
    site, found = stack.fetcher.answers, [f"http://found.test/{n}" for n in range(60)]
    site["http://seed.test/"] = page(*found, title="seed of silk")
    site |= {url: page("http://seed.test/", title=f"found silk {url}") for url in found}
    anywhere: dict[str, Any] = {
        "scope": {"anywhere": True},
        "traps": {"host_start": 2, "host_growth": 1},
    }
    _seed(stack, "anywhere", ["http://seed.test/"], **anywhere)
    stack.run()
    stack.invoke("rank", {"rank": True})
    stack.run()
    stack.person.jobs.set_state("anywhere", "finished")
    stack.clock.advance(40 * DAY)
    stack.invoke("recrawl", {"budget": 10_000, "minutes": 60_000})
    stack.run()
    stack.person.jobs.set_state("anywhere", "finished")
    stack.ask("POST", "/jobs/anywhere/resume", {})  # what was refused is judged again
    stack.run()


def vanished(stack: Rehearsal) -> None:
    """A page that is missing twice leaves the index; one that moved away too."""
    _allow(stack, "gone.test")
    site = stack.fetcher.answers
    urls = ["http://gone.test/missing", "http://gone.test/moved"]
    site |= {url: page(title=f"gone silk {url}") for url in urls}
    _seed(stack, "gone", urls)
    stack.run()
    site[urls[0]] = answer(404)
    site[urls[1]] = redirect("http://a.test/b")
    for _ in range(2):
        stack.clock.advance(40 * DAY)
        stack.forget("fetch")  # robots.txt is read from the table, not from memory
        stack.invoke("recrawl", {"budget": 10_000, "minutes": 60_000})
        stack.run()


def merged_by_another(stack: Rehearsal) -> None:
    """Two functions join the same parts: the second deletes what it made."""
    with patch("gossamer.bolts.merge.replace_segments", return_value=False):
        in_parts = {"alone_bytes": 1, "part_bytes": 1000, "heads_from": 1}
        stack.invoke("compact", {"at_once": True, **in_parts})
        stack.run()
    stack.run()


def ended_by_a_template(stack: Rehearsal) -> None:
    """A template keeps the parser busy until it is ended: PARSE looks how often it did so."""
    _allow(stack, "endless.test")
    url = "http://endless.test/1"
    stack.fetcher.answers[url] = page(title="endless silk")
    text = 'match = "endless.test/*"\n[fields.name]\nselect = "h1"\n'
    keep(stack.person, (read_template(text, "endless.toml"),))
    stack.clock.advance(60.0)  # PARSE looks at templates once a minute
    tries = iter([True, False])

    def once(read: Callable[[], Any], _seconds: float) -> Any:
        return None if next(tries) else read()

    with patch("gossamer.adapters.aws.parser.read_in_child", once):
        _seed(stack, "endless", [url])
        stack.run()
    found = stack.person.urls.get(url_id(url))
    assert found is not None
    assert (found.state, found.reason) == (State.PARSED, "template-ended")
    keep(stack.person, ())
    stack.clock.advance(60.0)


def tuned(stack: Rehearsal) -> None:
    """An owner changes a setting and the synonyms over HTTP, and takes the synonyms away again."""
    stack.ask("PATCH", "/settings", {"bm25": {"rank": 0.5}})
    stack.ask("PUT", "/synonyms", "silk, thread\n")
    assert "silk" in stack.ask("GET", "/synonyms")
    stack.ask("DELETE", "/synonyms")


def grouped(stack: Rehearsal) -> None:
    """An index that is too large for one function: SEARCH answers for groups of segments."""
    stack.forget("api", "search")
    with _groups():
        asked(stack)
    stack.forget("api", "search")


RARE_STORIES = (
    listed_and_closed,
    large_documents,
    similar_texts,
    nearer_and_fewer,
    vanished,
    found_anywhere,
    merged_by_another,
    ended_by_a_template,
    tuned,
    grouped,
    parked_and_woken,
)
