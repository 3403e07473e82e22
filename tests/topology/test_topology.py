"""The bolts emit what topology.py says, and each stream has a reader."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections import Counter, defaultdict
from typing import get_args

import pytest

from gossamer.bolts.schedule import next_pack
from gossamer.core.crawl.claims import LEASE
from gossamer.entrypoints.dispatch import ACCEPTS
from gossamer.messages import AnyMessage, Candidate, CrawlRequest, Stream
from gossamer.topology import STREAMS, TOPOLOGY
from tests.pump import JOB, answer, page, redirect, robots

# The modules that emit for a bolt, where it has more than one of its name.
MODULES = {
    "fetch": (
        "fetch.claim",
        "fetch.apply_response",
        "fetch.emissions",
        "fetch.robots_txt",
        "sitemaps",
    ),
    "parse": ("parse", "sitemaps"),
}
# Called by the runner on a timer, not for a message: it puts parked packs back into the frontier.
SWEEPER = {"sweep", "_taken"}
# Puts a parked pack back too, for its callers: the sweeper and FETCH, but not SCHEDULE.
NEXT_PACK = {"next_pack": "frontier"}


def emitted_by(module):
    """The streams that stand as text in Emission("…", …), those of the sweeper apart."""
    for function in ast.parse(inspect.getsource(module)).body:
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            if function.name in SWEEPER | NEXT_PACK.keys():
                continue
            for node in ast.walk(function):
                if isinstance(node, ast.Call):
                    yield from stream_of(node)


def stream_of(call):
    name = getattr(call.func, "id", "")
    if name == "Emission":
        assert isinstance(call.args[0], ast.Constant), "a stream is named by a text"
        yield call.args[0].value
    elif name in NEXT_PACK:
        yield NEXT_PACK[name]


def test_the_next_pack_goes_to_the_frontier(world):
    w = world()
    parked = CrawlRequest(job=JOB, host="a.test", urls=[Candidate("http://a.test/")])
    w.home.frontier.park(parked)

    (emission,) = next_pack("a.test", w.ports, w.clock())

    assert (emission.stream, emission.message) == (NEXT_PACK["next_pack"], parked)
    assert next_pack("a.test", w.ports, w.clock()) == []


@pytest.mark.parametrize("edge", TOPOLOGY, ids=lambda edge: edge.bolt)
def test_a_bolt_emits_exactly_what_the_topology_says(edge):
    names = MODULES.get(edge.bolt, (edge.bolt,))
    modules = [importlib.import_module(f"gossamer.bolts.{name}") for name in names]
    emitted = {stream for module in modules for stream in emitted_by(module)}

    assert emitted == set(edge.emits)


def test_every_stream_has_exactly_one_reader():
    readers = Counter(edge.reads for edge in TOPOLOGY)

    assert readers == Counter(get_args(Stream))
    assert set(STREAMS) == set(readers)


def test_every_stream_that_is_emitted_to_is_read():
    emitted = {stream for edge in TOPOLOGY for stream in edge.emits}

    assert emitted == set(STREAMS)


def test_every_message_has_its_stream():
    assert set(ACCEPTS) == set(STREAMS)
    assert set(ACCEPTS.values()) == set(get_args(AnyMessage))


def test_a_message_stays_hidden_longer_than_its_work_takes():
    assert STREAMS["fetch"].visibility > LEASE
    assert all(edge.max_receives > 1 for edge in TOPOLOGY)


async def test_a_crawl_sends_only_along_the_edges_of_the_topology(world):
    sitemap = "<sitemapindex><sitemap><loc>http://a.test/s.xml</loc></sitemap></sitemapindex>"
    w = world(
        {
            "http://a.test/robots.txt": robots("Sitemap: http://a.test/sitemap.xml"),
            "http://a.test/sitemap.xml": answer(200, sitemap),
            "http://a.test/": page("/1", "/late", "/away", title="root"),
            "http://a.test/1": page("/2", title="1"),
            "http://a.test/2": page("/3", title="2"),
            "http://a.test/away": redirect("/3"),
            "http://a.test/late": [answer(500), page("/2", title="late")],
        }
    )
    seen: dict[str, set[str]] = defaultdict(set)

    await w.crawl(
        observe=lambda stream, _, emissions: seen[stream].update(e.stream for e in emissions)
    )

    for edge in TOPOLOGY:
        assert seen[edge.reads] <= set(edge.emits)
    assert {s for s, emitted in seen.items() if emitted} >= {"frontier", "fetch", "parse", "links"}
    assert set().union(*seen.values()) == set(STREAMS) - {"merge"}
