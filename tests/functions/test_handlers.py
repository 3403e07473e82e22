"""Does each Lambda handler deal with a real-shaped event?"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gossamer import homes
from gossamer.core.crawl.host_record import HostChange
from gossamer.core.crawl.job import JobConfig
from gossamer.core.crawl.url_record import Discovery, PageRef
from gossamer.core.crawl.url_state import State
from gossamer.core.errors import TransientError
from gossamer.core.urls import host_of, url_id
from gossamer.entrypoints.lambdas import context
from gossamer.entrypoints.lambdas.sqs import _runner
from gossamer.messages import (
    AnyMessage,
    Candidate,
    CrawlRequest,
    FetchRequest,
    Link,
    LinksFound,
    PageFetched,
    decode,
    encode,
)
from gossamer.settings import Settings
from gossamer.topology import SQS_RECEIVES, STREAMS
from tests.topology.template import functions, load

if TYPE_CHECKING:
    from gossamer.ports.home import Home

BOLTS = ("schedule", "fetch", "parse", "links")
NEVER = ("boto3", "botocore", "pydantic", "trafilatura", "lxml", "numpy")
OF_LAYER = {
    "HtmlLayer": {"resiliparse", "trafilatura", "lxml"},
    "NumbersLayer": {"numpy", "Stemmer"},
}
ROOT = Path(__file__).resolve().parents[2]
DAY = 86_400.0

Handler = Callable[[dict[str, Any], object], dict[str, Any]]


def handler_of(bolt: str) -> Handler:
    handler: Handler = importlib.import_module(f"functions.{bolt}.app").handler
    return handler


def record(message: AnyMessage | str, id: str = "m1") -> dict[str, Any]:
    """A record as SQS hands it to Lambda."""
    return {
        "messageId": id,
        "receiptHandle": "AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a",
        "body": message if isinstance(message, str) else encode(message).decode(),
        "attributes": {
            "ApproximateReceiveCount": "1",
            "SentTimestamp": "1545082649183",
            "SenderId": "AIDAIENQZJOLO23YVJ4VO",
            "ApproximateFirstReceiveTimestamp": "1545082649185",
        },
        "messageAttributes": {},
        "md5OfBody": "e4e68fb7bd0e697a0ae8f1bb342846b3",
        "eventSource": "aws:sqs",
        "eventSourceARN": "arn:aws:sqs:eu-central-1:123456789012:gossamer",
        "awsRegion": "eu-central-1",
    }


def received_times(one: dict[str, Any], count: int) -> dict[str, Any]:
    """A record that was handed out so often."""
    return one | {"attributes": one["attributes"] | {"ApproximateReceiveCount": str(count)}}


def event(*records: dict[str, Any]) -> dict[str, Any]:
    return {"Records": list(records)}


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """An embedded home with one job, as the environment of a function names it."""
    monkeypatch.setenv("GOSSAMER_DATA", str(tmp_path))
    settings = Settings(data=str(tmp_path))
    home = homes.open_home(settings)
    config = JobConfig(seeds=["http://a.test/"], delay=0.0, allow_private=True)
    home.jobs.configure("web", config, time.time())
    home.hosts.change("a.test", HostChange(robots_code=404, robots_until=time.time() + DAY))
    home.close()
    _forget()
    warm = context.worker()
    yield settings
    _runner().run(warm.ports.fetcher.close())
    warm.home.close()
    _forget()


def _forget() -> None:
    context.home.cache_clear()
    context.worker.cache_clear()


def dead_letters(settings: Settings) -> list[Any]:
    home = look(settings)
    letters = home.queues.dead_letters()
    home.close()
    return letters


def look(settings: Settings) -> Home:
    """The home as another process sees it."""
    return homes.open_home(settings)


def received(settings: Settings, stream: Any) -> list[AnyMessage]:
    home = look(settings)
    messages = [decode(d.body) for d in home.queues.receive(stream, 10, time.time() + DAY)]
    home.close()
    return messages


def links_found(*urls: str) -> LinksFound:
    return LinksFound(job="web", source="", depth=0, via="seed", links=[Link(url) for url in urls])


def crawl_request(*urls: str) -> CrawlRequest:
    return CrawlRequest(job="web", host="a.test", urls=[Candidate(url) for url in urls])


def fetch_request(url: str, slot: float) -> FetchRequest:
    return FetchRequest(
        job="web", host=host_of(url), candidate=Candidate(url), slot=slot, delay=0.0, grace=0.0
    )


def test_links_sends_what_is_new_to_the_frontier(settings):
    answer = handler_of("links")(event(record(links_found("http://a.test/x"))), None)

    assert answer == {"batchItemFailures": []}
    assert received(settings, "frontier") == [crawl_request("http://a.test/x")]


def test_schedule_books_slots_and_sends_to_fetch(settings):
    message = crawl_request("http://a.test/x", "http://a.test/y")

    answer = handler_of("schedule")(event(record(message)), None)

    sent = received(settings, "fetch")
    assert answer == {"batchItemFailures": []}
    assert [m.candidate.url for m in sent if isinstance(m, FetchRequest)] == [
        "http://a.test/x",
        "http://a.test/y",
    ]


class _Site(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = f"<title>{self.path}</title><a href=/next>next</a>".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def wait_for(settings: Settings, *urls: str) -> None:
    """URLs that wait for their slot on a host without rules."""
    home = look(settings)
    for url in urls:
        rules = HostChange(robots_code=404, robots_until=time.time() + DAY)
        home.hosts.change(host_of(url), rules)
        home.urls.add([Discovery(url_id(url), url, host_of(url), 0)], b"", time.time())
    home.close()


def test_fetch_asks_and_sends_the_page_to_parse_event_after_event(settings, site):
    """A warm function gets a second event: what the first one opened must still be of use."""
    wait_for(settings, f"{site}/one", f"{site}/two")
    handler = handler_of("fetch")

    first = handler(event(record(fetch_request(f"{site}/one", time.time()))), None)
    second = handler(event(record(fetch_request(f"{site}/two", time.time()))), None)

    pages = [m for m in received(settings, "parse") if isinstance(m, PageFetched)]
    assert (first, second) == ({"batchItemFailures": []}, {"batchItemFailures": []})
    assert [page.url for page in pages] == [f"{site}/one", f"{site}/two"]


def test_parse_keeps_the_document_and_sends_its_links(settings, site):
    wait_for(settings, f"{site}/one")
    handler_of("fetch")(event(record(fetch_request(f"{site}/one", time.time()))), None)
    (page,) = received(settings, "parse")

    answer = handler_of("parse")(event(record(page)), None)

    (found,) = received(settings, "links")
    assert answer == {"batchItemFailures": []}
    assert isinstance(found, LinksFound)
    assert [link.url for link in found.links] == [f"{site}/next"]
    home = look(settings)
    assert home.urls.get(url_id(f"{site}/one")).state is State.PARSED  # type: ignore[union-attr]
    home.close()


MESSAGES: dict[str, AnyMessage] = {
    "schedule": crawl_request("http://a.test/x"),
    "fetch": fetch_request("http://a.test/x", 1e12),
    "parse": PageFetched(
        job="unknown", url="http://a.test/x", page=PageRef("f", 0, 1), depth=0, fetched_at=1.0
    ),
    "links": links_found("http://a.test/x"),
}
GARBAGE = ["", "{", "null", "[]", '{"kind": "Unknown"}', '{"kind": "CrawlRequest"}', "\ud800"]


@pytest.mark.parametrize("bolt", BOLTS)
@pytest.mark.parametrize("garbage", GARBAGE)
def test_an_undecodable_record_becomes_a_dead_letter_and_its_neighbours_succeed(
    settings, caplog, bolt, garbage
):
    good = MESSAGES[bolt]

    answer = handler_of(bolt)(
        event(record(good, "good1"), record(garbage, "bad"), record(good, "good2")), None
    )

    ((stream, reason, body),) = dead_letters(settings)
    assert answer == {"batchItemFailures": []}
    assert [r.levelname for r in caplog.records] == ["ERROR"]
    assert (STREAMS[stream].bolt, body) == (bolt, garbage.encode(errors="replace"))
    assert reason.startswith("UndecodableMessage: not a message of ours")


NEWER = encode(MESSAGES["links"]).decode().replace('"version":1', '"version":2')


def test_a_message_of_a_newer_version_waits_for_a_function_that_reads_it(settings):
    """Both versions of a function read the same queue while a release is gradual."""
    received = received_times(record(NEWER, "newer"), STREAMS["links"].max_receives + 1)

    answer = handler_of("links")(event(received), None)

    assert dead_letters(settings) == []
    assert answer == {"batchItemFailures": [{"itemIdentifier": "newer"}]}


def test_a_message_that_no_function_reads_becomes_a_dead_letter_of_its_stream(settings):
    newer = NEWER

    answer = handler_of("links")(event(received_times(record(newer), SQS_RECEIVES - 1)), None)

    ((_, reason, body),) = dead_letters(settings)
    assert answer == {"batchItemFailures": []}
    assert "version 2 is not read here" in reason
    assert body == newer.encode()


@pytest.mark.parametrize("bolt", BOLTS)
def test_a_message_of_another_stream_becomes_a_dead_letter(settings, bolt):
    stranger = MESSAGES["links" if bolt != "links" else "schedule"]

    answer = handler_of(bolt)(event(record(stranger, "stranger")), None)

    ((_, reason, _),) = dead_letters(settings)
    assert answer == {"batchItemFailures": []}
    assert "does not belong into the stream" in reason


def test_a_message_that_fails_for_the_last_time_is_buried_and_its_url_says_so(
    settings, monkeypatch
):
    worker = context.worker()
    url = "http://a.test/x"
    worker.ports.urls.add([Discovery(url_id(url), url, "a.test", 0, job="web")], b"", 1.0)

    def fails(*_: object) -> None:
        raise RuntimeError("the store is on fire")

    monkeypatch.setattr(worker.ports.hosts, "get", fails)
    last = record(fetch_request(url, time.time()))
    last["attributes"]["ApproximateReceiveCount"] = "4"

    answer = handler_of("fetch")(event(last), None)

    ((stream, reason, _),) = dead_letters(settings)
    ended = worker.ports.urls.get(url_id(url))
    assert answer == {"batchItemFailures": []}
    assert (stream, reason) == ("fetch", "RuntimeError: the store is on fire")
    assert ended is not None
    assert (ended.state, ended.reason) == (State.FAILED, "dead-letter")


def test_a_store_that_is_busy_is_not_the_message_s_fault(settings, monkeypatch):
    def busy(*_: object) -> None:
        raise TransientError("no capacity")

    monkeypatch.setattr(context.worker().ports.hosts, "get", busy)
    last = record(fetch_request("http://a.test/x", time.time()), "again")
    last["attributes"]["ApproximateReceiveCount"] = "4"

    answer = handler_of("fetch")(event(last), None)

    assert answer == {"batchItemFailures": [{"itemIdentifier": "again"}]}
    assert dead_letters(settings) == []


def test_what_cannot_be_sent_comes_back(settings, monkeypatch):
    def refuse(emissions: Any, now: float) -> None:
        if list(emissions):
            raise TransientError("the queue is full")

    monkeypatch.setattr(context.home().queues, "send", refuse)

    answer = handler_of("links")(event(record(MESSAGES["links"], "again")), None)

    assert answer == {"batchItemFailures": [{"itemIdentifier": "again"}]}


def test_a_bolt_that_breaks_fails_its_own_record_only(settings, caplog, monkeypatch):
    worker = context.worker()
    take = worker.ports.urls.unknown

    def fragile(found: Any, source: bytes) -> set[bytes]:
        pairs = list(found)
        if url_id("http://a.test/bad") in dict(pairs):
            raise RuntimeError("the store is on fire")
        return take(pairs, source)

    monkeypatch.setattr(worker.ports.urls, "unknown", fragile)

    answer = handler_of("links")(
        event(
            record(links_found("http://a.test/bad"), "bad"),
            record(links_found("http://a.test/good"), "good"),
        ),
        None,
    )

    assert answer == {"batchItemFailures": [{"itemIdentifier": "bad"}]}
    assert received(settings, "frontier") == [crawl_request("http://a.test/good")]
    assert "the store is on fire" in caplog.text


def test_an_empty_event_is_nothing(settings):
    assert handler_of("links")(event(), None) == {"batchItemFailures": []}


def imported_by(function: str) -> set[str]:
    code = f"import sys, json, functions.{function}.app; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return {name.partition(".")[0] for name in json.loads(done.stdout)}


@pytest.mark.parametrize("bolt", BOLTS)
def test_importing_a_function_loads_nothing_heavy(bolt):
    loaded = imported_by(bolt)

    assert "gossamer" in loaded
    assert loaded & set(NEVER) == set()


@pytest.mark.parametrize(("function", "properties"), functions(load()).items())
def test_a_function_imports_nothing_of_a_layer_that_it_has_not(function, properties):
    own = {layer["Ref"] for layer in properties.get("Layers", [])}
    elsewhere = set().union(*(names for layer, names in OF_LAYER.items() if layer not in own))

    assert imported_by(function) & elsewhere == set()
