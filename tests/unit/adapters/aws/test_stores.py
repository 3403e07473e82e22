"""What do the stores of the cloud promise beyond their ports: prices, races and large things?"""

from __future__ import annotations

import random
import string
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from gossamer.adapters.aws.hosts import DynamoHostStore
from gossamer.core.crawl.host_record import HostChange
from gossamer.core.crawl.job import JobConfig
from gossamer.core.crawl.politeness import Pace
from gossamer.core.crawl.url_record import Discovery, UrlChange
from gossamer.core.crawl.url_state import Event, State
from gossamer.core.errors import ConfigurationError
from gossamer.core.page.document import Document
from gossamer.core.urls import sitemap_id, url_id
from gossamer.messages import Candidate, CrawlRequest, Link
from tests.life import bring

PACE = Pace(1.0, 0.25)
SOURCE = url_id("http://a.test/")


def found(path="/x", depth=1, reason=""):
    url = f"http://a.test{path}"
    return Discovery(url_id(url), url, "a.test", depth, 0, reason, "web")


def noise(size, seed=1):
    """Text that cannot be compressed by much."""
    return "".join(random.Random(seed).choices(string.printable, k=size))


@pytest.fixture
def calls(faults):
    """Names of the calls that DynamoDB gets."""
    fault = faults("dynamodb", lambda *_: None)
    return lambda: [name for name, _ in fault.calls]


def test_known_links_cost_no_writing_and_the_second_time_no_reading(home, calls):
    links = [found(f"/{i}") for i in range(120)]
    home.urls.add(links, SOURCE, 100.0)
    other = type(home.urls)(home.clients, home.stack, home.collection)
    asked = [(link.id, 1) for link in links]
    before = len(calls())

    first = other.unknown(asked, b"another")
    second = other.unknown(asked, b"another")

    assert (first, second) == (set(), set())
    assert calls()[before:] == ["BatchGetItem"] * 2


def test_new_links_are_read_once_and_written_once(home, calls):
    links = [found(f"/{i}") for i in range(5)]

    unknown = home.urls.unknown([(link.id, 1) for link in links], SOURCE)
    home.urls.add(links, SOURCE, 100.0)

    assert unknown == {link.id for link in links}
    assert sorted(calls()) == ["BatchGetItem"] + ["PutItem"] * 5


def test_a_better_way_to_a_known_url_is_not_tried_by_a_put(home, calls):
    home.urls.add([found(depth=3)], SOURCE, 100.0)
    other = type(home.urls)(home.clients, home.stack, home.collection)
    before = len(calls())

    other.unknown([(found().id, 1)], b"another")
    other.add([found(depth=1)], b"another", 100.0)

    assert calls()[before:] == ["BatchGetItem", "GetItem", "UpdateItem"]


def test_who_loses_a_race_for_a_new_url_finds_it_there(home):
    rival = type(home.urls)(home.clients, home.stack, home.collection)
    rival.unknown([(found().id, 1)], b"rival")
    home.urls.add([found()], SOURCE, 100.0)

    admission = rival.add([found()], b"rival", 100.0)

    assert (admission.fresh, admission.shallower) == ([], [])
    assert home.urls.get(found().id).via == SOURCE


def test_a_shorter_way_to_a_page_that_is_fetched_just_now_is_reported_whenever_it_comes(
    home, monkeypatch
):
    home.urls.add([found(depth=3)], SOURCE, 100.0)
    bring(home.urls, found().id, State.FETCHING)
    other = type(home.urls)(home.clients, home.stack, home.collection)
    read = other._table.get

    def read_just_before(*given, **how):
        item = read(*given, **how)
        home.urls.move(found().id, Event.STORED)
        return item

    monkeypatch.setattr(other._table, "get", read_just_before)
    reported = []
    for _ in range(2):
        other.unknown([(found().id, 1)], b"another")
        reported.append(other.add([found(depth=1)], b"another", 100.0).shallower)

    assert [[record.depth for record in records] for records in reported] == [[1], [1]]


def test_a_booking_of_a_host_just_read_is_one_write(home, calls):
    home.hosts.get("a.test")
    before = len(calls())

    home.hosts.book("a.test", 3, 100.0, PACE, 10.0)
    home.hosts.book("a.test", 3, 100.0, PACE, 10.0)

    assert calls()[before:] == ["UpdateItem"] * 2


