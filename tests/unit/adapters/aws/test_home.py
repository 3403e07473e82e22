"""Does a crawl over the stores of the cloud end as one over those of the embedded home?

Queues are SQLite's in both, because their clock can be turned; everything else is AWS, in moto.
"""

from __future__ import annotations

import itertools
import random
from types import SimpleNamespace
from typing import Any

import pytest

from gossamer.adapters.local.database import Store
from gossamer.adapters.local.home import TABLES, WINDOW
from gossamer.adapters.local.queues import SqliteQueues
from gossamer.core.crawl.job import JobConfig, ScopeConfig
from gossamer.core.crawl.politeness import EMBEDDED_GRACE
from gossamer.ports import Ports
from tests.pump import ScriptedFetcher, VirtualClock, World, answer, broken, page, redirect, robots

HTTP = "http://a.test"


def site():
    return {
        f"{HTTP}/robots.txt": robots("User-agent: *\nDisallow: /no\nCrawl-delay: 2\n"),
        f"{HTTP}/": page("/a", "/b", "/no", "/gone", "!/nofollow", "http://b.test/"),
        f"{HTTP}/a": page("/b", "/c", "/old", title="A"),
        f"{HTTP}/b": page("/deep/1", "/twin", title="B"),
        f"{HTTP}/c": [broken("timeout"), page("/deep/2", "/nofollow", title="C")],
        f"{HTTP}/old": redirect("/new"),
        f"{HTTP}/new": page("/", title="New"),
        f"{HTTP}/twin": page("/deep/1", "/twin", title="B"),
        f"{HTTP}/deep/1": page("/deep/2", title="1"),
        f"{HTTP}/deep/2": page("/deep/3", head='<meta name="robots" content="noindex">'),
        f"{HTTP}/deep/3": page("/", title="3"),
        f"{HTTP}/nofollow": page("/deep/9", title="Followed after all"),
        "http://b.test/robots.txt": answer(404),
        "http://b.test/": page("/x", title="Other"),
        "http://b.test/x": [answer(503, headers=[("Retry-After", "7")]), page("/", title="X")],
    }


def for_world(**more: Any) -> dict[str, Any]:
    """The settings of the job."""
    scope = ScopeConfig(hosts=["a.test", "b.test"])
    return {"seeds": [f"{HTTP}/"], "scope": scope, "delay": 0.5, **more}


PORTS = (
    *("urls", "hosts", "frontier", "pages", "contents", "documents"),
    *("edges", "jobs", "quotas", "reputation", "parser"),
    *("settings", "template_health", "host_languages"),
)


@pytest.fixture
def cloud_world(cloud, tmp_path):
    """A world whose stores are the cloud's."""

    def make(clock, answers, **more):
        home = cloud.open()
        store = Store(None, TABLES)
        queues = SqliteQueues(store, {})
        fetcher = ScriptedFetcher(clock, answers)
        stores = SimpleNamespace(
            queues=queues,
            frontier=home.frontier,
            jobs=home.jobs,
            urls=home.urls,
            documents=home.documents,
            hosts=home.hosts,
            free_waiting=home.free_waiting,
            commit=home.commit,
        )
        seen: Any = SimpleNamespace(
            **{name: getattr(home, name) for name in PORTS},
            queues=queues,
            grace=EMBEDDED_GRACE,
            window=WINDOW,
        )
        ports = Ports(seen, fetcher)
        world = World(stores, ports, clock, fetcher, tmp_path)  # type: ignore[arg-type]
        world.configure(JobConfig(**for_world(**more)))
        return world

    return make


def known(world):
    return {
        record.url: (record.state.value, record.reason, record.depth, record.target)
        for record in world.home.urls.all()
    }


def titles_in(home):
    return [doc.title for page in home.documents.all() for doc in page.documents.values()]


async def test_both_homes_come_to_the_same_end(world, cloud_world):
    embedded = world(site(), **for_world())
    await embedded.crawl()
    cloud = cloud_world(VirtualClock(), site())
    await cloud.crawl()

    assert known(cloud) == known(embedded)
    assert len(known(cloud)) > 12
    titles = [sorted(titles_in(w.home)) for w in (cloud, embedded)]
    assert titles[0] == titles[1]
    assert {h.host: (h.requests, h.bad) for h in cloud.home.hosts.all()} == {
        h.host: (h.requests, h.bad) for h in embedded.home.hosts.all()
    }


async def test_duplicated_and_lost_messages_change_nothing(world, cloud_world):
    calm = world(site(), **for_world())
    await calm.crawl()
    expected = {url: facts[:2] for url, facts in known(calm).items()}
    chance = random.Random(7)
    rough = cloud_world(VirtualClock(), site())
    await rough.crawl(
        deliveries=lambda: chance.choice([1, 1, 1, 2]), is_lost=lambda: chance.random() < 0.1
    )

    assert {url: facts[:2] for url, facts in known(rough).items()} == expected


async def test_a_limit_is_exact_and_delays_are_kept(cloud_world):
    limited = cloud_world(VirtualClock(), site(), max_pages=4)
    chance = random.Random(3)

    await limited.crawl(deliveries=lambda: chance.choice([1, 2]))

    pages = [url for url in limited.fetcher.urls() if not url.endswith("robots.txt")]
    fetched = [f for f in known(limited).values() if f[0] in ("parsed", "fetched")]
    assert limited.budget()[0] == 4 - len(fetched) - sum(
        facts[1] in ("same-content", "noindex") for facts in known(limited).values()
    )
    assert limited.budget()[0] == 0
    assert len(pages) >= 4
    gaps = [b - a for a, b in itertools.pairwise(limited.fetcher.times("a.test"))]
    assert min(gaps[1:]) >= 2.0
