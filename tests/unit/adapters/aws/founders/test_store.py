"""Do founders survive merges, races and deletions of their files?"""

from __future__ import annotations

from random import Random

import pytest

from gossamer.adapters.aws.founders import store as founder_store
from gossamer.adapters.aws.founders.store import KEPT, FounderRuns
from gossamer.core.ids import DocumentId
from gossamer.core.near_duplicates import runs
from gossamer.core.near_duplicates.runs import FAN, mergeable
from gossamer.ports.content_owners import Founder

KEYS = [b"%08d" % n for n in range(40)]


def founder(value):
    return Founder(DocumentId(b"%016d" % value), value)


@pytest.fixture
def clock():
    return [1000.0]


@pytest.fixture
def opened(home, clock):
    home.clients.call("s3", "CreateBucket", "bucket", Bucket=home.bucket)
    return lambda: FounderRuns(
        home.clients, home.stack, home.collection, home.bucket, lambda: clock[0]
    )


def files(home):
    return list(home.clients.objects(home.bucket, "similar/"))


def test_what_is_read_is_what_was_written_last_however_runs_were_merged(opened, monkeypatch):
    monkeypatch.setattr(runs, "FAN", 3)
    random = Random(5)
    expected: dict[bytes, list[Founder]] = {}
    writers = [opened(), opened()]

    for number in range(30):
        some = random.sample(KEYS, 7)
        change = {key: [founder(number)] if random.random() < 0.8 else [] for key in some}
        random.choice(writers).put(change)
        expected |= change
        known = {key: found for key, found in expected.items() if found}
        assert random.choice(writers).founders(KEYS) == known

    assert dict(opened().entries()) == known
    behind = [key for key, _ in opened().entries(KEYS[20])]
    assert behind == sorted(key for key in known if key > KEYS[20])


def test_runs_stay_few(opened):
    founders = opened()
    for number in range(3 * FAN):
        founders.put({KEYS[number % 40]: [founder(number)]})

    assert len(founders._manifest()[1].runs) < FAN


def test_what_another_writes_in_between_is_not_lost(opened, monkeypatch):
    first, second = opened(), opened()
    publish = first._publish

    def late(version, manifest):
        monkeypatch.setattr(first, "_publish", publish)
        second.put({KEYS[1]: [founder(2)]})
        return publish(version, manifest)

    monkeypatch.setattr(first, "_publish", late)
    first.put({KEYS[0]: [founder(1)]})

    assert opened().founders(KEYS) == {KEYS[0]: [founder(1)], KEYS[1]: [founder(2)]}


def test_a_merged_run_is_there_for_an_hour_and_then_deleted(home, opened, clock):
    founders = opened()
    for number in range(FAN):
        founders.put({KEYS[number]: [founder(number)]})
    (kept,) = founders._manifest()[1].runs
    merged = [name for name in files(home) if not name.endswith(kept.name)]
    clock[0] += KEPT + 1.0

    for number in range(FAN):
        founders.put({KEYS[number]: [founder(number)]})

    assert len(merged) == FAN
    assert set(files(home)) & set(merged) == set()
    assert founders.founders(KEYS[:1]) == {KEYS[0]: [founder(0)]}


@pytest.mark.parametrize(
    ("counts", "first"),
    [
        ([], None),
        ([5] * (FAN - 1), None),
        ([5] * FAN, 0),
        ([400] + [5] * FAN, 1),
        ([5] * 3 + [400] + [5] * (FAN - 1), 0),
        ([founder_store.LARGEST] * FAN, None),
    ],
)
def test_runs_of_a_size_are_merged_with_the_smaller_ones_behind_them(counts, first):
    assert mergeable(counts, founder_store.LARGEST) == first
