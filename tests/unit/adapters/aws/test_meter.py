"""Does the meter see every call, and count it by what it moved?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gossamer.adapters.aws.dynamodb.models import IndexItem, SegmentItem, UrlItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.adapters.aws.meter import Meter, base_name
from scripts.create_stack import create_queues
from tests.aws_backend import MotoBackend, by_resource, leave, moto_clients

if TYPE_CHECKING:
    from collections.abc import Iterator

STACK = "test-stack"


@pytest.fixture(scope="module")
def backend() -> Iterator[MotoBackend]:
    backend = MotoBackend({})
    yield backend
    backend.close()


@pytest.fixture
def meter(backend: MotoBackend) -> Iterator[Meter]:
    meter = Meter()
    clients = [moto_clients().client(name) for name in ("dynamodb", "s3", "sqs")]
    for client in clients:
        meter.watch(client.meta.events)
    yield meter
    for client in clients:
        leave(meter, client.meta.events)


@pytest.fixture
def segments() -> Table[SegmentItem]:
    return Table(moto_clients(), STACK, SegmentItem)


def row(sort: str, size: int) -> SegmentItem:
    return SegmentItem("meter", sort, body=bytes(size))


def test_writes_are_counted_by_table_and_size(meter: Meter, segments: Table[SegmentItem]):
    segments.put(row("a", 3000))
    segments.write_many([row("b", 10), row("c", 2000)])

    assert by_resource(meter, "wru") == {"segments": 3 + 1 + 2}
    assert meter.totals() == {"wru": 6, "wru_index": 6}
    assert set(meter.calls) == {
        ("dynamodb:PutItem", "segments"),
        ("dynamodb:BatchWriteItem", "segments"),
    }


def test_a_refused_write_is_billed_by_what_was_there(meter: Meter, segments: Table[SegmentItem]):
    segments.put(row("d", 3000))
    meter.reset()

    assert not segments.put(row("d", 1), SegmentItem.key.does_not_exist()).done
    assert not segments.update(
        ("meter", "e"), [SegmentItem.version.set(1)], SegmentItem.key.exists()
    ).done

    assert meter.units["wru", "segments", "PutItem"] == 3
    assert meter.units["wru", "segments", "UpdateItem"] == 1


def test_an_update_and_a_delete_are_billed_by_the_whole_item(
    meter: Meter, segments: Table[SegmentItem]
):
    segments.put(row("f", 3000))
    meter.reset()

    segments.update(("meter", "f"), [SegmentItem.version.set(1)])
    segments.delete("meter", "f")
    segments.delete("meter", "f")

    assert meter.units["wru", "segments", "UpdateItem"] == 3
    assert meter.units["wru", "segments", "DeleteItem"] == 3 + 1


def test_reads_are_counted_as_they_were_asked_for(meter: Meter, segments: Table[SegmentItem]):
    segments.write_many([row("g1", 3000), row("g2", 3000), row("g3", 100)])
    meter.reset()

    segments.get("meter", "g1")
    assert meter.totals() == {"rru": 0.5}
    segments.get("meter", "g1", newest=True)
    assert meter.totals() == {"rru": 1.5}
    list(segments.query("meter", SegmentItem.sort.startswith("g")))
    assert meter.totals() == {"rru": 2.5}  # 6.2 KB are two halves
    list(segments.read_many([("meter", "g1"), ("meter", "g2"), ("meter", "nothing")]))
    assert meter.totals() == {"rru": 4.0}


def test_the_index_is_counted_where_an_item_stands_in_it(meter: Meter):
    table = Table(moto_clients(), STACK, IndexItem)
    head = IndexItem("web#x", "1", first=bytes(1500), term="web#x", impact=9)
    table.write_many([head, IndexItem("web#y", "1", first=bytes(1500))])

    assert by_resource(meter, "wru") == {"inverted_index": (2 + 2) + 2}

    meter.reset()
    list(table.query_raw(IndexItem.term == "web#x", index="by_tfidf"))
    table.write_many(deletes=[("web#x", "1")])

    assert by_resource(meter, "rru") == {"inverted_index/by_tfidf": 0.5}
    assert by_resource(meter, "wru") == {"inverted_index": 2 + 2}
    assert ("dynamodb:Query", "inverted_index/by_tfidf") in meter.calls


def test_a_transaction_costs_twice_and_needs_the_permissions_of_its_parts(meter: Meter):
    urls: Any = Table(moto_clients(), STACK, UrlItem)
    put = {"Put": {"TableName": urls.name, "Item": {"k": {"B": b"t1"}}}}
    check = {
        "ConditionCheck": {
            "TableName": urls.name,
            "Key": {"k": {"B": b"t2"}},
            "ConditionExpression": "attribute_not_exists(k)",
        }
    }
    moto_clients().call("dynamodb", "TransactWriteItems", "urls", TransactItems=[put, check])

    assert meter.totals() == {"wru": 4}
    assert set(meter.calls) == {
        ("dynamodb:PutItem", "urls"),
        ("dynamodb:ConditionCheckItem", "urls"),
    }


def test_queues_are_counted_by_64_kb_and_buckets_by_request(meter: Meter):
    clients = moto_clients()
    url = create_queues(clients, STACK, {})["fetch"]
    meter.reset()
    entries = [{"Id": str(n), "MessageBody": "x" * 20_000} for n in range(4)]
    clients.call("sqs", "SendMessageBatch", "fetch", QueueUrl=url, Entries=entries)
    clients.call("s3", "CreateBucket", "b", Bucket="meter-b")
    clients.call("s3", "PutObject", "b", Bucket="meter-b", Key="k", Body=b"x")
    clients.call("s3", "GetObject", "b", Bucket="meter-b", Key="k")
    list(clients.objects("meter-b", "index/web/"))
    gone = {"Objects": [{"Key": "index/web/a"}, {"Key": "index/web/b"}]}
    clients.call("s3", "DeleteObjects", "b", Bucket="meter-b", Delete=gone)

    assert by_resource(meter, "sqs") == {"queue:fetch": 2}
    assert meter.totals()["s3get"] == 1
    assert ("sqs:SendMessage", "queue:fetch") in meter.calls
    assert meter.totals()["s3put"] == 3  # the bucket, the object, the list; deleting is free
    assert {("s3:GetObject", "bucket:k/"), ("s3:ListBucket", "bucket:")} <= set(meter.calls)
    assert ("s3:DeleteObject", "bucket:index/") in meter.calls


def test_what_no_call_shows_can_be_added(meter: Meter):
    meter.add("sqs", 2, "fetch")
    meter.add("gbms", 150.5)

    assert meter.totals() == {"sqs": 2, "gbms": 150.5}


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("my-stack-inverted_index", "inverted_index"),
        ("https://sqs.test/1/my-stack-fetch", "fetch"),
        ("https://sqs.test/1/my-stack-fetch-dead", "fetch-dead"),
        ("arn:aws:dynamodb:us-east-1:1:table/my-stack-urls", "urls"),
    ],
)
def test_a_name_is_known_without_its_stack(name: str, base: str):
    assert base_name(name) == base
