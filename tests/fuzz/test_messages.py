"""What can a message that we did not write do to us?"""

from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.core.crawl.host_record import HostChange
from gossamer.core.crawl.url_record import Discovery, PageRef
from gossamer.core.errors import NewerMessage, UndecodableMessage
from gossamer.core.urls import url_id
from gossamer.entrypoints.lambdas.sqs import Worker, sqs_handler
from gossamer.messages import (
    AnyMessage,
    Candidate,
    CrawlRequest,
    DocumentParsed,
    FetchRequest,
    Link,
    LinksFound,
    PageFetched,
    decode,
    encode,
)
from gossamer.topology import STREAMS
from tests.effort import often
from tests.fuzz.bounds import attempt, damaged, within
from tests.pump import VirtualClock, make_world

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.pump import World

URLS = st.sampled_from(
    [
        "http://a.test/", "http://a.test/x", "", "x", "//", "javascript:1", "http://", "http://[",
        "\0", "🕸", "http://a.test/../../etc/passwd", "file:///etc/passwd", "http://u:p@a.test/#f",
        "http://a.test/\r\nX: y", "HTTP://A.TEST", "http://169.254.169.254/latest/",
        "http://" + "a" * 8000,
    ]
)  # fmt: skip
WORDS = st.sampled_from(["web", "", "unknown", "\0", "../..", "a#b", "x" * 5000, "🕸"])
HOSTS = st.sampled_from(["a.test", "", "b.test", "\0", "a.test/..", "[::1]", "x" * 2000])
INTS = st.integers(-5, 5) | st.sampled_from([2**31, 2**63 - 1, 2**63, 2**64, 10**30, -(2**63) - 1])
FLOATS = st.sampled_from([0.0, 100.0, -1.0, 1e300, -1e300, 5e-324, 1e9])  # no slot to sleep until
DEPTHS = st.integers(0, 1_000_000)
FILES = st.sampled_from(
    ["web.warc.gz", "../../../../etc/passwd", "/etc/passwd", "", ".", "\0", "x" * 300]
)
PURPOSES = st.sampled_from(["page", "robots", "sitemap"])
CANDIDATES = st.builds(Candidate, URLS, DEPTHS, INTS, INTS)
LINKS = st.builds(Link, URLS, st.text(max_size=5), st.booleans())
MESSAGES = {
    "frontier": st.builds(
        CrawlRequest,
        job=WORDS,
        host=HOSTS,
        urls=st.lists(CANDIDATES, max_size=3),
        purpose=PURPOSES,
        robots_for=HOSTS,
    ),
    "fetch": st.builds(
        FetchRequest,
        job=WORDS,
        host=HOSTS,
        candidate=CANDIDATES,
        slot=FLOATS,
        delay=FLOATS,
        grace=FLOATS,
        purpose=PURPOSES,
        robots_for=HOSTS,
    ),
    "parse": st.builds(
        PageFetched,
        job=WORDS,
        url=URLS,
        page=st.builds(PageRef, FILES, INTS, INTS),
        depth=DEPTHS,
        fetched_at=FLOATS,
        purpose=PURPOSES,
        links_only=st.booleans(),
        hops=INTS,
    ),
    "links": st.builds(
        LinksFound,
        job=WORDS,
        source=URLS,
        depth=DEPTHS,
        via=st.sampled_from(["seed", "page", "redirect", "sitemap"]),
        links=st.lists(LINKS, max_size=4),
        hops=INTS,
        part=INTS,
        parts=INTS,
    ),
    "index": st.builds(DocumentParsed, job=WORDS, url=URLS, fetched_at=FLOATS),
}
KNOWN = ("http://a.test/", "http://a.test/x")
HANDLED = ("frontier", "fetch", "parse", "links")
ANY = st.one_of(list(MESSAGES.values()))
WHOLE = encode(
    PageFetched(job="web", url="http://a.test/", page=PageRef("f", 0, 1), depth=0, fetched_at=1.0)
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)  # fmt: skip
NEWER = '{"kind": "CrawlRequest", "version": 2, "job": "web", "host": "a.test", "urls": []}'
GARBAGE = st.one_of(
    damaged(WHOLE).map(lambda body: body.decode("utf-8", "replace")),
    JSON.map(json.dumps),
    st.text(max_size=40),
    st.sampled_from(
        ["[" * 500, '{"kind": "PageFetched", "job": ' + "9" * 500, "\ud800",
         NEWER]
    ),
)  # fmt: skip


