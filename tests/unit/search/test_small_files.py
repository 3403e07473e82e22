"""Small segments are read once and then answered from memory; large ones are read by ranges."""

from __future__ import annotations

from gossamer.core.index.segments.layout import Range
from gossamer.core.index.segments.manifest import SegmentInfo
from gossamer.search.small_files import MOST_LISTS, SMALL, SmallFiles

SIZES = {"a": 100, "b": 50, "large": SMALL + 1}


class Store:
    """Files that say what was read of them."""

    def __init__(self) -> None:
        self.asked: list[list[Range]] = []

    def read(self, ranges):
        self.asked.append(list(ranges))
        return [bytes([name.encode()[0]]) * size for name, _, size in ranges]


def infos(*names: str) -> list[SegmentInfo]:
    return [SegmentInfo(name=name, size=SIZES[name], documents=1, live=1) for name in names]


def test_small_files_are_read_whole_once_and_large_ones_never():
    store = Store()
    files = SmallFiles(store.read)

    files.hold(infos("a", "large"))
    files.hold(infos("a", "b", "large"))
    files.hold(infos("a", "b", "large"))

    assert store.asked == [[Range("a", 0, 100)], [Range("b", 0, 50)]]


def test_ranges_come_in_the_order_in_which_they_are_asked_for():
    store = Store()
    files = SmallFiles(store.read)
    files.hold(infos("a", "b"))
    store.asked.clear()

    found = files.read([Range("large", 3, 2), Range("a", 90, 20), Range("large", 9, 1)])

    assert [bytes(data) for data in found] == [b"ll", b"a" * 10, b"l"]
    assert store.asked == [[Range("large", 3, 2), Range("large", 9, 1)]]


def test_what_is_known_is_not_asked_for():
    store = Store()
    files = SmallFiles(store.read)
    files.hold(infos("a"))
    store.asked.clear()

    assert [bytes(data) for data in files.read([Range("a", 0, 3)])] == [b"aaa"]
    assert store.asked == []


def test_files_that_no_manifest_names_any_more_are_forgotten():
    store = Store()
    files = SmallFiles(store.read)
    files.hold(infos("a", "b"))
    files.hold(infos("b"))
    store.asked.clear()

    files.read([Range("a", 0, 1)])

    assert store.asked == [[Range("a", 0, 1)]]


def test_lists_that_are_held_are_read_once_and_answer_what_lies_in_them():
    store = Store()
    files = SmallFiles(store.read)
    lists = {"large": [Range("large", 100, 50), Range("large", 400, 20)]}

    files.hold_lists(lists)
    files.hold_lists(lists)
    found = files.read([Range("large", 110, 5), Range("large", 145, 10), Range("large", 400, 20)])

    assert [len(data) for data in found] == [5, 10, 20]
    assert store.asked == [lists["large"], [Range("large", 145, 10)]]
    assert files.at_hand(Range("large", 149, 1)) is not None
    assert files.at_hand(Range("large", 149, 2)) is None
    assert files.at_hand(Range("large", 99, 2)) is None


def test_lists_that_are_not_wanted_any_more_or_too_long_are_not_held():
    store = Store()
    files = SmallFiles(store.read)

    files.hold_lists({"large": [Range("large", 0, MOST_LISTS), Range("large", MOST_LISTS, 1)]})
    assert store.asked == []
    files.hold_lists({"large": [Range("large", 0, MOST_LISTS)]})
    files.hold_lists({})

    assert files.at_hand(Range("large", 0, 1)) is None