def test_a_full_window_is_not_written(home, calls):
    home.hosts.book("a.test", 100, 100.0, PACE, 10.0)
    before = len(calls())

    assert home.hosts.book("a.test", 1, 100.0, PACE, 10.0).count == 0
    assert calls()[before:] == []


def test_two_processes_that_book_at_once_share_no_slot(home):
    other = DynamoHostStore(home.clients, home.stack, home.collection, home.counters)
    other.get("a.test")
    home.hosts.get("a.test")

    first = home.hosts.book("a.test", 2, 100.0, PACE, 100.0)
    second = other.book("a.test", 2, 100.0, PACE, 100.0)

    assert (first.first, second.first) == (100.0, 102.5)


def test_two_processes_that_count_at_once_lose_nothing(home):
    other = DynamoHostStore(home.clients, home.stack, home.collection, home.counters)
    home.hosts.get("a.test"), other.get("a.test")

    home.hosts.change("a.test", HostChange(requests=1, bad=1))
    other.change("a.test", HostChange(requests=1))
    home.hosts.flush()
    other.flush()

    record = home.hosts.get("a.test")
    assert (record.requests, record.bad) == (2, 1)


def test_what_one_process_learned_another_does_not_overwrite(home):
    other = DynamoHostStore(home.clients, home.stack, home.collection, home.counters)
    other.get("a.test")
    home.hosts.change(
        "a.test", HostChange(robots_text="Disallow: /", robots_until=500.0, not_before=200.0)
    )

    record = other.change("a.test", HostChange(penalty=2.0, not_before=150.0, last_slot=120.0))

    assert (record.robots_text, record.robots_until) == ("Disallow: /", 500.0)
    assert (record.penalty, record.not_before, record.last_slot) == (2.0, 200.0, 120.0)


def test_a_slot_booked_meanwhile_is_not_taken_back(home):
    other = DynamoHostStore(home.clients, home.stack, home.collection, home.counters)
    other.get("a.test")
    home.hosts.book("a.test", 8, 100.0, PACE, 100.0)

    record = other.change("a.test", HostChange(next_slot=103.0, last_slot=101.0, requests=1))

    assert (record.next_slot, record.last_slot, record.requests) == (110.0, 108.75, 1)


def test_a_robots_txt_is_read_once_while_its_rules_hold(home, calls):
    home.hosts.change("a.test", HostChange(robots_text="Disallow: /x", robots_until=500.0))
    other = DynamoHostStore(home.clients, home.stack, home.collection, home.counters)
    before = len(calls())

    texts = [other.get("a.test").robots_text for _ in range(3)]
    home.hosts.change("a.test", HostChange(robots_text="Disallow: /y", robots_until=900.0))

    assert texts == ["Disallow: /x"] * 3
    assert calls()[before:].count("Query") == 1
    assert other.get("a.test").robots_text == "Disallow: /y"


def test_a_huge_robots_txt_fits_and_a_smaller_one_replaces_it(home):
    text = noise(520_000)

    home.hosts.change("a.test", HostChange(robots_text=text, robots_until=500.0))
    assert home.hosts.get("a.test").robots_text == text

    home.hosts.change("a.test", HostChange(robots_text="Disallow:", robots_until=600.0))
    assert home.hosts.get("a.test").robots_text == "Disallow:"
    assert [record.host for record in home.hosts.all()] == ["a.test"]


def test_hosts_are_counted_when_first_met(home):
    home.urls  # noqa: B018 a home that never met a URL has nothing to count
    for host in ("a.test", "b.test", "a.test"):
        home.hosts.lease_robots(host, 100.0, 101.0)
    home.hosts.lease_robots("a.test", 200.0, 201.0)

    counted = home.hosts.count()
    home.add_states()

    assert (counted, home.hosts.count()) == (2, 2)


def cloud_frontier(home):
    return type(home.frontier)(home.clients, home.stack, home.collection)


def pack(path="/a", host="a.test", purpose="page"):
    return CrawlRequest(
        job="web", host=host, urls=[Candidate(f"http://{host}{path}")], purpose=purpose
    )


