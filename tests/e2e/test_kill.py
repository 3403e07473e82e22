"""Does a crawl that is killed, again and again, lose or repeat anything?"""

from __future__ import annotations

import json
import os
import signal
import time
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.e2e.crawls import (
    PATIENCE,
    audited,
    await_requests,
    await_that,
    check_warc,
    crawl,
    crawling,
    expected,
    exported,
    found,
    hold_after,
    reconciles,
    run,
)
from tests.sites.generated import generate

if TYPE_CHECKING:
    from tests.sites.generated import Server, Site

KILLS = (6, pytest.param(20, marks=pytest.mark.long))
CONCURRENCY = 4
LATENCY = 0.03  # seconds
# Requests that are answered at most after the one that a kill waits for: with them the crawl cannot
# be over before the last kill, however late each comes.
SPARE = 5


@pytest.fixture
def site(server):
    return server.publish(generate(11, server.port, 260, second=0))


def children_of(pid: int) -> list[int]:
    try:
        return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def is_alive(pid: int) -> bool:
    """A zombie that was not reaped yet is dead."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def kill_at_a_random_moment(
    chance: Random, number: int, server: Server, site: Site, data: Path
) -> None:
    """Kill a crawl after some requests, or (every fifth time) while it is starting.

    Every other time only its main process is killed: its parsers must end by themselves.
    """
    reached = len(server.log) + (chance.randint(1, 20) if number % 5 else 0)
    server.hold(after=reached + SPARE)
    flags = ("--concurrency", CONCURRENCY, "--workers", 1)
    with crawling(site.seed, data, *flags, index=True) as process:
        if number % 5:
            await_requests(server, reached, process)
            time.sleep(chance.uniform(0, LATENCY))
        else:
            time.sleep(chance.uniform(0.1, 0.5))
        children = children_of(process.pid)
        if number % 2:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        assert process.wait() == -signal.SIGKILL, "the crawl was over before it could be killed"
        await_that(lambda: not any(map(is_alive, children)), "all processes end by themselves")
    server.release()
    server.settle()  # what was sent before the kill counts as asked before it


def in_flight(data: Path) -> set[str]:
    """The URLs whose claim was durable and whose response was not."""
    return {row["url"] for row in exported(data, "urls") if row["state"] == "fetching"}


@pytest.mark.parametrize("times", KILLS)
def test_kills_lose_nothing_and_repeat_only_what_was_in_flight(server, site, tmp_path, times):
    truth, chance = site.walk(), Random(2)
    assert len(truth.pages) >= 300
    whole, data = tmp_path / "uninterrupted", tmp_path / "killed"
    reference = crawl(site.seed, whole)
    server.forget()
    server.latency = LATENCY

    kills: list[tuple[int, set[str]]] = []  # requests so far, URLs in flight
    for number in range(times):
        kill_at_a_random_moment(chance, number, server, site, data)
        # Before its first request a crawl may be killed while it makes its database.
        kills.append((len(server.log), in_flight(data) if server.log else set()))
    report = crawl(site.seed, data, index=True)

    assert found(data, site) == found(whole, site) == expected(truth, site)
    assert reconciles(report)
    assert (report["state"], report["pages"]) == ("finished", reference["pages"])
    assert len(server.log) - reference["requests"] <= times * CONCURRENCY
    assert unexcused_repeats(server.asked(), kills) == []
    assert searchable(data) == {row["url"] for row in exported(data, "documents")}
    assert check_warc(data) > 2 * reference["requests"]
    assert audited(data).violations == 0


def searchable(data: Path) -> set[str]:
    """The URLs of all documents that can be found."""
    found = run("search", "--data", data, "--json", "--limit", 1000, "--all", "--", "*")
    return {hit["url"] for hit in json.loads(found.stdout)["hits"]}


def unexcused_repeats(asked: list[str], kills: list[tuple[int, set[str]]]) -> list[str]:
    """Pages that were asked for again though no kill had caught them in flight."""
    moments = defaultdict(list)
    for number, url in enumerate(asked):
        moments[url].append(number)
    return [
        url
        for url, numbers in moments.items()
        if not url.endswith(("/robots.txt", ".xml"))
        for before, after in pairwise(numbers)
        if not any(before < so_far <= after and url in caught for so_far, caught in kills)
    ]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_lets_requests_end_and_the_next_run_goes_on(server, site, data, number):
    server.latency = LATENCY
    with crawling(site.seed, data, "--concurrency", CONCURRENCY) as process:
        hold_after(server, 40, process)
        os.killpg(process.pid, number)  # as a terminal does: the parsers get it too
        server.release()
        out, errors = process.communicate(timeout=PATIENCE)
    interrupted = json.loads(out)
    asked_so_far = len(server.log)
    server.latency = 0.0

    report = crawl(site.seed, data)

    assert (process.returncode, errors, interrupted["state"]) == (130, "", "interrupted")
    assert interrupted["requests"] == asked_so_far < len(site.walk().asked)
    assert len(server.asked()) == len(set(server.asked()))
    assert found(data, site) == expected(site.walk(), site)
    assert reconciles(report)
    assert audited(data).violations == 0
