"""Do tables keep their word when DynamoDB does only a part, or says no?"""

from __future__ import annotations

import pytest

from gossamer.adapters.aws.clients import Clients, method_name
from gossamer.adapters.aws.dynamodb.models import EdgeItem, JobItem, PackItem, UrlItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.adapters.aws.dynamodb.transactions import Change, transact
from gossamer.core.errors import Forbidden, MissingResource, Throttled
from tests.aws_backend import moto_clients
from tests.unit.adapters.aws.conftest import refuse


@pytest.fixture
def urls(cloud):
    return Table(moto_clients(), "test-stack", UrlItem)


@pytest.fixture
def packs(cloud):
    return Table(moto_clients(), "test-stack", PackItem)


def item(number, **more):
    return UrlItem(key=b"web#%d" % number, depth=number, **more)


def fill(urls, count):
    urls.write_many([item(i) for i in range(count)])


def test_nothing_is_made_before_it_is_used():
    clients = Clients(region="us-east-1")

    assert clients._made == {}
    assert "_session" not in clients.__dict__


@pytest.mark.parametrize(
    ("operation", "method"),
    [("SendMessageBatch", "send_message_batch"), ("ListObjectsV2", "list_objects_v2")],
)
def test_operations_are_methods_of_a_client(operation, method):
    assert method_name(operation) == method


def test_what_a_batch_of_reads_leaves_undone_is_read_again(urls, faults, patience):
    fill(urls, 90)
    undone = [4]

    def none(operation, params):
        if not undone[0]:
            return None
        undone[0] -= 1
        keys = params["RequestItems"][urls.name]["Keys"]
        return {"Responses": {}, "UnprocessedKeys": {urls.name: {"Keys": keys}}}

    fault = faults("dynamodb", none)
    found = {i.depth for i in urls.read_many([(b"web#%d" % i,) for i in range(90)])}

    assert found == set(range(90))
    assert len(fault.calls) == len(patience) + 1 == 5


def test_what_a_batch_of_writes_leaves_undone_is_written_again(urls, faults, patience):
    undone = [3]

    def part(operation, params):
        requests = params.get("RequestItems", {}).get(urls.name, [])
        if operation != "BatchWriteItem" or not undone[0]:
            return None
        undone[0] -= 1
        return {"UnprocessedItems": {urls.name: requests}}

    faults("dynamodb", part)
    fill(urls, 20)

    assert sorted(i.depth for i in urls.scan()) == list(range(20))
    assert len(patience) == 3


@pytest.mark.parametrize("what", ["read", "write"])
def test_a_table_that_never_gets_round_to_it_is_throttled_by_name(urls, faults, patience, what):
    def never(operation, params):
        asked = params.get("RequestItems", {})
        return {"Responses": {}, "UnprocessedKeys": asked, "UnprocessedItems": asked}

    faults("dynamodb", never)

    call = {
        "read": lambda: list(urls.read_many([(b"web#1",)])),
        "write": lambda: urls.write_many([item(1)]),
    }[what]
    with pytest.raises(Throttled, match="test-stack-urls"):
        call()
    assert 1.0 < sum(patience) <= 10.0


def test_more_keys_than_a_batch_takes_and_keys_twice(urls):
    fill(urls, 230)
    keys = [(b"web#%d" % (i % 260),) for i in range(520)]

    assert sorted(i.depth for i in urls.read_many(keys)) == list(range(230))


def test_only_the_attributes_asked_for_come(urls):
    urls.put(item(1, url="http://a.test/", host="a.test"))

    (found,) = urls.read_many([(b"web#1",)], (UrlItem.key, UrlItem.url))

    assert (found.url, found.host, found.depth) == ("http://a.test/", None, None)


def test_writing_and_deleting_the_same_key_writes_it(urls):
    urls.write_many([item(1), item(1, url="u")], deletes=[(b"web#1",)])

    assert urls.get(b"web#1").url == "u"


def test_a_refused_write_tells_the_item_as_it_is(urls):
    urls.put(item(1, url="first"))

    written = urls.put(item(1, url="second"), UrlItem.key.does_not_exist())

    assert (written.done, written.item.url) == (False, "first")