@pytest.mark.parametrize("step", ["delete", "update"])
def test_a_pack_parked_while_another_reader_finds_none_is_not_lost(home, monkeypatch, step):
    """Just before the marker is deleted, or put off, another process parks a pack."""
    frontier = home.frontier
    frontier.park(pack("/a"))
    held = frontier.take("a.test", 100.0)
    if step == "delete":  # its holder died after it had deleted the pack
        frontier.forget("a.test", held.key.rpartition(" ")[0])
    original = frontier._settle
    rival = cloud_frontier(home)

    def settle(*given):
        rival.park(pack("/b"))
        original(*given)

    monkeypatch.setattr(frontier, "_settle", settle)
    assert frontier.take("a.test", 150.0) is None

    assert frontier.waiting(160.0) == ["a.test"]
    monkeypatch.undo()
    assert frontier.take("a.test", 160.0).request == pack("/b")


@pytest.mark.parametrize("again", [False, True])
def test_a_pack_parked_while_the_last_one_is_forgotten_keeps_its_host_waiting(
    home, monkeypatch, again
):
    """Also if another reader has deleted the marker, and it began again."""
    frontier, rival = home.frontier, cloud_frontier(home)
    frontier.park(pack("/a"))
    held = frontier.take("a.test", 100.0)
    if again:
        rival.forget("a.test", rival.take("a.test", 300.0).key)
    else:
        delete = frontier._table.delete

        def meanwhile(*key, **how):
            monkeypatch.undo()
            rival.park(pack("/b"))
            return delete(*key, **how)

        monkeypatch.setattr(frontier._table, "delete", meanwhile)
    rival.park(pack("/b"))

    frontier.forget("a.test", held.key)

    assert rival.waiting(300.0) == ["a.test"]
    assert rival.take("a.test", 300.0).request == pack("/b")


def test_a_pack_that_another_process_takes_at_the_same_moment_comes_back_if_it_dies(
    home, monkeypatch
):
    frontier, rival = home.frontier, cloud_frontier(home)
    frontier.park(pack("/a"))
    lease = frontier._lease

    def too_late(item, now):
        assert rival.take("a.test", now) is not None  # and is killed
        return lease(item, now)

    monkeypatch.setattr(frontier, "_lease", too_late)

    assert frontier.take("a.test", 100.0) is None
    assert rival.take("a.test", 221.0).request == pack("/a")


def test_hosts_that_are_not_due_are_not_read(home, calls):
    for number in range(40):
        home.frontier.park(pack(host=f"{number}.test"), until=1000.0)
    home.frontier.park(pack(host="due.test"), until=90.0)
    home.meter.reset()

    assert home.frontier.waiting(100.0) == ["due.test"]
    assert home.meter.totals()["rru"] <= 1.0


def test_packs_of_many_hosts_are_taken_and_forgotten_with_four_calls_each(home, calls):
    hosts = [f"{number}.test" for number in range(30)]
    for host in hosts:
        home.frontier.park(pack(host=host))
    before = len(calls())

    taken = home.frontier.take_many(hosts, 100.0)
    home.frontier.forget_many([(p.request.host, p.key) for p in taken])

    assert sorted(p.request.host for p in taken) == sorted(hosts)
    assert Counter(calls()[before:]) == {
        "BatchGetItem": 1, "Query": 30, "UpdateItem": 30, "DeleteItem": 60,
    }  # fmt: skip
    assert not home.frontier.has_packs()


def test_a_busy_host_without_packs_costs_one_read(home, calls):
    before = len(calls())

    assert home.frontier.take("a.test", 100.0) is None
    assert calls()[before:] == ["GetItem"]


def test_a_limit_closes_what_is_parked_of_its_job_sitemaps_too(home):
    sitemap = Discovery(sitemap_id("http://a.test/b"), "http://a.test/b", "a.test", 0)
    home.urls.add([found("/a"), sitemap], SOURCE, 100.0)
    other = pack("/other")
    home.frontier.park(pack("/a"))
    home.frontier.park(pack("/b", purpose="sitemap"))
    home.frontier.park(CrawlRequest(job="other", host="a.test", urls=other.urls))

    closed = home.close_waiting("web", "max-pages")

    record = home.urls.get(found("/a").id)
    assert (closed, record.state, record.reason) == (2, State.EXCLUDED, "max-pages")
    assert home.urls.get(sitemap.id).state is State.EXCLUDED
    assert home.frontier.count() == 1


def test_quotas_are_taken_ahead_but_never_over_the_ceiling(home, calls):
    before = len(calls())
    granted = [home.quotas.take({"a.test": (1, 10_000)})["a.test"] for _ in range(50)]

    assert (sum(granted), calls()[before:]) == (50, ["UpdateItem"])


