"""Do columns stand beneath each other, whatever is in them?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.entrypoints.tables.aligned import WIDEST, aligned

if TYPE_CHECKING:
    from gossamer.core.search.result_table import Row


def test_numbers_stand_to_the_right_and_texts_to_the_left():
    rows: list[Row] = [{"title": "Loom", "price": 120.5}, {"title": "Warping mill", "price": 9}]

    assert list(aligned(rows, ["title", "price"])) == [
        "title         price",
        "Loom          120.5",
        "Warping mill      9",
    ]


def test_characters_of_two_places_count_twice():
    rows: list[Row] = [{"title": "絹", "brand": "a"}, {"title": "silk", "brand": "b"}]

    assert [line.rstrip() for line in aligned(rows, ["title", "brand"])] == [
        "title  brand",
        "絹     a",
        "silk   b",
    ]


def test_what_is_long_is_cut_and_control_characters_are_none():
    [_, line] = aligned([{"title": "x" * 100 + "\x1b[31m"}], ["title"])
    assert line == "x" * (WIDEST - 1) + "…"

    [_, line] = aligned([{"title": "a\x1b[31mb\nc"}], ["title"])
    assert line == "a [31mb c"
