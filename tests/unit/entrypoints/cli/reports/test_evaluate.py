"""Does `gossamer eval` measure judged collections, and name what it cannot read?"""

from __future__ import annotations

import json

import pytest

from tests.commands import complains, judged_folder, run_here, said

MEASURES = {"ndcg@10", "map", "p@5", "r-precision", "mrr", "recall@100", "queries_per_second"}


def test_a_judged_collection_is_measured(tmp_path):
    scores = said("eval", judged_folder(tmp_path / "judged"))

    assert scores.keys() >= MEASURES
    assert scores["queries_per_second"] > 0
    assert (scores["ndcg@10"], scores["map"], scores["mrr"], scores["recall@100"]) == (1, 1, 1, 1)
    assert scores["p@5"] == pytest.approx(0.2)


def test_several_collections_are_measured_by_name(tmp_path):
    folders = [judged_folder(tmp_path / name) for name in ("one", "two")]

    scores = said("eval", *folders)

    assert scores.keys() >= {"one", "two"}
    assert scores["one"].keys() >= MEASURES
    assert "ndcg@10" in run_here("eval", *folders).stdout


def test_a_collection_is_named_by_its_folder_however_that_is_said(tmp_path):
    folder = judged_folder(tmp_path / "judged")
    (folder / "qrels").mkdir()
    (tmp_path / "a.toml").write_text("")
    here, both = folder / "qrels" / "..", (tmp_path / "a.toml", tmp_path / "a.toml")

    assert "judged" in run_here("eval", here).stdout
    assert run_here("eval", here, "--compare", *both).stdout.startswith("judged: ")


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels.tsv"])
def test_a_judged_collection_that_lacks_a_file_is_refused(tmp_path, name):
    folder = judged_folder(tmp_path / "judged")
    (folder / name).unlink()

    said = complains("eval", folder)

    assert said == f"gossamer: cannot read {folder / name}: No such file or directory\n"


@pytest.mark.parametrize("name", ["queries.jsonl", "qrels.tsv"])
def test_judgements_that_cannot_be_read_are_named(tmp_path, name):
    folder = judged_folder(tmp_path / "judged")
    (folder / name).write_text("what is this\n")

    assert name in complains("eval", folder)


def test_judgements_where_beir_has_them_are_read(tmp_path):
    folder = judged_folder(tmp_path / "judged")
    (folder / "qrels").mkdir()
    (folder / "qrels.tsv").rename(folder / "qrels" / "test.tsv")

    assert said("eval", folder)["ndcg@10"] == 1


def test_two_settings_are_compared_query_by_query(tmp_path):
    folder = judged_folder(tmp_path / "judged")
    other = {"_id": "d3", "text": "Steel is no web.", "metadata": {"x": 9}}
    with (folder / "corpus.jsonl").open("a") as corpus:
        corpus.write(json.dumps(other) + "\n")
    (tmp_path / "a.toml").write_text("")
    (tmp_path / "b.toml").write_text("formula = '9 * x'\ncolumns.x.type = 'number'")
    files = tmp_path / "a.toml", tmp_path / "b.toml"

    found = said("eval", folder, "--compare", *files)

    assert (found["first"], found["second"], found["queries"]) == ("a.toml", "b.toml", 2)
    assert found["measures"].keys() == {"ndcg@10", "map", "p@5", "r-precision"}
    assert found["measures"]["map"]["first"] == 1.0
    assert found["measures"]["map"]["second"] < 1.0
    assert found["winners"] == []
    assert [each["id"] for each in found["losers"]] == ["2"]
    assert found["losers"][0]["text"] == 'an "orb) web'
    shown = run_here("eval", folder, "--compare", *files).stdout
    assert "lost  1.000 -> " in shown
    assert "2 queries, a.toml and b.toml" in shown


def test_answers_are_measured_and_on_request_the_ranking_alone(tmp_path):
    folder = judged_folder(tmp_path / "judged")
    queries = folder / "queries.jsonl"
    entries = [json.loads(line) for line in queries.read_text().splitlines()]
    elsewhere = [entry | {"text": f"{entry['text']} lang:xx"} for entry in entries]
    queries.write_text("\n".join(map(json.dumps, elsewhere)))

    assert said("eval", folder)["ndcg@10"] < 1
    assert said("eval", folder, "--ranking")["ndcg@10"] == 1