@pytest.mark.parametrize("ceiling", [1, 5, 17, 100, 333])
def test_many_processes_together_stay_under_a_ceiling(home, ceiling):
    stores = [type(home.quotas)(home.clients, home.stack, home.collection) for _ in range(4)]
    chance = random.Random(ceiling)

    granted = sum(
        chance.choice(stores).take({"a.test/#": (chance.randint(1, 4), ceiling)})["a.test/#"]
        for _ in range(400)
    )

    assert granted <= ceiling
    left = sum(store._held.get("a.test/#").left for store in stores if store._held.get("a.test/#"))
    assert granted + left == ceiling


def test_a_ceiling_lowered_meanwhile_holds_for_what_was_taken_ahead(home):
    home.quotas.take({"a.test": (5, 10_000)})

    assert home.quotas.take({"a.test": (1, 3)}) == {"a.test": 0}
    assert home.quotas.take({"a.test": (9, 8)}) == {"a.test": 3}


def test_a_key_of_a_quota_may_be_longer_than_a_key_of_dynamodb(home):
    long = [f"a.test/{'x' * 3000}{i}" for i in range(2)]

    assert home.quotas.take({long[0]: (2, 2), long[1]: (1, 2)}) == {long[0]: 2, long[1]: 1}


def test_a_document_too_large_for_an_item_lies_in_s3(home):
    document = Document(url="http://a.test/", text=noise(600_000))

    home.documents.put(SOURCE, [document], 100.5)

    assert home.documents.read([SOURCE])[0].document == document
    objects = home.clients.call("s3", "ListObjectsV2", "bucket", Bucket=home.bucket)
    assert [o["Key"] for o in objects["Contents"]] == [
        f"documents/web/{SOURCE.hex()}-100.500000.zst"
    ]


def test_documents_are_read_in_order_and_the_missing_are_left_out(home):
    ids = [url_id(f"http://a.test/{i}") for i in range(130)]
    for number, id in enumerate(ids[:120]):
        home.documents.put(id, [Document(url="u", title=str(number))], 100.0 + number)

    versions = home.documents.read([*ids[::-1], ids[0]])

    assert [v.document.title for v in versions] == [*map(str, range(119, -1, -1)), "0"]
    assert versions[0].fetched_at == 219.0


def test_links_too_many_for_an_item_are_split_and_shrink_again(home):
    links = [Link(f"http://a.test/{i}", noise(900, i)) for i in range(700)]
    home.urls.add([found(f"/{i}") for i in range(700)], SOURCE, 100.0)

    home.edges.put(SOURCE, links, 0, 2)
    home.edges.put(SOURCE, links[:1], 1, 2)
    assert home.edges.get(SOURCE) == [*links, links[0]]

    home.edges.put(SOURCE, links[:2], 0, 2)
    assert home.edges.get(SOURCE) == [links[0], links[1], links[0]]


def test_a_lease_is_held_by_one_and_numbered(home):
    leases = [
        home.jobs.lease("compact", "one", 200.0, 100.0),
        home.jobs.lease("compact", "two", 200.0, 150.0),
        home.jobs.lease("compact", "two", 300.0, 201.0),
    ]
    home.jobs.end_lease("compact", 1)  # too late: it is not his any more
    leases.append(home.jobs.lease("compact", "three", 400.0, 250.0))
    home.jobs.end_lease("compact", 2)
    leases.append(home.jobs.lease("compact", "three", 400.0, 250.0))

    assert leases == [1, None, 2, None, 3]
    assert home.jobs.get("compact") is None
    assert home.jobs.names() == []


def test_a_job_without_limits_writes_nothing_for_its_units(home, calls):
    home.jobs.configure("web", JobConfig(seeds=["http://a.test/"]), 100.0)
    before = len(calls())

    home.jobs.reserve("web", [SOURCE])
    home.jobs.release("web", SOURCE, 100.0)

    assert set(calls()[before:]) == {"GetItem"}


def test_who_reserves_at_once_with_others_tries_again(home, faults, patience):
    home.jobs.configure("web", JobConfig(seeds=["http://a.test/"], max_pages=2), 100.0)
    home.urls.add([found("/a")], SOURCE, 100.0)
    conflicts = [2]

    def busy(operation, params):
        if operation != "TransactWriteItems" or not conflicts[0]:
            return None
        conflicts[0] -= 1
        reasons = [{"Code": "TransactionConflict"}, {"Code": "None"}]
        return {
            "Error": {"Code": "TransactionCanceledException", "Message": "no"},
            "CancellationReasons": reasons,
            "ResponseMetadata": {"HTTPStatusCode": 400},
        }

    faults("dynamodb", busy)

    assert home.jobs.reserve("web", [found("/a").id]) == {found("/a").id}
    assert (conflicts, bool(patience)) == ([0], True)


