"""What happens to a stack in its first weeks, told to a rehearsal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args
from unittest.mock import patch
from urllib.parse import quote

from gossamer.adapters.aws.packs.joining import Joiner
from gossamer.core.crawl.url_record import PageRef
from gossamer.core.errors import TransientError
from gossamer.core.urls import url_id
from gossamer.messages import (
    Candidate,
    CrawlRequest,
    DocumentParsed,
    FetchRequest,
    Link,
    LinksFound,
    MergeTask,
    PageFetched,
    Stream,
)
from tests.pump import page, redirect, robots

if TYPE_CHECKING:
    from tests.functions.rehearsal import Rehearsal

DAY = 86_400.0
QUERY = 'silk "silk thread" thr* site:a.test'
SLOW = [f"http://slow.test/{n}" for n in range(6)]


def first_crawl(stack: Rehearsal) -> None:
    """Seeds over HTTP; a slow host is parked and woken; the job ends."""
    site = stack.fetcher.answers
    for host in ("a.test", "slow.test"):
        site[f"http://{host}/robots.txt"] = robots("User-agent: *\nAllow: /")
    site["http://a.test/"] = page("/b", "/moved", title="silk thread")
    site["http://a.test/b"] = page("/", "/far", title="silk spider")
    site["http://a.test/moved"] = redirect("http://a.test/b")
    site["http://a.test/far"] = page("/b", title="far silk")
    site |= {url: page(title=f"slow silk {url}") for url in SLOW}
    config = {"delay": 0.0, "max_depth": 1, "max_usd": 1000.0}  # no hour is added up yet
    stack.ask("POST", "/seeds", {"urls": ["http://a.test/", *SLOW], "job": "web", "config": config})
    stack.run()


def found_again(stack: Rehearsal) -> None:
    """Two name a page at once that was too deep."""
    links = [Link("http://a.test/far"), Link("http://a.test/new")]
    for _ in range(2):
        stack.send("links", LinksFound(job="web", source="", depth=0, via="seed", links=links))
    stack.run()


def hours_and_merges(stack: Rehearsal) -> None:
    """The hours are over; segments are merged by one function and in parts; later files go."""
    stack.invoke("compact", {"at_once": True, "heads_from": 1})
    found_again(stack)
    in_parts = {"alone_bytes": 1, "part_bytes": 1000}
    stack.invoke("compact", {"at_once": True, "heads_from": 1, **in_parts})
    stack.run()
    stack.clock.advance(2 * DAY)
    stack.invoke("compact", {"compact": True})


def joined_pages(stack: Rehearsal) -> None:
    """Small WARC objects become large ones, and go a day later; pages are read all the same."""
    for enough in (6000, 2000):  # most objects, then the rest
        stack.clock.advance(3600.0)  # what was just written may not be complete
        with patch.object(Joiner, "enough", enough):
            stack.invoke("compact", {"pages": True})
    stack.clock.advance(2 * DAY)
    stack.invoke("compact", {"pages": True})
    url = "http://a.test/b"
    found = stack.person.urls.get(url_id(url))
    assert found is not None
    assert found.page is not None
    late = PageFetched(job="web", url=url, page=found.page, depth=0, fetched_at=found.fetched_at)
    stack.send("parse", late)
    stack.run()


def ranked_and_recrawled(stack: Rehearsal) -> None:
    """RANK and RECRAWL, weeks later."""
    stack.invoke("rank", {"rank": True})
    stack.run()
    stack.clock.advance(40 * DAY)
    stack.invoke("recrawl", {"budget": 1000, "minutes": 60_000})
    stack.run()


def asked(stack: Rehearsal) -> None:
    """Everything that people ask."""
    hits = stack.ask("GET", "/search?q=silk")["hits"]
    best = hits[0]
    for target in ("/stats", "/jobs", f"/search?q={quote(QUERY)}&explain=true"):
        stack.ask("GET", target)
    stack.ask("GET", f"/documents/{best['id']}")
    for hit in hits:
        stack.ask("GET", f"/documents/{hit['id']}/cached")
    named = {"name": "explain_url", "arguments": {"url": best["url"]}}
    stack.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": named})


def steered(stack: Rehearsal) -> None:
    """A limit for a job that had none; then it is paused, resumed and stopped."""
    more = [f"http://slow.test/more{n}" for n in range(8)]
    stack.ask(
        "POST", "/seeds", {"urls": more, "job": "web", "config": {"max_pages": 20, "delay": 300.0}}
    )
    stack.run()
    for action in ("pause", "resume", "stop", "resume", "stop"):
        stack.ask("POST", f"/jobs/web/{action}", {})
    stack.sweep()


def lost_and_broken(stack: Rehearsal) -> None:
    """Nonsense in every queue, what SQS gave up of every stream, and stores that throttle."""
    for stream, message in _of_each(stack).items():
        stack.put(stream, "nonsense")
        stack.deliver(stream)
        stack.send("lost", message)
    stack.sweep()
    throttled = TransientError("throttled")
    with (
        patch("gossamer.entrypoints.lambdas.sqs.deal_with", side_effect=throttled),
        patch("gossamer.entrypoints.lambdas.index.index_parsed", side_effect=throttled),
        patch("gossamer.entrypoints.lambdas.merge.merge_task", side_effect=throttled),
    ):
        for stream, message in _of_each(stack).items():
            stack.send(stream, message)
            stack.deliver(stream)


def _of_each(stack: Rehearsal) -> dict[Stream, Any]:
    url, now = "http://a.test/b", stack.clock()
    link, wanted = Link(url), Candidate(url)
    ref = PageRef("warc/none.warc.gz", 0, 10)
    paces: dict[str, Any] = {"slot": now, "delay": 1.0, "grace": 1.0}
    made: dict[Stream, Any] = {
        "frontier": CrawlRequest(job="web", host="a.test", urls=[wanted]),
        "fetch": FetchRequest(job="web", host="a.test", candidate=wanted, **paces),
        "parse": PageFetched(job="web", url=url, page=ref, depth=0, fetched_at=now),
        "links": LinksFound(job="web", source=url, depth=0, via="page", links=[link]),
        "index": DocumentParsed(job="web", url=url, fetched_at=now),
        "merge": MergeTask(job="web", merge="none"),
    }
    assert set(made) == set(get_args(Stream))
    return made


STORIES = (
    first_crawl,
    hours_and_merges,
    joined_pages,
    asked,
    ranked_and_recrawled,
    steered,
    lost_and_broken,
)
