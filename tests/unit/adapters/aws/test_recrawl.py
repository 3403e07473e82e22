"""What does it cost to look at a page again, and does what is gone leave the cloud's index?

Queues are SQLite's, because their clock can be turned; everything else is AWS, in moto.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from gossamer.adapters.local.database import Store
from gossamer.adapters.local.home import TABLES
from gossamer.adapters.local.queues import SqliteQueues
from gossamer.batch.indexed_pages import indexed_pages
from gossamer.batch.recrawl import begin, recrawl
from gossamer.bolts.links import links
from gossamer.core.crawl.host_record import HostChange
from gossamer.core.crawl.job import JobConfig, RecrawlConfig, ScopeConfig
from gossamer.core.crawl.traps import TrapConfig
from gossamer.core.crawl.url_state import State
from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.lambdas import recrawl as recrawling
from gossamer.entrypoints.lambdas.index import index_handler
from gossamer.entrypoints.lambdas.recrawl import recrawl_handler
from gossamer.entrypoints.lambdas.sqs import Worker
from gossamer.messages import CrawlRequest, DocumentParsed, Link, LinksFound, encode
from gossamer.ports import Ports
from tests.indexing import writer_of
from tests.pump import JOB, ScriptedFetcher, VirtualClock, World, answer, page, robots
from tests.topology.template import allowed_calls, load

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.adapters.aws.home import AwsHome
    from gossamer.ports.fetcher import HttpRequest, HttpResponse

PAGES = 12
ROOT = "http://a.test/"
DAY = 86_400.0
AT_ONCE = RecrawlConfig(min_interval=0.0, max_interval=0.0)


def quiet(title: str) -> Callable[[HttpRequest], HttpResponse]:
    """A page with a validator, which never changes."""

    def respond(request: HttpRequest) -> HttpResponse:
        if "If-None-Match" in request.headers:
            return answer(304)
        return page(title=title, ETag=f'"{title}"')

    return respond


def site() -> dict[str, Any]:
    paths = [f"/p{i}" for i in range(PAGES)]
    answers: dict[str, Any] = {
        f"{ROOT}robots.txt": robots(""),
        ROOT: page(*paths, title="root", ETag='"r"'),
    }
    return answers | {f"http://a.test{path}": quiet(path) for path in paths}


@pytest.fixture
def world(home: AwsHome, tmp_path: Any) -> World:
    clock = VirtualClock(1_000_000.0)
    fetcher = ScriptedFetcher(clock, site())
    stores: Any = SimpleNamespace(
        queues=SqliteQueues(Store(None, TABLES), {}),
        frontier=home.frontier,
        jobs=home.jobs,
        urls=home.urls,
        documents=home.documents,
        hosts=home.hosts,
        free_waiting=home.free_waiting,
        commit=home.commit,
    )
    made = World(stores, Ports(home, fetcher), clock, fetcher, tmp_path)
    made.configure(JobConfig(seeds=[ROOT], delay=1.0))
    return made


async def again(world: World) -> None:
    plan = recrawl(world.home, JOB, world.clock(), AT_ONCE)
    world.send(*begin(plan, world.ports.urls))
    await world.drain()


async def test_an_unchanged_page_costs_one_request_and_three_write_units_at_most(world, home):
    await world.crawl()
    world.clock.advance(DAY / 2)
    asked, before = len(world.fetcher.asked), home.meter.totals()

    world.fetcher.answers[ROOT] = quiet("r")
    await again(world)

    spent = home.meter.totals()
    states = [world.record(f"{ROOT}p{i}").state for i in range(PAGES)]
    assert states == [State.UNCHANGED] * PAGES
    assert len(world.fetcher.asked) - asked == PAGES + 1
    per_page = (spent["wru"] - before["wru"]) / (PAGES + 1)
    print(f"{per_page:.2f} WRU, {(spent['rru'] - before['rru']) / (PAGES + 1):.2f} RRU a page")
    assert per_page <= 3.0


async def test_of_the_dates_in_a_sitemap_only_news_is_written(world, home):
    await world.crawl()
    now = world.clock()
    dates = [now + 5.0] * 3 + [1.0] * (PAGES - 3)
    said = LinksFound(
        job=JOB,
        source=f"{ROOT}sitemap.xml",
        depth=0,
        via="sitemap",
        links=[Link(f"{ROOT}p{i}") for i in range(PAGES)],
        dates=dates,
    )
    before = home.meter.totals()

    for _ in range(2):
        assert await world.deal_with("links", said) == []
        said = msgspec.structs.replace(said, dates=[date + 1.0 for date in dates])

    spent = home.meter.totals()
    hinted = [world.record(f"{ROOT}p{i}").hinted_at for i in range(PAGES)]
    assert hinted == [now + 5.0] * 3 + [0.0] * (PAGES - 3)
    assert spent["wru"] - before["wru"] == 3
    assert spent["rru"] - before["rru"] <= 2 * PAGES


async def test_the_function_begins_a_round_of_what_is_due_within_its_budget(world, home):
    await world.crawl()
    home.jobs.set_state(JOB, "finished")
    sent: list[CrawlRequest] = []
    queues = SimpleNamespace(send=lambda found, _now: sent.extend(e.message for e in found))
    stores: Any = SimpleNamespace(
        jobs=home.jobs,
        urls=home.urls,
        hosts=home.hosts,
        quotas=home.quotas,
        reputation=home.reputation,
        queues=queues,
        commit=home.commit,
    )
    opened = Worker(Ports(stores, world.fetcher), world.clock)
    handler = recrawl_handler(lambda: opened)
    world.clock.advance(60 * DAY)
    home.meter.reset()

    begun = handler({"budget": 240, "minutes": 60}, None)
    while_it_runs = handler({"budget": 240, "minutes": 60}, None)

    assert begun == {JOB: 10}
    assert while_it_runs == {}
    assert sum(len(message.urls) for message in sent) == 10
    assert home.jobs.get(JOB).state == "running"
    assert set(home.meter.calls) <= allowed_calls(load())["recrawl"]


async def test_the_function_sends_a_plan_in_parts_and_a_part_twice_asks_once(world, home):
    await world.crawl()
    home.jobs.set_state(JOB, "finished")
    world.clock.advance(60 * DAY)
    plan = recrawl(home, JOB, world.clock(), AT_ONCE)
    lines = [msgspec.to_builtins(url) for url in plan.chosen]
    opened = Worker(world.ports, world.clock)
    opened.ports.home = world.home
    handler = recrawl_handler(lambda: opened)
    before = len(world.fetcher.asked)

    parts = [lines[:5], lines[5:], lines[:5]]
    counts = [handler({"job": JOB, "plan": part}, None) for part in parts]
    await world.drain()

    assert counts == [{JOB: 5}, {JOB: len(lines) - 5}, {JOB: 5}]
    visits = [request.url for request in world.fetcher.asked[before:]]
    assert sorted(url for url in visits if "robots" not in url) == sorted(
        url["url"] for url in lines
    )


def test_a_plan_of_an_unknown_job_is_refused(home):
    with pytest.raises(ConfigurationError, match="there is no job 'news'; known: none"):
        recrawling.send_plan(home, recrawling.PartOfPlan("news", []), 1.0)


async def test_a_host_that_has_earned_more_gives_it_without_further_permissions(world, home):
    traps = TrapConfig(host_start=1, host_growth=1)
    world.configure(JobConfig(seeds=[ROOT], scope=ScopeConfig(anywhere=True), traps=traps))
    urls = [Link(f"http://b.test/{path}") for path in "abc"]
    found = LinksFound(job=JOB, source=ROOT, depth=0, via="page", links=urls)
    home.meter.reset()
    links(found, world.ports, world.clock())
    assert world.end_of("http://b.test/c") == (State.EXCLUDED, "host-quota")
    assert set(home.meter.calls) <= allowed_calls(load())["links"]

    home.hosts.change("b.test", HostChange(pages=1))
    home.commit()
    plan = recrawl(home, JOB, world.clock(), AT_ONCE)
    home.meter.reset()
    more = recrawling.with_earned(home, home.jobs.get(JOB), plan)
    (emission,) = begin(more, home.urls)

    assert isinstance(emission.message, CrawlRequest)
    # The first waits in no stream, because this test has sent nothing; the second was earned.
    assert len(emission.message.urls) == 2
    assert set(home.meter.calls) <= allowed_calls(load())["recrawl"]


async def test_another_planner_is_not_disturbed(world, home):
    home.jobs.lease("recrawl", "another", world.clock() + 900.0, world.clock())
    opened = Worker(world.ports, world.clock)

    assert recrawl_handler(lambda: opened)({"budget": 1, "minutes": 60}, None) == {}


async def test_a_page_that_is_gone_twice_leaves_the_index(world, home):
    gone = f"{ROOT}p0"
    await world.crawl()
    handler = index_handler(lambda: Worker(world.ports, world.clock))
    documents = [d for page in home.documents.all() for d in page.documents.values()]
    assert index(handler, [parsed(d.url, world) for d in documents]) == []
    told: list[bytes] = []
    world.fetcher.answers[gone] = answer(404)

    for _ in range(2):
        assert gone in live(home)
        world.clock.advance(DAY / 2)
        plan = recrawl(home, JOB, world.clock(), AT_ONCE)
        world.send(*begin(plan, world.ports.urls))
        await world.drain(
            observe=lambda _s, _m, sent: told.extend(
                encode(e.message) for e in sent if e.stream == "index"
            )
        )
        assert index(handler, told) == []

    assert len(told) == 1
    assert live(home) == {d.url for d in documents} - {gone}


def parsed(url: str, world: World) -> bytes:
    fetched_at = world.record(url).fetched_at
    return encode(DocumentParsed(job=JOB, url=url, fetched_at=fetched_at))


def index(handler: Any, bodies: list[bytes]) -> list[Any]:
    records = [
        {"messageId": str(n), "body": body.decode(), "attributes": {}}
        for n, body in enumerate(bodies)
    ]
    return list(handler({"Records": records}, None)["batchItemFailures"])


def live(home: AwsHome) -> set[str]:
    """The URLs of the pages that can be found."""
    indexed = indexed_pages(writer_of(home.index))
    return set(indexed.urls(indexed.live.tolist()))


def test_a_plan_is_told_in_a_line():
    done = recrawling.Recrawled(job="web", urls=1200, due=30, limit=10, asked=10)

    assert recrawling.summary(done) == "web: 1,200 URLs, 30 due, 10 allowed by the budget"
