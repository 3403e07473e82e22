"""Do `gossamer push` and `gossamer pull` copy a collection, once and with care?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from gossamer import homes
from gossamer.batch.transfer.journal import Progress
from gossamer.core.crawl.job import JobConfig
from gossamer.core.crawl.url_record import UrlEntry, UrlRecord
from gossamer.core.crawl.url_state import State
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.entrypoints.cli.stack.transfer_journal import FileJournal
from gossamer.settings import Settings
from tests.indexing import index_home
from tests.local_home import open_local
from tests.unit.entrypoints.moto_stack import STACK, begin_job, home, result, run

if TYPE_CHECKING:
    from pathlib import Path

PAGE, WAITS = "http://a.test/", "http://a.test/waits"
pytestmark = pytest.mark.usefixtures("stack")


@pytest.fixture
def data(tmp_path: Path) -> str:
    """A folder with one page that can be found, and one that waits."""
    folder = str(tmp_path / "data")
    local = open_local(Settings(data=folder))
    local.jobs.configure("crawl", JobConfig(seeds=[PAGE]), 1.0)
    known = UrlRecord(
        id=url_id(PAGE), url=PAGE, host="a.test", state=State.PARSED, reason="document"
    )
    waits = UrlRecord(id=url_id(WAITS), url=WAITS, host="a.test")
    local.urls.load([UrlEntry(known, "crawl"), UrlEntry(waits, "crawl")])
    local.documents.put(url_id(PAGE), [Document(url=PAGE, text="spider silk")], 1.0)
    index_home(local)
    local.close()
    return folder


def found(data: str) -> list[str]:
    local = open_local(Settings(data=data), read_only=True)
    hits = homes.searcher(local).search("silk").hits
    local.close()
    return [hit.url for hit in hits]


def counts(done: dict[str, Any]) -> dict[str, int]:
    return {part["part"]: part["count"] for part in done["parts"]}


def test_a_collection_is_pushed_and_pulled_into_another_folder(capsys, data: str, tmp_path: Path):
    pushed = result(capsys, "push", "--data", data)
    there = homes.searcher(home()).search("silk").hits

    pulled = result(capsys, "pull", "--data", str(tmp_path / "copy"))

    assert counts(pushed)["documents"] == counts(pulled)["documents"] == 1
    assert counts(pushed)["urls"] == counts(pulled)["urls"] == 2
    assert counts(pushed)["index"] == counts(pulled)["index"] > 0
    assert [hit.url for hit in there] == found(str(tmp_path / "copy")) == [PAGE]
    assert (pushed["paused"], pushed["unindexed"], pushed["resumed"]) == (["crawl"], 0, False)


def test_what_it_did_is_said_in_words(capsys, data: str):
    code, out, _ = run(capsys, "--stack", STACK, "push", "--data", data)

    assert code == 0
    assert out.startswith(f"'web' pushed to {STACK} in ")
    assert "           2  urls" in out
    assert f"job 'crawl' waits there: `gossamer --stack {STACK} resume --job crawl`" in out
    assert "\r" not in out


def test_a_collection_that_is_not_empty_is_left_alone(capsys, data: str):
    result(capsys, "push", "--data", data)
    before = home().index.manifest()

    code, _, err = run(capsys, "--stack", STACK, "push", "--data", data)

    assert code == 2
    assert "not empty: 1 documents can be found there, as they were copied before" in err
    assert "--replace" in err
    assert home().index.manifest() == before


def test_with_replace_what_was_there_goes(capsys, data: str):
    begin_job()
    old = "http://old.test/"
    record = UrlRecord(id=url_id(old), url=old, host="old.test")
    home().urls.load([UrlEntry(record, "crawl")])

    result(capsys, "push", "--data", data, "--replace")

    assert {record.url for record in home().urls.all()} == {PAGE, WAITS}


def test_a_pull_with_replace_empties_the_folder(capsys, data: str, tmp_path: Path):
    result(capsys, "push", "--data", data)
    other = str(tmp_path / "other")
    local = open_local(Settings(data=other))
    local.documents.put(url_id("http://old.test/"), [Document(url="x")], 1.0)
    local.close()
    assert run(capsys, "--stack", STACK, "pull", "--data", other)[0] == 2

    result(capsys, "pull", "--data", other, "--replace")

    assert found(other) == [PAGE]
    local = open_local(Settings(data=other), read_only=True)
    assert local.documents.count() == (1, 1)
    local.close()


def test_a_copy_that_was_interrupted_goes_on(capsys, data: str, tmp_path: Path):
    result(capsys, "push", "--data", data)
    journal = FileJournal(tmp_path / "data" / "web.transfer.json", Progress)
    done = journal.load()
    assert done is not None
    done.done, done.finished = ["settings", "index"], False
    journal.save(done)

    again = result(capsys, "push", "--data", data)

    assert again["resumed"] is True
    assert "index" not in counts(again)
    assert counts(again)["documents"] == 1


def test_a_copy_begins_again_if_its_source_has_changed_since(capsys, data: str, tmp_path: Path):
    result(capsys, "push", "--data", data)
    journal = FileJournal(tmp_path / "data" / "web.transfer.json", Progress)
    done = journal.load()
    assert done is not None
    done.done, done.finished = ["settings", "index", "documents"], False
    journal.save(done)
    local = open_local(Settings(data=data))
    local.documents.put(url_id(WAITS), [Document(url=WAITS, text="more silk")], 2.0)
    index_home(local)
    local.close()

    again = result(capsys, "push", "--data", data)

    assert counts(again)["documents"] == 2
    hits = homes.searcher(home()).search("silk").hits
    assert {hit.url for hit in hits} == {PAGE, WAITS}


def test_a_copy_that_died_while_it_emptied_the_target_empties_it_again(
    capsys, data: str, tmp_path: Path
):
    result(capsys, "push", "--data", data)
    path = tmp_path / "data" / "web.transfer.json"
    done = msgspec.json.decode(path.read_bytes(), type=Progress)
    begun = Progress(source=done.source, target=done.target, what=done.what)
    FileJournal(path, Progress).save(begun)
    old = UrlRecord(id=url_id("http://old.test/"), url="http://old.test/", host="old.test")
    home().urls.load([UrlEntry(old)])

    result(capsys, "push", "--data", data)

    assert {record.url for record in home().urls.all()} == {PAGE, WAITS}


def test_only_the_index_is_copied_on_request(capsys, data: str):
    done = result(capsys, "push", "--data", data, "--what", "index")

    assert list(counts(done)) == ["settings", "index"]
    assert list(home().urls.all()) == []
    assert [hit.url for hit in homes.searcher(home()).search("silk").hits] == [PAGE]


def test_documents_that_are_not_indexed_are_told(capsys, data: str):
    local = open_local(Settings(data=data))
    local.documents.put(url_id(WAITS), [Document(url=WAITS, text="webs")], 1.0)
    local.close()

    code, out, _ = run(capsys, "--stack", STACK, "push", "--data", data)

    assert code == 0
    assert f"1 documents are not indexed: `gossamer --stack {STACK} reindex`" in out


def test_a_stack_that_is_crawling_is_not_pulled(capsys, tmp_path: Path):
    begin_job()

    code, _, err = run(capsys, "--stack", STACK, "pull", "--data", str(tmp_path / "copy"))

    assert code == 2
    assert "pause it" in err


def test_a_folder_without_a_collection_is_not_pushed(capsys, tmp_path: Path):
    code, _, err = run(capsys, "--stack", STACK, "push", "--data", str(tmp_path / "none"))

    assert code == 2
    assert "no collection in" in err
    assert not (tmp_path / "none").exists()


def test_a_damaged_journal_says_what_to_do(capsys, data: str, tmp_path: Path):
    (tmp_path / "data" / "web.transfer.json").write_text("{")

    code, _, err = run(capsys, "--stack", STACK, "push", "--data", data)

    assert code == 2
    assert "delete it to begin anew" in err


def test_without_a_stack_there_is_nothing_to_copy_to(capsys):
    code, _, err = run(capsys, "push")

    assert code == 2
    assert "needs --stack NAME" in err