def written(message: AnyMessage) -> str:
    """As another program would write it: with numbers of any size."""
    return json.dumps(msgspec.to_builtins(message))


def readable(body: str | bytes) -> AnyMessage | None:
    return attempt(UndecodableMessage, lambda: decode(body))[0]


def is_newer(body: str) -> bool:
    """Whether a newer version of the program sent it."""
    return isinstance(attempt(UndecodableMessage, lambda: decode(body))[1], NewerMessage)


@often(200)
@given(ANY)
def test_a_message_comes_out_as_it_went_in(message):
    found = readable(written(message))

    assert found is None or found == message


@often(300)
@given(GARBAGE)
def test_garbage_is_a_message_or_undecodable(body):
    found = readable(body)

    if found is not None:
        assert decode(written(found)) == found


@pytest.mark.parametrize("body", ["[" * 100_000, '{"kind": ' + "9" * 90_000, "9" * 90_000])
def test_the_worst_garbage_is_refused_in_time(body):
    assert readable(body) is None


@pytest.mark.parametrize(
    "deep", ['{"kind": "PageFetched", "unknown": ' + "[" * 9_000, '{"a":' * 9_000]
)
def test_an_unread_field_may_be_nested_to_any_depth(deep):
    assert readable(deep) is None


@contextmanager
def handling() -> Iterator[tuple[World, Worker]]:
    with TemporaryDirectory() as folder:
        clock = VirtualClock()
        world = make_world(Path(folder), clock)
        world.home.hosts.change("a.test", HostChange(robots_code=404, robots_until=1e9))
        known = [Discovery(url_id(url), url, "a.test", 0, job="web") for url in KNOWN]
        world.home.urls.add(known, b"", clock())
        yield world, Worker(world.ports, clock)
        world.home.close()


def record(number: int, body: str, received: int):
    return {
        "messageId": str(number),
        "body": body,
        "attributes": {"ApproximateReceiveCount": str(received)},
    }


def letters(world: World) -> list[bytes]:
    return [body for _, _, body in world.home.queues.dead_letters()]


@pytest.mark.parametrize("stream", HANDLED)
@often(40)
@given(st.lists(GARBAGE.filter(lambda body: readable(body) is None), min_size=1, max_size=4))
@example([NEWER, "", NEWER])
def test_only_what_a_newer_version_sent_waits_of_all_that_cannot_be_read(stream, bodies):
    with handling() as (world, home):
        event = {"Records": [record(n, body, 1) for n, body in enumerate(bodies)]}

        said = sqs_handler(stream, lambda: home)(event, None)

        newer = [str(n) for n, body in enumerate(bodies) if is_newer(body)]
        assert [item["itemIdentifier"] for item in said["batchItemFailures"]] == newer
        hopeless = [body for body in bodies if not is_newer(body)]
        assert letters(world) == [body.encode(errors="replace") for body in hopeless]


@pytest.mark.parametrize("stream", HANDLED)
@often(60)
@given(st.data())
def test_hostile_messages_hurt_no_other_message(stream, data):
    hostile = data.draw(st.lists(MESSAGES[stream], min_size=1, max_size=3))
    last = data.draw(st.booleans())
    good = LinksFound(job="web", source="", depth=0, via="seed", links=[Link("http://a.test/")])
    received = STREAMS[stream].max_receives if last else 1
    with handling() as (world, home):
        records = [record(n, written(m), received) for n, m in enumerate(hostile)]
        records.append(record(99, encode(good).decode(), 1))

        with within():
            said = sqs_handler(stream, lambda: home)({"Records": records}, None)

        failed = {item["itemIdentifier"] for item in said["batchItemFailures"]}
        assert "99" not in failed  # dealt with, or dead in a stream where it does not belong
        assert not (last and failed)  # what came for the last time never comes back
        assert len(letters(world)) <= len(records)


@often(60)
@given(st.builds(PageRef, FILES, INTS, INTS))
@example(PageRef("../../../../etc/passwd", 0, 1000))
def test_no_message_makes_us_read_another_file(page):
    message = PageFetched(job="web", url="http://a.test/", page=page, depth=0, fetched_at=1.0)
    with handling() as (world, home):
        sqs_handler("parse", lambda: home)({"Records": [record(1, written(message), 1)]}, None)

        assert not list(world.home.documents.all())