def test_a_refusal_that_does_not_tell_the_item_makes_us_read_it(urls, faults):
    urls.put(item(1, url="first"))

    def silent(operation, params):
        if operation != "PutItem":
            return None
        return refuse("ConditionalCheckFailedException")

    fault = faults("dynamodb", silent)
    written = urls.put(item(1, url="second"), UrlItem.key.does_not_exist())

    assert (written.done, written.item.url) == (False, "first")
    assert [name for name, _ in fault.calls] == ["PutItem", "GetItem"]


def test_a_query_reads_page_by_page_and_no_further_than_its_reader(packs, faults):
    for number in range(10):
        packs.put(PackItem(host="web#a", place=f"{number}"))
    fault = faults("dynamodb", lambda *_: None)

    pages = packs.query("web#a", limit=3)
    first = [next(pages).place for _ in range(4)]

    assert first == ["0", "1", "2", "3"]
    assert len(fault.calls) == 2
    assert [item.place for item in pages] == ["4", "5", "6", "7", "8", "9"]


def test_a_query_of_more_than_a_megabyte_is_complete(cloud):
    edges = Table(moto_clients(), "test-stack", EdgeItem)
    edges.write_many([EdgeItem(key=b"web#s", part=n, body=b"x" * 300_000) for n in range(8)])

    assert [item.part for item in edges.query(b"web#s")] == list(range(8))
    assert [item.part for item in edges.query(b"web#s", EdgeItem.part >= 5)] == [5, 6, 7]
    backwards = edges.query_raw(EdgeItem.key == b"web#s", backwards=True)
    assert [row["part"]["N"] for row in backwards][:2] == ["7", "6"]


def test_a_scan_in_segments_finds_everything_once(packs):
    packs.write_many([PackItem(host=f"web#{n}", place="p", body=b"x" * 9000) for n in range(300)])

    found = [item.host for item in packs.scan(segments=4)]

    assert sorted(found) == sorted(f"web#{n}" for n in range(300))


@pytest.mark.parametrize("call", ["get", "put", "update", "query", "batch"])
def test_a_missing_table_is_named(cloud, call):
    jobs = Table(moto_clients(), "elsewhere", JobItem)
    calls = {
        "get": lambda: jobs.get("web#x"),
        "put": lambda: jobs.put(JobItem(key="web#x")),
        "update": lambda: jobs.update(("web#x",), [JobItem.pages.add(1)]),
        "query": lambda: list(jobs.query("web#x")),
        "batch": lambda: list(jobs.read_many([("web#x",)])),
    }

    with pytest.raises(MissingResource, match="table elsewhere-jobs does not exist"):
        calls[call]()


def test_a_missing_permission_is_named(urls, faults):
    faults("dynamodb", lambda *_: refuse("AccessDeniedException"))

    with pytest.raises(Forbidden, match="not allowed: UpdateItem on table test-stack-urls"):
        urls.update((b"web#1",), [UrlItem.depth.set(1)])


def test_throttling_that_does_not_end_is_throttled(urls, faults):
    faults("dynamodb", lambda *_: refuse("ProvisionedThroughputExceededException"))

    with pytest.raises(Throttled, match="GetItem of table test-stack-urls was throttled"):
        urls.get(b"web#1")


def change(urls, number, before):
    return Change(
        urls,
        (b"web#%d" % number,),
        [UrlItem.units.set(3)],
        UrlItem.units == before if before else UrlItem.units.does_not_exist(),
    )


def test_a_transaction_does_all_or_nothing_and_says_which(urls):
    urls.put(item(1))
    urls.put(item(2, units=1))

    assert not transact(moto_clients(), [change(urls, 1, 0), change(urls, 2, 0)])
    assert [urls.get(b"web#%d" % n).units for n in (1, 2)] == [None, 1]
    assert transact(moto_clients(), [change(urls, 1, 0), change(urls, 2, 1)])
    assert [urls.get(b"web#%d" % n).units for n in (1, 2)] == [3, 3]


def test_work_given_to_threads_from_a_thread_is_done(cloud):
    clients = moto_clients()

    nested = clients.each(lambda n: clients.each(lambda m: m + n, range(20)), range(20))

    assert nested[3][4] == 7
