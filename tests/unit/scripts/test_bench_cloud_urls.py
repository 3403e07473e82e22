"""Does a URL cost the same in the cloud, however many are known?"""

from __future__ import annotations

import argparse
import time

import pytest
from moto.dynamodb.models.dynamo_type import DynamoType

from gossamer.core.crawl.url_record import Discovery
from gossamer.core.urls import host_of, url_id
from gossamer.messages import Candidate, CrawlRequest
from scripts.bench.contenders.gossamer_on_aws import JOB, open_stack
from scripts.bench.failure import BenchFailure
from scripts.bench.questions.cloud_urls import address, measure
from scripts.bench.worlds.filled_tables import KnownUrls, ParkedPacks


def test_calls_of_a_url_do_not_grow_with_known_urls():
    """A small run of what `python -m scripts.bench cloud_urls` measures at ten million."""
    report = measure(argparse.Namespace(sizes=[200, 20_000]))

    first, last = report.runs
    assert first["urls"] < last["urls"]
    for kind in ("new", "old", "parked"):
        assert last[kind]["calls"] == pytest.approx(first[kind]["calls"], rel=0.1), kind
        assert last[kind]["wru"] == pytest.approx(first[kind]["wru"], rel=0.1), kind
    assert last["new"]["wru"] > 1.0  # each is written
    assert last["old"]["wru"] < 0.1  # and no known one is


def test_one_size_is_refused():
    with pytest.raises(BenchFailure, match="at least two"):
        measure(argparse.Namespace(sizes=[1_000]))


def test_an_emulator_cannot_be_filled(monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://localhost:1")

    with pytest.raises(BenchFailure, match="only moto"):
        measure(argparse.Namespace(sizes=[1_000, 2_000]))


def test_urls_of_a_filled_table_are_those_that_the_store_would_have_written():
    with open_stack({}) as stack:
        known, urls = KnownUrls(stack.home, address, JOB), stack.home.urls
        written = Discovery(url_id(address(9)), address(9), host_of(address(9)), 2, job=JOB)
        urls.add([written], b"\1" * 16, 0.0)
        as_written = urls.get(written.id)
        known.pop(DynamoType({"B": b"web#" + written.id}))
        assert urls.get(written.id) is None

        known.know(10)

        assert urls.get(written.id) == as_written
        assert urls.unknown([(url_id(address(n)), 2) for n in range(12)], b"") == {
            url_id(address(10)),
            url_id(address(11)),
        }


def test_packs_of_a_filled_table_can_be_taken_and_forgotten():
    request = CrawlRequest(job=JOB, host="h0.test", urls=[Candidate("http://h0.test/")])
    with open_stack({}) as stack:
        ParkedPacks(stack.home, request).park("h0.test", 2)
        taken = []
        while pack := stack.home.frontier.take("h0.test", time.time()):
            stack.home.frontier.forget("h0.test", pack.key)
            taken.append(pack.request)

    assert taken == [request] * 3