def test_a_configuration_that_does_not_fit_is_refused_with_advice(home):
    seeds = [f"http://a.test/{noise(40, i).strip()}" for i in range(40_000)]

    with pytest.raises(ConfigurationError, match="send its seeds separately"):
        home.jobs.configure("web", JobConfig(seeds=seeds), 100.0)


def test_a_large_configuration_does_not_make_counting_dearer(home):
    seeds = [f"http://a.test/{i}" for i in range(5000)]
    home.jobs.configure("web", JobConfig(seeds=seeds, max_pages=10), 100.0)

    raw = home.clients.call(
        "dynamodb", "GetItem", "t", TableName="test-stack-jobs", Key={"k": {"S": "web#web"}}
    )

    assert sum(len(k) + len(str(v)) for k, v in raw["Item"].items()) < 400
    assert home.jobs.get("web").config.seeds == seeds


def test_counters_are_summed_over_shards_and_hours(home):
    for moment in (0.0, 10.0, 3600.0, 7200.0):
        home.counters.add({"pages": 2, "usd": 0.25, "nothing": 0}, moment)

    assert home.counters.read(0.0, 3599.0) == {"pages": 4, "usd": 0.5}
    assert home.counters.read(0.0, 7200.0) == {"pages": 8, "usd": 1}


def test_hours_that_are_over_are_added_up_once(home, calls):
    for hour in range(5):
        home.counters.add({"pages": 1}, hour * 3600.0)
    totals = [home.counters.totals(4 * 3600.0 + 1000.0)]
    home.fold_sums(4 * 3600.0 + 1000.0)
    totals.append(home.counters.totals(4 * 3600.0 + 1000.0))
    home.counters.add({"pages": 1}, 5 * 3600.0)
    before = len(calls())
    totals.append(home.counters.totals(5 * 3600.0 + 1000.0))

    assert totals == [{"pages": 5}, {"pages": 5}, {"pages": 6}]
    assert calls()[before:].count("Scan") == 0


def test_the_states_of_urls_are_counted_across_processes(home, cloud):
    home.urls.add([found("/a"), found("/b", reason="robots")], SOURCE, 100.0)
    home.add_states()
    other = cloud.open()
    other.urls.move(found("/a").id, Event.GIVEN_UP, UrlChange(reason="dns"))
    other.add_states()

    counted = home.counters.states()
    home.counters.add_states({"parsed": 7}, {})  # a process that died before it told
    home.recount()

    assert counted == ({"failed": 1, "excluded": 1}, {"dns": 1, "robots": 1})
    assert home.counters.states() == counted
    assert home.hosts.count() == 1


def test_under_concurrent_reserves_and_releases_the_counters_equal_the_units_held(home, cloud):
    """Four processes, each repeating what others did, take turns call by call."""
    home.jobs.configure("web", JobConfig(seeds=["http://a.test/"], max_pages=5), 100.0)
    links = [found(f"/{i}") for i in range(8)]
    home.urls.add(links, SOURCE, 100.0)
    counts: list[int] = []

    def work(seed):
        jobs, chance = cloud.open().jobs, random.Random(seed)
        for _ in range(12):
            some = [link.id for link in chance.sample(links, 3)]
            if chance.random() < 0.6:
                jobs.reserve("web", some)
            else:
                jobs.release("web", some[0], 100.0, pages=chance.random() < 0.7)
            counts.append(jobs.get("web").pages_left)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))

    table = home.jobs._urls
    held = [item.units or 0 for item in table.scan()]
    job = home.jobs._item("web")
    assert min(counts) >= 0
    assert job.pages == sum(units & 1 for units in held) <= 5
    assert job.documents == sum(units >> 1 for units in held)


def test_any_process_that_looks_at_few_of_many_waiting_hosts_comes_round_to_all(home):
    hosts = [f"{i}.test" for i in range(7)]
    for host in hosts:
        home.frontier.park(pack(host=host))

    looks = [cloud_frontier(home).waiting(100.0, limit=3) for _ in range(3)]

    assert looks == [hosts[:3], hosts[3:6], [hosts[6], *hosts[:2]]]
    assert sorted(home.frontier.waiting(100.0)) == hosts
