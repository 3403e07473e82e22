"""The cache of what was read and derived."""

from hypothesis import given
from hypothesis import strategies as st

from gossamer.search.memory import ENTRY_BYTES, Memory

VALUE_BYTES = 1000 - ENTRY_BYTES


def test_a_derived_value_outlives_lists_that_are_read_once():
    memory = Memory(100_000)
    memory.put("phrase", "documents", VALUE_BYTES, is_derived=True)

    for number in range(1_000):
        memory.put(("layer", number), "postings", VALUE_BYTES)

    assert memory.get("phrase") == "documents"
    assert memory.get(("layer", 999)) == "postings"
    assert memory.get(("layer", 0)) is None


def test_the_value_that_was_used_last_stays():
    memory = Memory(4_000)
    for key in "abcd":
        memory.put(key, key.upper(), VALUE_BYTES)
    assert memory.get("a") == "A"

    memory.put("e", "E", VALUE_BYTES)

    assert [memory.get(key) for key in "abcde"] == ["A", None, "C", "D", "E"]


def test_derived_values_leave_room_for_lists():
    memory = Memory(10_000)
    memory.put("layer", "postings", VALUE_BYTES)

    for number in range(100):
        memory.put(("phrase", number), "documents", VALUE_BYTES, is_derived=True)

    assert memory.get("layer") == "postings"
    assert memory.get(("phrase", 99)) == "documents"


def test_a_value_that_is_too_large_is_not_stored():
    memory = Memory(10_000)
    memory.put("small", "value", VALUE_BYTES)

    assert memory.recall("large", lambda: "list", lambda _: 9_000) == "list"

    assert memory.get("large") is None
    assert memory.get("small") == "value"


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2_000), st.booleans())))
def test_all_values_together_stay_within_the_limit(puts):
    max_bytes = 10_000
    memory = Memory(max_bytes)
    sizes = {}
    for key, size, is_derived in puts:
        memory.put((key, is_derived), size, size, is_derived=is_derived)
        sizes[key, is_derived] = size + ENTRY_BYTES

    stored = [size for key, size in sizes.items() if memory.get(key) is not None]
    assert sum(stored) <= max_bytes
