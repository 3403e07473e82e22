"""Does `gossamer tune` show what settings would change, and change nothing unless it is told to?"""

from __future__ import annotations

import json

import pytest

from tests.commands import complains, run_here, said

PAGES = [
    ("a", "silk silk silk web", 1),
    ("b", "silk silk steel web", 5),
    ("c", "silk steel steel web", 900),
    ("d", "steel", 0),
]


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "judged"
    folder.mkdir()
    rows = [
        {"_id": id, "title": f"Page {id}", "text": text, "metadata": {"votes": votes}}
        for id, text, votes in PAGES
    ]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    settings = tmp_path / "collection.toml"
    settings.write_text("[columns.votes]\ntype = 'number'\n")
    said("settings", "--data", tmp_path / "data", settings)
    said("index", "--data", tmp_path / "data", folder)
    return tmp_path / "data"


def test_results_are_shown_before_and_after_with_their_moves(data):
    found = said("tune", "--data", data, "--set", "formula=votes / 10", "--", "silk")

    assert [row["url"] for row in found["before"]] == ["beir:a", "beir:b", "beir:c"]
    moves = [(row["url"], row["move"], row["before"]) for row in found["after"]]
    assert moves == [("beir:c", "up", 3), ("beir:b", "same", 2), ("beir:a", "down", 1)]
    assert "the formula decides" in found["notes"][0]
    assert found["saved"] is None
    assert said("settings", "--data", data)["formula"] == ""


def test_a_formula_that_stays_below_the_words_is_not_warned_of(data):
    found = said("tune", "--data", data, "--set", "formula=saturation(votes, 20) / 100", "silk")

    assert found["notes"] == []


def test_what_is_new_and_what_is_gone_is_said(data):
    done = run_here(
        "tune", "--data", data, "--set", 'results.silk.pinned=["beir:d"]',
        "--set", 'results.silk.hidden=["beir:a"]', "--", "silk",
    )  # fmt: skip

    lines = done.stdout.splitlines()
    assert done.returncode == 0
    assert lines[1].startswith(" 1. Page a")
    assert "gone" in lines[1]
    assert lines[1].endswith(" new")
    assert lines[2].endswith(" =")


def test_settings_are_stored_only_if_that_is_said(data):
    saved = said("tune", "--data", data, "--save", "--set", "words.web=2", "--set", "words.silk=-1",
                 "--", "silk")["saved"]  # fmt: skip

    settings = said("settings", "--data", data)
    assert (saved["version"], saved["outdated"], saved["documents"]) == (2, 0, 4)
    assert settings["words"] == {"web": 2.0, "silk": -1.0}
    assert settings["columns"].keys() == {"votes"}
    said("tune", "--data", data, "--save", "--set", "words.silk=3", "--", "silk")
    assert said("settings", "--data", data)["words"] == {"web": 2.0, "silk": 3.0}


def ranked(hits):
    return [(hit["url"], pytest.approx(hit["score"], abs=2e-4)) for hit in hits]


@pytest.mark.parametrize(
    "changes",
    [
        ["weights.k1=0.5"],
        ["weights.k1=20", "weights.body.b=1", "weights.body.pivot=3"],
        ["weights.title.weight=20", "weights.body.weight=0.2"],
        ["weights.body.b=0", "words.web=2", "formula=saturation(votes, 20)"],
    ],
)
@pytest.mark.parametrize("query", ["silk", "silk steel", "page b", '"silk web"', "si*"])
def test_other_weights_are_shown_as_a_new_index_has_them(data, changes, query):
    named = [part for change in changes for part in ("--set", change)]
    found = said("tune", "--data", data, "--save", *named, "--", query)

    said("reindex", "--data", data)
    made = said("search", "--data", data, "--", query)["hits"]

    assert [(hit["url"], hit["score"]) for hit in found["after"]] == ranked(made)
    assert "weights." in found["notes"][0]
    assert "gossamer reindex" in found["notes"][0]


@pytest.mark.parametrize(
    "change",
    ["analyzer.stem=false", "columns.price.type=money", "typos.q=2", "analyzer.smallest_word=5"],
)
def test_what_only_a_new_index_can_show_is_named_and_left_out(data, change):
    found = said("tune", "--data", data, "--set", change, "--set", "words.web=1", "--", "silk")
    without = said("tune", "--data", data, "--set", "words.web=1", "--", "silk")

    assert found["after"] == without["after"]
    assert found["notes"][0].startswith(change.partition("=")[0].removesuffix(".type"))
    assert "not shown here" in found["notes"][0]


def test_what_has_no_part_in_a_preview_is_named(data):
    found = said("tune", "--data", data, "--set", "typos.on=false", "--", "silk")
    same = said("tune", "--data", data, "--set", "profile=bm25", "--", "silk")

    assert found["notes"] == [
        "typos.on is not shown: a preview corrects no spelling and counts no query"
    ]
    assert same["notes"] == ["the collection has these settings already"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("formula", "write NAME=VALUE"),
        ("formla=1", "unknown key 'formla'; did you mean 'formula'?"),
        ("formula=votes +", "formula, column 8: the formula ends where"),
        ("bm25.rank=much", "Expected `float`"),
        ("a b=1", "'a b' is no name of a setting"),
    ],
)
def test_a_mistake_is_told(data, change, message):
    assert message in complains("tune", "--data", data, "--set", change, "--", "silk")


def test_without_a_setting_there_is_nothing_to_preview(data):
    assert "name a setting" in complains("tune", "--data", data, "silk")
