"""Requests share objects of S3, and none goes on before its own page is written."""

from __future__ import annotations

import asyncio
import random
import threading
from typing import TYPE_CHECKING, Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from gossamer.adapters.aws.pages import MAX_OBJECT_BYTES, S3Pages
from gossamer.core.crawl.url_record import PageRef
from gossamer.core.errors import CorruptRecord, Unreachable
from gossamer.entrypoints.audit.records import WarcReading
from gossamer.homes import decode_body
from gossamer.ports.fetcher import HttpResponse
from gossamer.ports.pages import RequestFacts
from tests.aws_backend import MotoBackend

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECONDS = 60.0  # for what happens at once, however busy the machine is
FACTS = RequestFacts(
    job="web",
    host="a.test",
    purpose="page",
    slot=1.0,
    delay=1.0,
    grace=0.5,
    depth=0,
    tries=0,
    agent="Gossamer",
)


def response(number: int = 0, size: int = 10) -> HttpResponse:
    body = random.Random(number).randbytes(size)
    return HttpResponse(
        url=f"http://a.test/{number}", started_at=float(number), code=200, raw=body, body=body
    )


class Bucket:
    """Keeps objects in memory; a PUT waits until it may go on, and may fail."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.may_go_on = threading.Event()
        self.may_go_on.set()
        self.fault: Exception | None = None

    def call(self, _service: str, operation: str, _resource: str, **given: Any) -> None:
        assert operation == "PutObject"
        assert self.may_go_on.wait(SECONDS)
        if self.fault:
            raise self.fault
        self.objects[given["Key"]] = given["Body"]


@pytest.fixture
def bucket() -> Bucket:
    return Bucket()


def pages_in(bucket: Bucket, flush_after: float = 3600.0) -> S3Pages:
    clients: Any = bucket
    return S3Pages(clients, "test-stack", "web", "pages", decode_body, flush_after=flush_after)


async def deal_with(pages: S3Pages, number: int, size: int = 10) -> PageRef:
    """A message as the entry point deals with it."""
    with pages.task():
        return await pages.append(response(number, size), FACTS)


async def test_an_object_goes_out_when_all_under_way_wait_for_it(bucket: Bucket):
    pages = pages_in(bucket)

    refs = await asyncio.gather(*(deal_with(pages, n) for n in range(10)))

    assert len(bucket.objects) == 1
    assert len({ref.offset for ref in refs}) == 10
    assert {f"warc/web/{ref.file}" for ref in refs} == set(bucket.objects)


async def test_a_message_that_appends_nothing_delays_no_other(bucket: Bucket):
    pages = pages_in(bucket)
    with pages.task():
        waiting = asyncio.create_task(deal_with(pages, 1))
        await asyncio.sleep(0.01)
        assert not bucket.objects

    await waiting

    assert len(bucket.objects) == 1


async def test_no_request_waits_longer_than_agreed_for_a_slow_one(bucket: Bucket):
    pages = pages_in(bucket, flush_after=0.02)
    pages.task().__enter__()  # and it never comes to an end

    await asyncio.wait_for(deal_with(pages, 1), SECONDS)

    assert len(bucket.objects) == 1


async def test_a_large_object_goes_out_at_once(bucket: Bucket, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("gossamer.adapters.aws.pages.MAX_OBJECT_BYTES", 2000)
    pages = pages_in(bucket)
    pages.task().__enter__()

    refs = [await asyncio.wait_for(deal_with(pages, n, 200_000), SECONDS) for n in range(3)]

    assert len(bucket.objects) == len({ref.file for ref in refs}) == 3
    assert MAX_OBJECT_BYTES == 8_000_000


async def test_what_comes_while_an_object_is_written_goes_into_the_next(bucket: Bucket):
    pages = pages_in(bucket)
    bucket.may_go_on.clear()
    first = asyncio.create_task(deal_with(pages, 1))
    await asyncio.sleep(0.01)
    second = asyncio.create_task(deal_with(pages, 2))
    await asyncio.sleep(0.01)
    assert not first.done()
    bucket.may_go_on.set()

    refs = await asyncio.gather(first, second)

    assert len({ref.file for ref in refs}) == 2


async def test_no_request_goes_on_before_its_page_is_written(bucket: Bucket):
    pages = pages_in(bucket)
    bucket.may_go_on.clear()
    tasks = [asyncio.create_task(deal_with(pages, n)) for n in range(3)]
    await asyncio.sleep(0.05)
    assert not any(task.done() for task in tasks)

    bucket.may_go_on.set()
    await asyncio.gather(*tasks)


async def test_if_an_object_cannot_be_written_all_who_wait_for_it_hear_of_it(bucket: Bucket):
    pages = pages_in(bucket)
    bucket.fault = Unreachable("S3 is on holiday")

    results = await asyncio.gather(*(deal_with(pages, n) for n in range(3)), return_exceptions=True)
    assert [type(result) for result in results] == [Unreachable] * 3

    bucket.fault = None
    await deal_with(pages, 4)
    assert len(bucket.objects) == 1


async def test_a_caller_that_is_cancelled_does_not_take_the_others_with_it(bucket: Bucket):
    pages = pages_in(bucket)
    bucket.may_go_on.clear()
    tasks = [asyncio.create_task(deal_with(pages, n)) for n in range(2)]
    await asyncio.sleep(0.01)
    tasks[0].cancel()
    await asyncio.sleep(0.01)
    bucket.may_go_on.set()

    assert isinstance(await tasks[1], PageRef)


def test_each_run_of_a_loop_may_use_the_same_store(bucket: Bucket):
    pages = pages_in(bucket)
    for number in range(3):
        asyncio.run(deal_with(pages, number))

    assert len(bucket.objects) == 3


async def test_what_was_appended_is_counted_once(bucket: Bucket):
    pages = pages_in(bucket)
    for number in range(3):
        await deal_with(pages, number)

    assert pages.take_counts() == {"requests": 3, "bytes": 30, "code:200": 3}
    assert not pages.take_counts()


# --- over moto ---


@pytest.fixture
def stored() -> Iterator[S3Pages]:
    backend = MotoBackend({})
    yield backend.open().pages
    backend.close()


async def test_a_page_is_read_back(stored: S3Pages):
    refs = await asyncio.gather(*(deal_with(stored, n) for n in range(3)))

    found = [stored.read(ref) for ref in refs]
    assert [page.url for page in found] == [f"http://a.test/{n}" for n in range(3)]
    assert found[2].body == response(2).raw


async def test_pages_of_one_object_are_read_by_one_get(
    stored: S3Pages, monkeypatch: pytest.MonkeyPatch
):
    given = [response(number, size) for number, size in enumerate([10, 20, 30, 1_500_000])]
    refs = await asyncio.gather(*(stored.append(one, FACTS) for one in given))
    get = stored._get
    gets: list[str] = []

    def counted(name: str, **how: str) -> bytes:
        gets.append(how["Range"])
        return get(name, **how)

    monkeypatch.setattr(stored, "_get", counted)
    small = await asyncio.gather(*(asyncio.to_thread(stored.read, ref) for ref in refs[:3]))
    of_small = len(gets)
    large = stored.read(refs[3])

    assert len({ref.file for ref in refs}) == 1
    assert [page.body for page in [*small, large]] == [one.body for one in given]
    assert of_small == 1


async def test_what_cannot_be_read_is_a_corrupt_record(stored: S3Pages):
    ref = await deal_with(stored, 1)
    wrong = [
        PageRef("20200101/none.warc.gz", 0, 9),
        PageRef(ref.file, ref.offset + 5, ref.length),
        PageRef(ref.file, 10_000_000, 9),
        PageRef(ref.file, ref.offset, 0),
    ]
    for one in wrong:
        with pytest.raises(CorruptRecord):
            stored.read(one)


async def test_an_audit_reads_what_was_downloaded(stored: S3Pages, tmp_path: Path):
    for number in range(3):
        await deal_with(stored, number)

    files = list(stored.download(tmp_path / "warc"))

    assert len(files) == len(stored.files()) == 3
    requests = [request for path in files for request in WarcReading(path)]
    assert [request.url for request in requests] == [f"http://a.test/{n}" for n in range(3)]
    with files[0].open("rb") as file:
        kinds = [record.rec_type for record in ArchiveIterator(file)]
    assert kinds == ["warcinfo", "response", "metadata"]
