"""Is every mistake in settings named with its place?"""

from __future__ import annotations

from typing import Any

import pytest

from gossamer.core.collection import CollectionSettings
from gossamer.core.errors import SettingError
from gossamer.core.index.declared import Column
from gossamer.core.settings_file import (
    changed,
    dotted,
    line_of,
    over,
    read_settings,
    read_table,
    to_tables,
    to_toml,
)

FULL = CollectionSettings(
    columns={"price": Column(type="money", sort=True), "brand": Column(type="keyword")},
    words={"freiburg": 5.0, "a b": 1.0},
    formula="saturation(price, 4)",
)


def names_of(table, path=()):
    for key, value in table.items():
        if isinstance(value, dict):
            yield from names_of(value, (*path, key))
        else:
            yield (*path, key)


@pytest.mark.parametrize("name", [*names_of(to_tables(FULL))], ids=dotted)
def test_the_line_of_a_setting_is_where_it_is_written(name):
    text = to_toml(FULL)
    line = line_of(text, name)

    assert line is not None
    key, _, value = text.split("\n")[line - 1].partition("=")
    expected: Any = to_tables(FULL)
    for part in name:
        expected = expected[part]
    assert read_table(f"x = {value}") == {"x": expected}
    assert read_table(f"{key} = 0").popitem()[0] == name[-1]


@pytest.mark.parametrize(
    ("text", "key", "line"),
    [
        ("profile = 'bm25'\nk = 1", ("k",), 2),
        ("[weights]\nk1 = 2\nbody.b = 7", ("weights", "body", "b"), 3),
        ("[bm25]\nrank = 0.4\ntext = -1", ("bm25", "text"), 3),
        ("\n[columns.price]\nsort = true", ("columns", "price"), 2),
        ("[columns.price]\ntype = 'money'\nsort = 3", ("columns", "price", "sort"), 3),
        ("[words]\na = 1\n'b c' = 1001", ("words", "b c"), 3),
        ("[words]\na = 1\n[columns.Price]\ntype = 'bool'", ("columns", "Price"), 3),
        ("stop_list = [\n'a',\n'']", ("stop_list",), 1),
        ("[analyzer]\nstem = true\nlanguage = 'xx'", ("analyzer", "language"), 3),
        ("typos.q = 9", ("typos", "q"), 1),
        ("[results.jobs]\npinned = ['x', 'x']", ("results", "jobs"), 1),
        ("\n\nformula = 'log(1'", ("formula",), 3),
    ],
)
def test_a_value_that_cannot_be_is_named_with_its_line(text, key, line):
    with pytest.raises(SettingError) as raised:
        read_settings(text, "collection.toml")

    assert raised.value.key == key
    assert raised.value.line == line
    assert str(raised.value).startswith("collection.toml: ")
    assert f"at line {line}" in str(raised.value)


def test_a_formula_that_cannot_be_read_is_named_with_its_character():
    with pytest.raises(SettingError, match="column 5") as raised:
        read_settings('formula = "1 + nowhere"', "collection.toml")

    assert raised.value.position == 4


def test_what_is_no_toml_is_named_with_line_and_column():
    with pytest.raises(SettingError, match="not TOML") as raised:
        read_settings("profile = 'bm25'\n[words\n", "collection.toml")

    assert (raised.value.line, raised.value.column) == (2, 7)


@pytest.mark.parametrize("text", ["[" * 100_000, "a = " + "[" * 100_000, "a." * 10_000 + "b = 1"])
def test_deep_nesting_is_refused(text):
    with pytest.raises(SettingError):
        read_settings(text, "collection.toml")


def test_a_change_keeps_the_order_of_what_it_changes():
    fields = {"one": {"weight": 1.0}, "two": {"weight": 1.0}}

    after: Any = over({"fields": fields}, {"fields": {"one": {"weight": 2.0}}})

    assert [*after["fields"]] == [*fields]


def test_null_takes_an_entry_away():
    after = over(to_tables(FULL), {"words": {"freiburg": None}, "formula": None})

    assert after["words"] == {"a b": 1.0}
    assert "formula" not in after


def test_a_change_on_the_command_line_is_refused_with_its_name():
    with pytest.raises(SettingError, match=r"--set: .*bm25\.rank") as raised:
        changed(FULL, ["bm25.rank=-1"])

    assert raised.value.key == ("bm25", "rank")
