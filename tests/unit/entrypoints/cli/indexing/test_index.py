"""Does `gossamer index` take documents from anywhere, and name what it cannot read?"""

from __future__ import annotations

import pytest

from tests.commands import complains, found, judged_folder, run_here, said


def test_a_judged_collection_is_indexed_from_its_folder(tmp_path):
    folder, data = judged_folder(tmp_path / "judged"), tmp_path / "data"

    done = said("index", "--data", data, folder)
    again = said("index", "--data", data, folder)

    assert (done["indexed"], again["indexed"]) == (3, 0)
    assert found(data, "steel") == ["beir:d2", "beir:d3"]
    assert found(data, "title:silk") == ["beir:d2"]


def test_a_judged_collection_that_changed_is_indexed_again(tmp_path):
    folder, data = judged_folder(tmp_path / "judged"), tmp_path / "data"
    said("index", "--data", data, folder)
    (folder / "corpus.jsonl").write_text(
        '{"_id": "d1", "title": "Funnel", "text": "A funnel web"}\n'
    )

    assert said("index", "--data", data, folder)["documents"] == 3

    assert found(data, "funnel") == ["beir:d1"]
    assert found(data, "orb") == []


@pytest.mark.parametrize(
    "line", ["no json", '{"text": "no id"}', '["list"]', '{"_id": 1, "text": 2}']
)
def test_a_corpus_that_cannot_be_read_is_named(tmp_path, line):
    folder = judged_folder(tmp_path / "judged")
    with (folder / "corpus.jsonl").open("a") as corpus:
        corpus.write(line + "\n")

    assert "corpus.jsonl" in complains("index", "--data", tmp_path / "data", folder)


def test_a_folder_without_a_corpus_is_one_of_files(tmp_path):
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.txt").write_text("Silk.")
    data = tmp_path / "data"

    done = run_here("index", "--data", data, tmp_path / "files")

    assert done.stdout.startswith("1 document indexed in ")
    assert found(data, "silk") == [(tmp_path / "files" / "a.txt").as_uri()]


def test_people_are_told_how_large_the_index_is(tmp_path):
    done = run_here("index", "--data", tmp_path / "data", judged_folder(tmp_path / "judged"))

    assert done.stdout.startswith("3 documents indexed in ")
    assert "; the index holds 3 in " in done.stdout
