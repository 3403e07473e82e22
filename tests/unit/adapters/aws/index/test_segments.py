"""Does the index in the cloud survive what S3 and DynamoDB do, with as few calls as it can?"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from gossamer.adapters.aws.clients import Clients
from gossamer.adapters.aws.dynamodb.models import IndexItem, SegmentItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.adapters.aws.index import files as files_module
from gossamer.adapters.aws.index import heads as heads_module
from gossamer.adapters.aws.index.files import GAP, PART, ByteCache, cut, spans
from gossamer.adapters.aws.index.segments import AwsSegmentStore
from gossamer.adapters.aws.meter import Meter
from gossamer.core.errors import (
    ConfigurationError,
    Forbidden,
    MissingResource,
    NotStored,
    PermanentError,
    Throttled,
    Unreachable,
)
from gossamer.core.index.segments.formats import DEFAULT_FORMAT, READ_FORMATS, read_formats
from gossamer.core.index.segments.layout import Range
from gossamer.core.index.segments.manifest import Manifest, SegmentInfo
from gossamer.ports.segments import IN_BLOCK, Head
from tests.aws_backend import MotoBackend, by_resource, leave, moto_clients
from tests.unit.adapters.aws.conftest import refuse
from tests.unit.core.index.segments.test_golden import GOLDEN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STACK, BUCKET = "test-stack", "test-pages"
NEXT_MANIFEST = GOLDEN / "next" / f"manifest-v{READ_FORMATS[-1]}.json"
A, B = "0000000001000-a", "0000000002000-b"
CONTENT = random.Random(5).randbytes(1 << 20)


@pytest.fixture
def meter() -> Iterator[Meter]:
    backend = MotoBackend({})
    clients = moto_clients()
    clients.call("s3", "CreateBucket", BUCKET, Bucket=BUCKET)
    meter = Meter()
    emitters = [clients.client(service).meta.events for service in ("dynamodb", "s3")]
    for events in emitters:
        meter.watch(events)
    yield meter
    for events in emitters:
        leave(meter, events)
    backend.close()


@pytest.fixture
def store(meter: Meter) -> AwsSegmentStore:
    return another()


def another(clients: Clients | None = None) -> AwsSegmentStore:
    """What another process would open."""
    return AwsSegmentStore(clients or moto_clients(), STACK, "web", BUCKET, clock=lambda: 1000.0)


def s3_calls(meter: Meter) -> dict[str, float]:
    return {
        operation: count
        for (unit, _, operation), count in meter.units.items()
        if unit.startswith("s3") and count
    }


def head(term: str, segment: str, bound: int = 200, first: bytes = b"first") -> Head:
    return Head(term, segment, ((128, bound, 0, 4, 0, 9), (172, bound - 1, 4, 5, 9, 12)), first)


def rows() -> set[tuple[str, str]]:
    found = Table(moto_clients(), STACK, IndexItem).scan()
    return {(item.key, item.segment) for item in found}


def objects() -> list[str]:
    return list(moto_clients().objects(BUCKET, ""))


class LostAnswers(Clients):
    """Clients to whom no answer comes at first, and who ask again, as botocore does."""

    def __init__(self, *operations: str) -> None:
        super().__init__()
        self.operations = operations

    def raw(self, service: str, operation: str, **parameters: Any) -> Any:
        if operation in self.operations:
            moto_clients().raw(service, operation, **parameters)
        return moto_clients().raw(service, operation, **parameters)


def test_a_file_is_one_put_below_the_name_of_its_collection(store: AwsSegmentStore, meter: Meter):
    assert store.put(A, [CONTENT[:10], CONTENT[10:]]) == len(CONTENT)

    assert objects() == [f"index/web/{A}"]
    assert s3_calls(meter) == {"PutObject": 1, "ListObjectsV2": 1}
    assert ("s3:PutObject", "bucket:index/") in meter.calls


def test_a_large_file_is_uploaded_in_parts(store: AwsSegmentStore, meter: Meter):
    pieces = [CONTENT] * 42 + [b"end"]

    assert store.put(A, iter(pieces)) == 42 * len(CONTENT) + 3

    assert s3_calls(meter) == {
        "CreateMultipartUpload": 1,
        "UploadPart": 6,
        "CompleteMultipartUpload": 1,
    }
    assert another().read([Range(A, PART - 5, 10), Range(A, 42 * len(CONTENT), 3)]) == [
        (CONTENT * 9)[PART - 5 : PART + 5],
        b"end",
    ]


def test_what_fits_into_one_part_is_no_upload(store: AwsSegmentStore, meter: Meter):
    store.put(A, [bytes(PART)])

    assert s3_calls(meter) == {"PutObject": 1}


def test_parts_are_cut_while_pieces_come():
    waiting, most = [0], [0]

    def pieces() -> Iterator[bytes]:
        for _ in range(40):
            waiting[0] += len(CONTENT)
            most[0] = max(most[0], waiting[0])
            yield CONTENT

    for part in cut(pieces()):
        assert len(part) == PART
        waiting[0] -= len(part)
    assert most[0] <= PART
    assert [len(part) for part in cut([bytes(2 * PART + 1), b"", b"x"])] == [PART, PART, 2]
    assert list(cut([])) == []


def test_an_upload_whose_writer_dies_is_aborted(store: AwsSegmentStore):
    def broken() -> Iterator[bytes]:
        yield from [CONTENT] * 50
        raise RuntimeError("the writer dies")

    with pytest.raises(RuntimeError, match="dies"):
        store.put(A, broken())

    assert objects() == []
    uploads = moto_clients().call("s3", "ListMultipartUploads", BUCKET, Bucket=BUCKET)
    assert "Uploads" not in uploads


def test_an_upload_that_s3_refuses_is_aborted_and_says_why(store: AwsSegmentStore, faults: Any):
    fault = faults("s3", lambda name, _: refuse("AccessDenied") if name == "UploadPart" else None)

    with pytest.raises(Forbidden):
        store.put(A, [bytes(PART + 1)])

    assert fault.calls[-1][0] == "AbortMultipartUpload"
    assert objects() == []


@pytest.mark.parametrize("operation", ["PutObject", "CompleteMultipartUpload"])
def test_a_file_whose_answer_was_lost_was_written(meter: Meter, operation: str):
    size = 5 if operation == "PutObject" else PART + 5

    assert another(LostAnswers(operation)).put(A, [bytes(size)]) == size

    assert another().names() == [A]


def test_a_name_of_another_writer_is_taken(store: AwsSegmentStore):
    another().put(A, [b"first"])

    with pytest.raises(PermanentError, match=A):
        store.put(A, [b"other"])

    assert store.read([Range(A, 0, 9)]) == [b"first"]


def test_neighbours_are_read_by_one_get_and_others_by_their_own(
    store: AwsSegmentStore, meter: Meter
):
    store.put(A, [CONTENT])
    store.put(B, [CONTENT])
    meter.reset()
    ranges = [Range(A, 200 + GAP, 50), Range(A, 100, 100), Range(B, 0, 10), Range(A, 150, 150)]
    ranges += [Range(A, 600_000, 0), Range(A, 500_000, 7), Range("nowhere", 0, 0)]

    found = store.read(ranges)

    assert found == [CONTENT[at : at + size] for _, at, size in ranges]
    assert s3_calls(meter) == {"GetObject": 3}


def test_ranges_are_joined_up_to_a_gap_and_a_size():
    def joined(*places: tuple[int, int]) -> list[tuple[int, int]]:
        found = spans(Range(A, offset, size) for offset, size in places)
        return [(span.offset, span.end) for span in found]

    assert joined((0, 10), (10 + GAP - 1, 5)) == [(0, 10 + GAP + 4)]
    assert joined((0, 10), (10 + GAP, 5)) == [(0, 10), (10 + GAP, 15 + GAP)]
    assert joined((50, 10), (0, 100), (99, 2)) == [(0, 101)]
    most = files_module.MAX_SPAN
    assert joined((0, most), (most, 1)) == [(0, most), (most, most + 1)]
    assert joined((0, 3 * most), (5, 7)) == [(0, 3 * most)]


def test_what_was_read_is_not_read_again(store: AwsSegmentStore, meter: Meter):
    store.put(A, [CONTENT])
    first = store.read([Range(A, 5, 9), Range(A, 900_000, 9)])
    meter.reset()

    assert store.read([Range(A, 900_000, 9), Range(A, 5, 9)]) == first[::-1]

    assert s3_calls(meter) == {}


def test_the_cache_keeps_what_was_used_last_within_its_room():
    cache = ByteCache(80)
    for number in range(8):
        cache.put(Range(A, number, 10), bytes(10))
    assert cache.get(Range(A, 0, 10)) is not None

    cache.put(Range(B, 0, 10), bytes(10))
    cache.put(Range(B, 0, 10), bytes(10))
    cache.put(Range(B, 0, 11), bytes(11))  # too much of the room

    assert cache.get(Range(A, 1, 10)) is None
    assert cache.get(Range(B, 0, 11)) is None
    assert all(cache.get(Range(A, number, 10)) for number in (0, *range(2, 8)))
    cache.forget([A])
    assert [cache.get(Range(file, 0, 10)) for file in (A, B)] == [None, bytes(10)]


def test_beyond_the_end_of_a_file_there_are_no_bytes(store: AwsSegmentStore):
    store.put(A, [b"abc"])

    assert store.read([Range(A, 2, 10), Range(A, 100_000, 5)]) == [b"c", b""]


def test_a_missing_bucket_is_no_missing_file(meter: Meter):
    store = AwsSegmentStore(moto_clients(), STACK, "web", "no-bucket")

    with pytest.raises(MissingResource):
        store.read([Range(A, 0, 1)])


def test_a_service_that_does_not_answer_is_no_missing_file(store: AwsSegmentStore, faults: Any):
    store.put(A, [b"abc"])
    faults("s3", lambda *_: refuse("ServiceUnavailable", 503))

    with pytest.raises(Unreachable):
        store.read([Range(A, 0, 1)])


def test_many_files_are_deleted_by_few_calls(
    store: AwsSegmentStore, meter: Meter, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(files_module, "DELETED_AT_ONCE", 10)
    names = [f"{number:013}-x" for number in range(25)]
    for name in names:
        store.put(name, [b"x"])
    meter.reset()

    store.delete(names)

    assert meter.calls["s3:DeleteObject", "bucket:index/"] == 3
    assert objects() == []


def test_a_file_that_cannot_be_deleted_is_named(store: AwsSegmentStore, faults: Any):
    store.put(A, [b"x"])
    error = {"Errors": [{"Key": A, "Code": "InternalError"}]}
    faults("s3", lambda name, _: error if name == "DeleteObjects" else None)

    with pytest.raises(PermanentError, match=A):
        store.delete([A])


def manifest(version: int, count: int) -> Manifest:
    segments = [
        SegmentInfo(name=f"{number:013}-abcdef01", size=10**6, documents=999, live=998, at=1.5)
        for number in range(count)
    ]
    return Manifest(version=version, segments=segments)


def test_a_manifest_costs_a_unit_to_write_and_to_read(store: AwsSegmentStore, meter: Meter):
    given = manifest(1, 30)
    assert len(msgspec.json.encode(given)) > 2000

    assert store.publish(given)
    assert store.manifest() == given

    assert by_resource(meter, "wru") == {"segments": 1}
    assert by_resource(meter, "rru") == {"segments": 1}


def test_a_publication_whose_answer_was_lost_was_one(meter: Meter):
    assert another(LostAnswers("PutItem")).publish(manifest(1, 1))

    assert not another().publish(manifest(1, 1))
    assert another().manifest() == manifest(1, 1)


def first_edition(**manifest: Any) -> None:
    item = SegmentItem("web", "manifest", body=msgspec.json.encode(manifest), version=57)
    Table(moto_clients(), STACK, SegmentItem).put(item)


@pytest.mark.parametrize(
    "named", [{"deltas": [3]}, {"generations": [{"number": 1, "buckets": 64, "postings": 1}]}]
)
def test_an_index_of_the_first_edition_must_be_built_again(
    store: AwsSegmentStore, named: dict[str, Any]
):
    first_edition(version=57, **named)

    with pytest.raises(ConfigurationError, match="reindex"):
        store.manifest()

    assert not store.publish(manifest(2, 1))
    assert store.publish(manifest(1, 1))
    assert store.manifest() == manifest(1, 1)


def test_an_empty_index_of_the_first_edition_is_an_empty_one(store: AwsSegmentStore):
    first_edition(version=57, deltas=[], generations=[], analyzer={"stem": True})

    assert store.manifest() == Manifest()
    assert store.publish(manifest(1, 1))


def put_manifest(body: bytes, version: int, format: int) -> None:
    """Write a manifest as a newer program would."""
    item = SegmentItem("web", "manifest", body=body, version=version, format=format)
    Table(moto_clients(), STACK, SegmentItem).put(item)


def test_a_format_is_read_one_release_before_it_is_written_and_no_earlier(store: AwsSegmentStore):
    put_manifest(b"{}", 1, READ_FORMATS[-1] + 1)

    with pytest.raises(ConfigurationError, match=f"has format 4, .* reads {read_formats()}"):
        store.manifest()


def test_a_manifest_of_the_next_format_can_be_read_and_replaced(store: AwsSegmentStore):
    """A tenth of the functions may write it already, and go back to this program."""
    put_manifest(NEXT_MANIFEST.read_bytes(), 7, READ_FORMATS[-1])
    known = store.manifest()

    assert [info.name for info in known.segments] == ["0000000001000-aa", "0000000002000-bb"]
    assert store.publish(msgspec.structs.replace(known, version=8))

    item = Table(moto_clients(), STACK, SegmentItem).get("web", "manifest", newest=True)
    assert item is not None
    assert item.format == DEFAULT_FORMAT
    assert b"added" not in (item.body or b"")
    assert another().manifest() == msgspec.structs.replace(known, version=8)


def test_the_format_that_is_written_follows_the_setting(meter: Meter):
    raised = AwsSegmentStore(moto_clients(), STACK, "web", BUCKET, READ_FORMATS[-1])

    assert raised.publish(manifest(1, 1))

    item = Table(moto_clients(), STACK, SegmentItem).get("web", "manifest", newest=True)
    assert item is not None
    assert item.format == raised.format == READ_FORMATS[-1]
    assert another().manifest() == manifest(1, 1)
    assert another().publish(manifest(2, 1))
    assert raised.manifest() == manifest(2, 1)


def test_heads_come_by_falling_bound_from_one_query_a_term(store: AwsSegmentStore, meter: Meter):
    bounds = {"0000000000003-c": 90, "0000000000001-a": 255, "0000000000002-b": 100}
    store.put_heads(head("silk", name, bound) for name, bound in bounds.items())
    store.put_heads([head("web", A, first=bytes(9000))])
    meter.reset()

    found = store.heads(["silk", "web", "silk", "unknown"], [*bounds, A])

    silk = [segment for term, segment in found if term == "silk"]
    assert silk == sorted(bounds, key=lambda name: -bounds[name])
    assert found["web", A] == head("web", A, first=bytes(9000))
    assert meter.calls["dynamodb:Query", "inverted_index/by_tfidf"] == 3
    assert by_resource(meter, "rru") == {"inverted_index/by_tfidf": 0.5 + 1.5 + 0.5}


def test_a_head_costs_a_unit_and_one_of_its_index(store: AwsSegmentStore, meter: Meter):
    store.put_heads(head(f"term{number}", A, first=bytes(600)) for number in range(30))

    assert by_resource(meter, "wru") == {"inverted_index": 2 * 30}
    assert s3_calls(meter) == {"PutObject": 1}


def test_blocks_of_the_first_edition_are_no_heads(store: AwsSegmentStore):
    table = Table(moto_clients(), STACK, IndexItem)
    raw = {"term": {"S": "web#silk"}, "imp": {"N": "9"}, "x": {"B": b"x"}}
    old = {"k": {"S": "web#t#silk"}, "g": {"S": "1#0"}, **raw}
    more: dict[str, Any]
    for more in ({}, {"n": {"N": "2"}}):
        table.call("PutItem", Item={**old, **more})
        assert store.heads(["silk"], ["1"]) == {}


def test_collections_do_not_see_each_others_index(store: AwsSegmentStore):
    other = AwsSegmentStore(moto_clients(), STACK, "web2", BUCKET)
    store.put(A, [b"x"])
    store.put_heads([head("silk", A)])
    store.publish(manifest(1, 1))

    assert (other.names(), other.heads(["silk"], [A]), other.manifest()) == ([], {}, Manifest())
    with pytest.raises(NotStored):
        other.read([Range(A, 0, 1)])


SHORT = ((64, 200, *IN_BLOCK), (9, 50, *IN_BLOCK))


def short(term: str, segment: str, first: int = 200) -> Head:
    """The head of a list of 73 postings."""
    places = ((64, first, *IN_BLOCK), SHORT[1])
    return Head(term, segment, places, b"the heaviest", b"the others")


def without_rest(head: Head) -> Head:
    return msgspec.structs.replace(head, rest=b"")


def test_the_rest_of_a_short_list_is_read_only_when_it_is_asked_for(
    store: AwsSegmentStore, items_read: list[int]
):
    kept = short("silk", A)
    store.put_heads([kept])
    assert rows() == {("web#silk", A), ("web#silk", A + "+")}

    found = store.heads(["silk"], [A])

    assert found == {("silk", A): without_rest(kept)}
    assert sum(items_read) == 1  # of two rows
    assert store.rests([("silk", A), ("web", A)]) == {("silk", A): b"the others"}


def test_reading_ends_when_all_segments_were_met(store: AwsSegmentStore, items_read: list[int]):
    """What is left is lighter: rests, and heads of segments that were merged since."""
    heaviest, lightest = short("silk", A, 255), short("silk", B, 90)
    store.put_heads([heaviest, lightest, *(head("silk", f"{n}-old", 40) for n in range(9))])

    found = store.heads(["silk"], [A, B])

    assert found["silk", A] == without_rest(heaviest)
    assert found["silk", B] == without_rest(lightest)
    assert sum(items_read) == 2  # of thirteen
    assert set(store.heads(["silk"], [A, "unknown"])) == {("silk", A)}


def test_a_group_of_segments_reads_its_own_heads_by_key(store: AwsSegmentStore, meter: Meter):
    others = [f"{n:013}-other" for n in range(50)]
    store.put_heads([*(head("silk", name, 255) for name in others), head("silk", A, 9)])
    store.put_heads([short("silk", B)])
    meter.reset()

    found = store.heads(["silk", "web"], [A, B], are_all=False)

    assert set(found) == {("silk", A), ("silk", B)}
    assert ("dynamodb:Query", "inverted_index/by_tfidf") not in meter.calls
    assert by_resource(meter, "rru") == {"inverted_index": 4 * 0.5}


def test_programs_before_short_lists_do_not_misread_them(store: AwsSegmentStore):
    """They read rows with binary layers, and take the others from the segment."""
    store.put_heads([short("silk", A), head("web", A)])

    raw = Table(moto_clients(), STACK, IndexItem).call("Scan")["Items"]

    assert {row["k"]["S"] for row in raw if "B" in row.get("n", {})} == {"web#web"}


def test_both_rows_of_a_short_list_are_deleted(store: AwsSegmentStore):
    store.put(A, [b"x"])
    store.put_heads([short("silk", A), head("web", A), short("silk", B)])

    another().delete([A])

    assert rows() == {("web#silk", B), ("web#silk", B + "+")}


@pytest.fixture
def items_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows each page of a query had."""
    counts: list[int] = []
    call = Table.call

    def counted(table: Any, operation: str, **how: Any) -> Any:
        answer = call(table, operation, **how)
        if operation == "Query":
            counts.append(len(answer["Items"]))
        return answer

    monkeypatch.setattr(Table, "call", counted)
    return counts


