"""Can a person declare columns, see that documents must be indexed again, and search by them?"""

from __future__ import annotations

import pytest

from gossamer.core.collection import CollectionSettings
from gossamer.core.page.document import Document
from gossamer.core.page.values import Money
from gossamer.core.settings_file import read_settings
from gossamer.core.urls import url_id
from gossamer.settings import Settings
from tests.commands import complains, found, run_here, said
from tests.local_home import open_local
from tests.unit.entrypoints.moto_stack import STACK, add_document, result, run

FILE = """
[columns.brand]
type = "keyword"
facet = true
[columns.price]
type = "money"
sort = true
[fields.summary]
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "collection.toml"
    path.write_text(FILE)
    return path


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    home = open_local(Settings(data=str(folder)))
    for name, amount in (("cheap", 5.0), ("dear", 50.0)):
        document = Document(
            url=f"http://a.test/{name}",
            text=f"thing {name}",
            values={"brand": "Acme", "price": Money(amount, "EUR"), "summary": f"silk {name}"},
        )
        home.documents.put(url_id(document.url), [document], 1.0)
    home.commit()
    home.close()
    return folder


def test_a_collection_without_settings_shows_the_defaults(data):
    shown = run_here("settings", "--data", data).stdout

    assert read_settings(shown, "shown") == CollectionSettings()


def test_what_was_stored_is_shown_and_can_be_stored_again(data, file, tmp_path):
    assert said("settings", "--data", data, file)["version"] == 1
    shown = run_here("settings", "--data", data).stdout
    again = tmp_path / "again.toml"
    again.write_text(shown)

    assert read_settings(shown, "shown") == read_settings(FILE, "file")
    assert said("settings", "--data", data, again)["version"] == 2
    assert said("settings", "--data", data)["columns"]["brand"]["facet"] is True


def test_a_new_column_needs_a_reindex_and_says_so_until_then(data, file):
    said("index", "--data", data)
    stored = run_here("settings", "--data", data, file)
    indexed = run_here("index", "--data", data)

    assert "2 of 2 documents were indexed by other settings: `gossamer reindex`" in stored.stdout
    assert "2 of them were indexed by other settings" in indexed.stderr
    assert found(data, "summary:silk") == []  # (pages that declare a price have a column for it)

    said("reindex", "--data", data)

    assert found(data, "price:<10") == ["http://a.test/cheap"]
    assert found(data, "summary:silk", "--sort=-price") == [
        "http://a.test/dear",
        "http://a.test/cheap",
    ]
    assert said("index", "--data", data)["outdated"] == 0
    again = said("settings", "--data", data, file)
    assert (again["version"], again["outdated"], again["documents"]) == (2, 0, 2)
    assert again["changes"] == []


def test_a_preview_says_what_needs_a_reindex_and_stores_nothing(data, file):
    said("index", "--data", data)
    file.write_text(f"{file.read_text()}[bm25]\nrank = 1\n")

    printed = run_here("settings", "--data", data, "--preview", file).stdout
    found = said("settings", "--data", data, "--preview", file)

    assert "bm25.rank: 0.4 → 1.0, at once" in printed
    assert 'fields.summary: nothing → {"weight":1.0,' in printed
    assert printed.count("after `gossamer reindex`") == 3
    assert "2 of 2 documents would be indexed by other settings" in printed
    assert (found["version"], found["outdated"], found["is_preview"]) == (0, 2, True)
    assert said("settings", "--data", data)["version"] == 0
    assert said("settings", "--data", data, file)["changes"] == found["changes"]


def test_values_and_counts_are_printed(data, file):
    said("settings", "--data", data, file)
    said("index", "--data", data)

    printed = run_here(
        "search",
        "--data",
        data,
        "--facet",
        "brand",
        "--field",
        "price",
        "--",
        "brand:acme",
        "cheap",
    ).stdout

    assert "brand\n  Acme  1\n" in printed
    assert "price: 5 EUR" in printed


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--facet", "price", "thing"), "unknown facet 'price'; known: site, "),
        (("--sort", "brand", "thing"), "cannot sort by 'brand'; known: relevance, "),
    ],
)
def test_what_is_not_declared_for_it_is_refused_with_what_is(data, file, flags, message):
    said("settings", "--data", data, file)
    said("index", "--data", data)

    done = run_here("search", "--data", data, *flags)

    assert done.returncode == 2
    assert done.stderr.startswith(f"gossamer: {message}")


def test_a_mistake_in_the_file_changes_nothing(data, tmp_path):
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("[columns.site]\ntype = 'keyword'")

    assert "'site' is a name of Gossamer's own" in complains("settings", "--data", data, wrong)
    assert "cannot read" in complains("settings", "--data", data, tmp_path / "none.toml")
    assert said("settings", "--data", data)["version"] == 0


def test_the_settings_of_a_stack_are_shown_and_stored(capsys, stack, file):
    add_document("http://a.test/", "Silk")

    assert result(capsys, "settings", str(file))["version"] == 1
    code, shown, _ = run(capsys, "--stack", STACK, "settings")

    assert (code, read_settings(shown, "shown")) == (0, read_settings(FILE, "file"))
