"""Do all content stores keep the promises of `ports.content_owners` about founders, and all indexes
about clusters?
"""

from __future__ import annotations

import msgspec
import pytest

from gossamer import homes
from gossamer.core.fingerprint import fingerprint
from gossamer.core.ids import DocumentId
from gossamer.core.index.segments.columns import NumberColumn
from gossamer.core.page.document import Document
from gossamer.ports.content_owners import MAX_FOUNDERS, Founder
from gossamer.ports.documents import Version
from tests.indexing import index_all, writer_of

A, B, C = (Founder(DocumentId(b"%016d" % n), n) for n in (1, 2, 3))
KEYS = [b"%08d" % n for n in range(4)]


def test_founders_are_known_under_their_keys_and_no_others(backend):
    backend.home.contents.put_founders({KEYS[0]: [A, B], KEYS[1]: [A]})

    known = backend.reopen().contents.founders(KEYS)

    assert {key: sorted(founders) for key, founders in by_id(known).items()} == {
        KEYS[0]: [A.id, B.id],
        KEYS[1]: [A.id],
    }


def by_id(known):
    return {key: [founder.id for founder in founders] for key, founders in known.items()}


def test_a_key_may_be_asked_for_twice_and_none_at_all(any_home):
    any_home.contents.put_founders({KEYS[0]: [A]})

    assert any_home.contents.founders([KEYS[0], KEYS[0]]) == {KEYS[0]: [A]}
    assert any_home.contents.founders([]) == {}
    assert any_home.contents.founders([b"unknown!"]) == {}


@pytest.mark.parametrize("value", [1, 2**63 - 1, 2**63, 2**64 - 1])
def test_a_value_has_64_bits(any_home, value):
    any_home.contents.put_founders({KEYS[0]: [Founder(A.id, value)]})

    assert any_home.contents.founders(KEYS) == {KEYS[0]: [Founder(A.id, value)]}


def test_writing_again_changes_nothing(any_home):
    for _ in range(2):
        any_home.contents.put_founders({KEYS[0]: [A, B]})

    assert by_id(any_home.contents.founders(KEYS)) == {KEYS[0]: [A.id, B.id]}


def test_the_last_who_writes_a_key_wins_and_other_keys_stay(any_home):
    any_home.contents.put_founders({KEYS[0]: [A, B], KEYS[1]: [A]})

    any_home.contents.put_founders({KEYS[0]: [C]})

    assert any_home.contents.founders(KEYS) == {KEYS[0]: [C], KEYS[1]: [A]}


def test_a_key_without_founders_is_forgotten(any_home):
    any_home.contents.put_founders({KEYS[0]: [A], KEYS[1]: [A]})

    any_home.contents.put_founders({KEYS[0]: []})

    assert any_home.contents.founders(KEYS) == {KEYS[1]: [A]}


def test_a_key_takes_a_few_founders(any_home):
    many = [Founder(DocumentId(b"%016d" % n), n) for n in range(MAX_FOUNDERS + 3)]

    any_home.contents.put_founders({KEYS[0]: many})

    assert any_home.contents.founders(KEYS) == {KEYS[0]: many[:MAX_FOUNDERS]}


def test_founders_and_owners_do_not_meet(any_home):
    key = fingerprint(b"hello")[:8]
    any_home.contents.put_founders({key: [A]})

    owner = any_home.contents.own(key, "http://a.test/")

    assert owner == "http://a.test/"
    assert any_home.contents.founders([key]) == {key: [A]}


@pytest.mark.only("moto")
def test_the_founders_of_a_batch_cost_one_object_and_one_write_unit(any_home):
    batch = {b"%08d" % n: [A, B, C] for n in range(400)}
    any_home.contents.founders([b"unknown!"])
    any_home.meter.reset()

    any_home.contents.put_founders(batch)
    written = dict(any_home.meter.totals())
    any_home.meter.reset()
    any_home.contents.founders(list(batch))
    read = dict(any_home.meter.totals())
    any_home.meter.reset()
    any_home.contents.founders([b"new%05d" % n for n in range(400)])
    in_vain = dict(any_home.meter.totals())

    # The manifest is read before it is replaced, and once more to see what could be merged.
    assert written == {"wru": 1, "wru_index": 1, "rru": 2, "s3put": 1}
    assert read == {"rru": 1, "s3get": 2}  # the footer, then all blocks at once
    assert in_vain == {"rru": 1}


@pytest.mark.parametrize("cluster", [0, 1, 2**63, 2**64 - 1])
def test_an_indexed_page_has_its_cluster(backend, cluster):
    index_all(writer_of(backend.home.index), [PAGE], clusters={PAGE.id: cluster})
    backend.home.commit()

    assert clusters_in(backend.reopen()) == [cluster]


def test_a_new_version_may_be_in_another_cluster(any_home):
    index_all(writer_of(any_home.index), [PAGE], clusters={PAGE.id: 5})
    newer = msgspec.structs.replace(PAGE, fetched_at=200.0)

    index_all(writer_of(any_home.index), [newer], clusters={PAGE.id: 2**64 - 5})

    assert clusters_in(any_home) == [2**64 - 5]


PAGE = Version(DocumentId(b"%016d" % 7), 100.0, Document(url="http://a.test/", text="silk"))


def number_column(part) -> NumberColumn:
    column = part.view.column("cluster")
    assert isinstance(column, NumberColumn)
    return column


def clusters_in(home) -> list[int]:
    """Of all live documents."""
    parts = homes.searcher(home).snapshot().parts
    columns = [number_column(part).values[part.live] for part in parts]
    return [value % 2**64 for values in columns for value in values.tolist()]
