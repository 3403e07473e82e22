"""Small WARC objects are joined; whenever that is killed, every page is there, and listed once."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from contextlib import suppress
from functools import lru_cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest

from gossamer.adapters.aws.packs.joining import Joiner, groups, pack_name
from gossamer.adapters.aws.packs.members import PACKS, Member, Members
from gossamer.adapters.aws.pages import S3Pages
from gossamer.core.crawl.url_record import PageRef
from gossamer.core.errors import CorruptRecord
from gossamer.entrypoints.audit.records import WarcReading
from gossamer.homes import decode_body
from tests.aws_backend import REGION, MotoBackend, OneAtATime
from tests.unit.adapters.aws.test_pages import FACTS, response

if TYPE_CHECKING:
    from collections.abc import Iterator

HOUR, DAY = 3600.0, 86_400.0
OBJECTS, EACH = 7, 2  # objects, and pages in each
BUCKET = "test-pages"


class Killed(BaseException):
    """The process is gone."""


class Mortal(OneAtATime):
    """Kills the process at a call, before or behind its effect."""

    left, behind = -1, False

    def raw(self, service: str, operation: str, **parameters: Any) -> Any:
        self.left -= 1
        if self.left == 0 and not self.behind:
            raise Killed
        answer = super().raw(service, operation, **parameters)
        if self.left == 0:
            raise Killed
        return answer


@lru_cache(maxsize=1)
def mortal() -> Mortal:
    return Mortal(region=REGION)


class World:
    """A collection with some small objects, and what must be true of it at any time."""

    def __init__(self) -> None:
        self.clients, self.now = mortal(), time.time() + HOUR
        self.clients.left = -1
        self.clients.call("s3", "CreateBucket", BUCKET, Bucket=BUCKET)
        self.refs = asyncio.run(self._filled())
        self.names = sorted({ref.file for ref in self.refs})
        self.sizes = dict(self.pages().archived())

    def pages(self) -> S3Pages:
        """As a process sees it that knows nothing yet."""
        return S3Pages(self.clients, "test-stack", "web", BUCKET, decode_body)

    async def _filled(self) -> list[PageRef]:
        refs: list[PageRef] = []
        for n in range(0, OBJECTS * EACH, EACH):
            pages = self.pages()
            made = (pages.append(response(n + i, 900), FACTS) for i in range(EACH))
            refs += await asyncio.gather(*made)
        return refs

    def keys(self) -> list[str]:
        prefix = "warc/web/"
        return [key.removeprefix(prefix) for key in self.clients.objects(BUCKET, prefix)]

    def packs(self) -> list[str]:
        return [key for key in self.keys() if key.startswith(PACKS)]

    def check(self) -> None:
        self.clients.left = -1
        pages = self.pages()
        assert [pages.read(ref).body for ref in self.refs] == [
            response(n, 900).raw for n in range(OBJECTS * EACH)
        ]
        assert dict(pages.archived()) == self.sizes
        assert pages.files() == self.names
        with TemporaryDirectory() as folder:
            paths = pages.download(Path(folder))
            asked = Counter(request.url for path in paths for request in WarcReading(path))
        assert asked == Counter(f"http://a.test/{n}" for n in range(OBJECTS * EACH))


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    backend = MotoBackend({})
    world = World()
    monkeypatch.setattr(Joiner, "enough", 5 * max(world.sizes.values()) // 2)  # three objects
    yield world
    backend.close()


def go_on() -> bool:
    return True


def deaths(world: World, now: float) -> Iterator[tuple[bool, int]]:
    """Housekeeping that is killed at its first call, at its second … and at last is not."""
    for behind in (False, True):
        for call in count(1):
            world.clients.left, world.clients.behind = call, behind
            try:
                world.pages().join_small(now, go_on)
            except Killed:
                yield behind, call
            else:
                world.clients.left = -1
                break


def test_objects_are_joined_when_enough_wait_and_the_rest_goes_on_waiting(world: World):
    joined = world.pages().join_small(world.now, go_on)

    first, second = world.packs()
    assert joined == 6
    assert world.keys() == [*world.names, first, second]
    world.check()


def test_what_was_joined_is_deleted_a_day_later_and_not_before(world: World):
    world.pages().join_small(world.now, go_on)
    world.pages().join_small(world.now + DAY - 1, go_on)
    assert world.keys() == [*world.names, *world.packs()]

    world.pages().join_small(world.now + DAY + 1, go_on)

    assert world.keys() == [world.names[-1], *world.packs()]
    assert len(world.packs()) == 2
    world.check()


def test_what_is_deleted_can_be_read_by_a_process_that_has_read_it_before(world: World):
    early = world.pages()
    bodies = [early.read(ref).body for ref in world.refs]
    listed = list(early.archived())
    for later in (0.0, 2 * DAY):
        world.pages().join_small(world.now + later, go_on)

    assert [early.read(ref).body for ref in world.refs] == bodies
    sizes = [len(b"".join(early.file_pieces(name))) for name, _ in listed]
    assert sizes == [size for _, size in listed]


@pytest.mark.parametrize("call", range(1, 16))
@pytest.mark.parametrize("behind", [False, True])
def test_whenever_joining_is_killed_nothing_is_lost_or_listed_twice(
    world: World, call: int, behind: bool
):
    world.clients.left, world.clients.behind = call, behind
    with suppress(Killed):
        world.pages().join_small(world.now, go_on)
    world.check()

    for later in (60.0, 2 * DAY, 2 * DAY + 60):
        world.pages().join_small(world.now + later, go_on)
        world.check()
    assert world.keys() == [world.names[-1], *world.packs()]
    assert len(world.packs()) == 2


def test_the_calls_above_reach_beyond_the_end_of_joining(world: World):
    world.clients.left = 16
    world.pages().join_small(world.now, go_on)

    assert world.clients.left > 0


def test_whenever_deleting_is_killed_it_goes_on_where_it_was(world: World):
    world.pages().join_small(world.now, go_on)

    died = []
    for where in deaths(world, world.now + 2 * DAY):
        died.append(where)
        world.check()

    assert len(died) > 6
    assert world.keys() == [world.names[-1], *world.packs()]
    world.check()


def test_a_pack_without_an_item_is_not_read_and_written_again(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as patch:
        patch.setattr(Members, "publish", Mock(side_effect=Killed))
        with pytest.raises(Killed):
            world.pages().join_small(world.now, go_on)
    (orphan,) = world.packs()
    world.check()

    world.pages().join_small(world.now + 60, go_on)

    assert orphan in world.packs()
    assert len(world.packs()) == 2
    world.check()


def test_joining_stops_when_its_time_is_over_and_goes_on_later(world: World):
    turns = iter([True, False])

    assert world.pages().join_small(world.now, lambda: next(turns)) == 3
    assert len(world.packs()) == 1
    world.check()
    assert world.pages().join_small(world.now, go_on) == 3
    world.check()


def test_what_may_not_be_complete_yet_is_left_alone(world: World):
    assert world.pages().join_small(time.time(), go_on) == 0
    assert world.packs() == []


def test_what_is_large_or_of_another_home_is_left_alone(world: World):
    pages = world.pages()
    large = asyncio.run(pages.append(response(99, 20_000), FACTS)).file
    pages.adopt("00-of-another-home.warc.gz", 4, [b"more"])

    world.pages().join_small(world.now, go_on)
    world.pages().join_small(world.now + 2 * DAY, go_on)

    assert world.keys() == ["00-of-another-home.warc.gz", world.names[-1], large, *world.packs()]


def test_a_copy_that_is_resumed_takes_joined_files_for_what_they_are(world: World):
    for later in (0.0, 2 * DAY):
        world.pages().join_small(world.now + later, go_on)
    before = world.keys()

    for name, size in world.sizes.items():
        world.pages().adopt(name, size, iter(()))

    assert world.keys() == before


def test_a_reference_beyond_a_member_does_not_read_its_neighbour(world: World):
    for later in (0.0, 2 * DAY):
        world.pages().join_small(world.now + later, go_on)
    first, second = world.names[:2]
    neighbour = next(ref for ref in world.refs if ref.file == second)
    wrong = PageRef(first, world.sizes[first] + neighbour.offset, neighbour.length)

    with pytest.raises(CorruptRecord):
        world.pages().read(wrong)


def test_members_of_an_expired_pack_are_not_listed(world: World):
    for later in (0.0, 2 * DAY):
        world.pages().join_small(world.now + later, go_on)
    key = "warc/web/" + world.packs()[0]
    world.clients.call("s3", "DeleteObject", key, Bucket=BUCKET, Key=key)

    assert world.pages().files() == world.names[3:]
    with pytest.raises(CorruptRecord):
        world.pages().read(world.refs[0])


def test_a_process_asks_for_a_pack_and_for_its_members_once(world: World):
    for later in (0.0, 2 * DAY):
        world.pages().join_small(world.now + later, go_on)
    pages = world.pages()
    pages.read(world.refs[0])

    world.clients.left = 1000
    for ref in world.refs[: 3 * EACH]:
        pages.read(ref)

    assert world.clients.left == 1000


def test_groups_are_just_large_enough():
    sizes = [3, 3, 3, 9, 1, 1, 8, 2]
    waiting = iter([Member(str(n), size) for n, size in enumerate(sizes)])

    found = [[member.size for member in group] for group in groups(waiting, 8)]

    assert found == [[3, 3, 3], [9], [1, 1, 8]]


def test_a_pack_is_called_by_its_contents():
    one = [Member("20260101/a.warc.gz", 5), Member("20260101/b.warc.gz", 6)]

    assert pack_name(one) == pack_name(list(one))
    assert pack_name(one) != pack_name(one[1:])
    assert pack_name(one).startswith("packs/b-")
