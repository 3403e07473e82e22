"""Can a person store synonyms, find by them, see them and import others?"""

from __future__ import annotations

import pytest

from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.settings import Settings
from tests.commands import complains, found, run_here, said
from tests.local_home import open_local
from tests.unit.entrypoints.moto_stack import result

RULES = "# mine\ncar, automobile\n"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "synonyms.txt"
    path.write_text(RULES)
    return path


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    home = open_local(Settings(data=str(folder)))
    document = Document(url="http://a.test/old", text="an old automobile")
    home.documents.put(url_id(document.url), [document], 1.0)
    home.commit()
    home.close()
    said("index", "--data", folder)
    return folder


def test_synonyms_that_are_stored_find_pages_without_indexing_anew(data, file):
    assert found(data, "car") == []

    assert said("synonyms", "--data", data, file) == {"version": 1, "rules": 1}

    assert found(data, "car") == ["http://a.test/old"]
    assert said("synonyms", "--data", data) == {"weight": 0.7, "rules": ["car, automobile"]}
    assert run_here("synonyms", "--data", data).stdout == RULES
    assert said("index", "--data", data)["outdated"] == 0


def test_they_stay_when_other_settings_are_stored_and_go_with_an_empty_file(data, file, tmp_path):
    said("synonyms", "--data", data, file)
    settings, empty = tmp_path / "collection.toml", tmp_path / "empty.txt"
    settings.write_text("synonym_weight = 0.5\n")
    empty.write_text("# none\n")

    said("settings", "--data", data, settings)
    assert said("synonyms", "--data", data)["weight"] == 0.5
    assert found(data, "car") == ["http://a.test/old"]
    assert "synonyms" not in run_here("settings", "--data", data).stdout

    said("synonyms", "--data", data, empty)
    assert found(data, "car") == []
    assert run_here("synonyms", "--data", data).stdout == "\n"


def test_the_explanation_names_the_synonym_and_its_weight(data, file):
    said("synonyms", "--data", data, file)

    printed = run_here("search", "--data", data, "--explain", "--", "car").stdout

    assert "automobile, in place of car × 0.7 (in 1 document" in printed
    assert "note: synonyms of car are searched too: automobile" in printed


def test_those_of_a_stack_are_shown_and_stored(capsys, stack, file):
    assert result(capsys, "synonyms")["rules"] == []

    assert result(capsys, "synonyms", str(file)) == {"version": 1, "rules": 1}

    assert result(capsys, "synonyms")["rules"] == ["car, automobile"]


def test_a_bad_list_changes_nothing_and_says_where(data, file, tmp_path):
    said("synonyms", "--data", data, file)
    bad = tmp_path / "bad.txt"
    bad.write_text("a, b\nalone\n")

    assert "bad.txt, line 2: a rule needs two words" in complains("synonyms", "--data", data, bad)
    assert found(data, "car") == ["http://a.test/old"]
    assert "cannot read" in complains("synonyms", "--data", data, tmp_path / "none")
    assert "one list" in complains("synonyms", "--data", data, bad, bad)
    bad.write_bytes(b"\xff, b\n")
    assert "not UTF-8" in complains("synonyms", "--data", data, bad)


def test_an_import_is_printed_and_can_be_stored(data, tmp_path):
    thesaurus, rules = tmp_path / "th_en.dat", tmp_path / "rules.txt"
    thesaurus.write_text("UTF-8\ncar|1\n(noun)|automobile|machine (generic term)\n")

    rules.write_text(run_here("synonyms", "import", thesaurus).stdout)

    assert rules.read_text() == "car => automobile\n"
    assert found(data, "car") == []
    said("synonyms", "--data", data, rules)
    assert found(data, "car") == ["http://a.test/old"]
    assert "needs a file" in complains("synonyms", "import")
    assert "not a list of synonyms that is known" in complains("synonyms", "import", rules)