def test_heads_are_listed_before_they_are_written(
    store: AwsSegmentStore, faults: Callable[..., Any]
):
    store.put(A, [b"x"])
    batches = [0]

    def die(name: str, _: Any) -> dict[str, Any] | None:
        batches[0] += name == "BatchWriteItem"
        is_second = name == "BatchWriteItem" and batches[0] == 2
        return refuse("ValidationException") if is_second else None

    faults("dynamodb", die)
    with pytest.raises(PermanentError):
        store.put_heads(head(f"term{number}", A) for number in range(60))
    assert 0 < len(rows()) < 60
    assert another().names() == [A]

    another().delete([A])

    assert (rows(), objects()) == (set(), [])


def test_a_deletion_that_was_cut_off_is_finished_by_the_next(
    store: AwsSegmentStore, faults: Callable[..., Any]
):
    store.put(A, [b"x"])
    store.put_heads([head("silk", A), head("silk", B)])
    fault = faults("s3", lambda name, _: refuse("SlowDown") if name == "DeleteObjects" else None)
    with pytest.raises(Throttled):
        store.delete([A])
    assert another().names() == [A, B]
    fault.answer = lambda *_: None

    another().delete([A])

    assert rows() == {("web#silk", B)}
    assert objects() == [f"index/web/{B}.heads"]
    another().delete(another().names())  # heads whose segment was never put are swept as well
    assert (rows(), objects()) == (set(), [])


def test_heads_of_one_segment_may_come_in_several_calls_and_batches(
    store: AwsSegmentStore, meter: Meter, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(heads_module, "AT_ONCE", 10)
    store.put(A, [b"x"])
    store.put_heads(head(f"t{number}", (A, B)[number % 2]) for number in range(30))
    another().put_heads([head("later", A)])
    meter.reset()
    another().put_heads([head("later", A)])  # a message that came twice
    assert "PutObject" not in s3_calls(meter)

    another().delete([A])

    assert rows() == {(f"web#t{number}", B) for number in range(1, 30, 2)}


def test_files_without_heads_cost_a_get_each_to_delete(store: AwsSegmentStore, meter: Meter):
    for name in (A, B):
        store.put(name, [b"x"])
    meter.reset()

    store.delete([A, B, A])

    assert meter.calls["s3:GetObject", "bucket:index/"] == 2
    assert by_resource(meter, "wru") == {}
