"""Does a run find every key it has, and few that it has not?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gossamer.adapters.aws.founders import runs
from gossamer.core.ids import DocumentId
from gossamer.ports.content_owners import Founder

keys = st.binary(min_size=1, max_size=16)
entries = st.dictionaries(keys, st.integers(0, 2**64 - 1), max_size=300)


def founder(value):
    return Founder(DocumentId(b"%016d" % 1), value)


def run_of(found):
    return runs.written((key, [founder(found[key])]) for key in sorted(found))


@given(entries)
def test_every_key_is_in_the_block_that_the_footer_names(found):
    body, footer_at, _ = run_of(found)
    footer = runs.read_footer(body[footer_at:])

    for key, value in found.items():
        place = footer.place(key)
        assert place is not None
        offset, size = place
        assert dict(runs.read_block(body[offset : offset + size]))[key] == [founder(value)]


few = st.dictionaries(st.sampled_from([b"a", b"b", b"c"]), st.integers(0, 9))


@given(st.lists(entries | few, max_size=4))
def test_of_a_key_in_several_runs_the_newest_counts(several):
    bodies = [run_of(found) for found in several]
    newest = {key: [founder(value)] for found in several for key, value in found.items()}

    merged = list(runs.merged([runs.read_all(body, at) for body, at, _ in bodies]))

    assert merged == sorted(newest.items())


def test_few_keys_that_are_not_there_are_looked_for():
    has = [(7919 * n * 0x9E3779B97F4A7C15 % 2**64).to_bytes(8) for n in range(2, 4000, 2)]
    not_there = [(7919 * n * 0x9E3779B97F4A7C15 % 2**64).to_bytes(8) for n in range(1, 4000, 2)]
    body, footer_at, _ = run_of(dict.fromkeys(has, 1))
    footer = runs.read_footer(body[footer_at:])

    assert sum(footer.place(key) is not None for key in not_there) < len(not_there) / 50
