"""Does `gossamer --stack NAME restore` bring a collection back, and nothing else?"""

from __future__ import annotations

import time
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.dynamodb.models import DynamoDBBackend, dynamodb_backends

from gossamer import homes
from gossamer.adapters.aws.stack import backups
from gossamer.adapters.aws.stack.backups import RECOVERABLE, AwsBackups
from gossamer.core.crawl.url_record import PageRef
from gossamer.core.crawl.url_state import State
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.entrypoints.cli.command import iso_time
from gossamer.entrypoints.cli.stack.home import open_stack
from gossamer.entrypoints.cli.stack.transfer_journal import FileJournal
from gossamer.messages import Candidate, CrawlRequest, Emission, PageFetched, decode
from tests.indexing import index_home
from tests.unit.entrypoints.moto_stack import (
    STACK,
    add_document,
    add_url,
    begin_job,
    home,
    job,
    result,
    run,
)

if TYPE_CHECKING:
    from pathlib import Path

PAGE, OTHER, WAITS = "http://a.test/", "http://a.test/2", "http://a.test/waits"
STORED = {"page": PageRef("1.warc.gz", 0, 10), "fetched_at": 100.0, "md5": b"m" * 16}


class Past:
    """What moto lacks: tables as they were. It would restore them as they are."""

    def __init__(self) -> None:
        self.items: dict[str, Any] = {}
        self.at = 0.0

    @property
    def tables(self) -> dict[str, Any]:
        return dynamodb_backends[DEFAULT_ACCOUNT_ID]["us-east-1"].tables

    def keep(self) -> str:
        """Remember how everything is; returns when."""
        for name in RECOVERABLE:
            table = self.tables[f"{STACK}-{name}"]
            self.items[table.name] = deepcopy(table.items)
            table.continuous_backups["PointInTimeRecoveryDescription"] = {
                "PointInTimeRecoveryStatus": "ENABLED",
                "EarliestRestorableDateTime": time.time() - 1000,
                "LatestRestorableDateTime": time.time() + 1000,
            }
        self.at = float(int(time.time()))
        return iso_time(self.at)


@pytest.fixture
def past(stack, monkeypatch, tmp_path: Path) -> Past:
    kept = Past()
    as_now = DynamoDBBackend.restore_table_to_point_in_time

    def as_then(backend: Any, target_table_name: str, source_table_name: str) -> Any:
        made = as_now(backend, target_table_name, source_table_name)
        made.items = deepcopy(kept.items[source_table_name])
        return made

    monkeypatch.setattr(DynamoDBBackend, "restore_table_to_point_in_time", as_then)
    monkeypatch.setenv("GOSSAMER_DATA", str(tmp_path / "data"))
    return kept


@pytest.fixture
def crawled(past: Past) -> Past:
    """A paused job with a page that can be found, one that was not read, and one that waits."""
    begin_job()
    add_url(PAGE, State.PARSED, "document", **STORED)
    add_url(OTHER, State.FETCHED, "", **STORED | {"md5": b"n" * 16})
    add_url(WAITS)
    add_document(PAGE, "Silk")
    index_home(home())
    home().jobs.set_state("crawl", "paused")
    return past


def damage(*names: str) -> None:
    """Delete all items of some tables."""
    opened = home()
    for name in names:
        table = opened.backups._live(name)
        for _, raws in table.raw_pages():
            table.write_raw(deletes=raws)


def ledger() -> dict[str, tuple[str, str]]:
    return {r.url: (r.state.value, r.reason) for r in home().urls.all()}


def sent(stream: Any) -> list[Any]:
    return [decode(d.body) for d in home().queues.receive(stream, 10, time.time())]


def test_what_was_deleted_comes_back_and_can_be_found(capsys, crawled: Past):
    before, at = ledger(), crawled.keep()
    damage(*RECOVERABLE)
    assert ledger() == {}

    done = result(capsys, "restore", "--at", at, "--no-wait")

    assert ledger() == before
    assert home().documents.count().documents == 1
    assert done["counts"]["urls written"] == 3
    assert (done["reindexed"], done["paused"], done["waits"]) == (1, ["crawl"], True)
    assert [m.url for m in sent("index")] == [PAGE]
    assert home().index.manifest().segments == []  # until INDEX has read the message


def test_what_is_as_it_was_is_not_written_and_the_index_goes_on(capsys, crawled: Past):
    at = crawled.keep()

    done = result(capsys, "restore", "--at", at, "--no-wait")

    assert not any(name.endswith(("written", "deleted")) for name in done["counts"])
    assert done["reindexed"] == 0
    assert [hit.url for hit in homes.searcher(home()).search("silk").hits] == [PAGE]


def test_what_came_later_is_gone_again(capsys, crawled: Past):
    before, at = ledger(), crawled.keep()
    add_url("http://a.test/newer")
    add_document("http://a.test/newer", "Web")

    done = result(capsys, "restore", "--at", at, "--no-wait")

    assert ledger() == before
    assert (done["counts"]["urls deleted"], done["counts"]["documents deleted"]) == (1, 1)
    assert done["reindexed"] == 1


def test_another_collection_stays_as_it_is(capsys, crawled: Past):
    at = crawled.keep()
    other = open_stack(STACK, "webcam").home
    other.documents.put(url_id(PAGE), [Document(url=PAGE, text="silk")], 100.0)

    result(capsys, "restore", "--at", at, "--no-wait")

    assert [page.id for page in other.documents.all()] == [url_id(PAGE)]


def test_what_waited_is_parked_and_what_was_not_read_is_read(capsys, crawled: Past):
    opened = home()
    opened.frontier.park(CrawlRequest(job="crawl", host="z.test", urls=[Candidate("http://z/")]))
    at = crawled.keep()

    done = result(capsys, "restore", "--at", at, "--no-wait")

    (parked,) = [(host, pack.request) for host, pack in home().frontier.all()]
    assert (parked[0], [c.url for c in parked[1].urls]) == ("a.test", [WAITS])
    pages = {m.url: m.links_only for m in sent("parse")}
    assert pages == {PAGE: True, OTHER: False}  # its links are not known; it was never read
    assert done["counts"]["URLs parked"] == 1
    assert home().contents.own(b"m" * 16, "http://b.test/") == PAGE


def test_a_url_that_was_being_fetched_waits_again(capsys, crawled: Past):
    add_url("http://a.test/claimed", State.FETCHING)
    at = crawled.keep()

    result(capsys, "restore", "--at", at, "--no-wait")

    assert ledger()["http://a.test/claimed"][0] == "discovered"
    parked = [c.url for _, pack in home().frontier.all() for c in pack.request.urls]
    assert sorted(parked) == ["http://a.test/claimed", WAITS]


def test_a_job_that_was_running_comes_back_paused(capsys, crawled: Past):
    home().jobs.set_state("crawl", "running")
    at = crawled.keep()
    home().jobs.set_state("crawl", "finished")

    result(capsys, "restore", "--at", at, "--no-wait")

    assert job().state == "paused"


def test_units_that_a_job_has_lent_come_back_and_leases_stay(capsys, crawled: Past):
    table = home().backups._live("jobs")
    block = {"k": {"S": "web#~blk#crawl#1"}, "pg": {"N": "7"}}
    table.write_raw(puts=[block])
    at = crawled.keep()
    table.write_raw(deletes=[block])
    home().jobs.lease("compact", "another", time.time() + 900, time.time())

    result(capsys, "restore", "--at", at, "--no-wait")

    assert list(table.raw_by_key([block]).values()) == [block]
    assert home().jobs.lease("compact", "we", time.time() + 900, time.time()) is None


def test_a_host_is_not_asked_sooner_than_was_promised(capsys, crawled: Past):
    table = home().backups._live("domains")
    key = {"h": {"S": "web#a.test"}, "s": {"S": "h"}}
    table.write_raw(puts=[key | {"nx": {"N": "50"}, "pen": {"N": "3"}}])
    at = crawled.keep()
    table.write_raw(puts=[key | {"nx": {"N": "900"}, "ls": {"N": "899"}}])

    result(capsys, "restore", "--at", at, "--no-wait")

    (raw,) = table.raw_by_key([key]).values()
    assert raw == key | {"nx": {"N": "900"}, "ls": {"N": "899"}, "pen": {"N": "3"}}


@pytest.mark.parametrize("name", ["urls", "documents", "waiting"])
def test_one_that_was_killed_goes_on_and_repeats_nothing(capsys, monkeypatch, crawled, name):
    before, at = ledger(), crawled.keep()
    damage(*RECOVERABLE)
    save, wrote = FileJournal.save, list[str]()

    def killed(journal: Any, progress: Any) -> None:
        save(journal, progress)
        if name in (progress.part, *progress.done):
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(FileJournal, "save", killed)
        assert run(capsys, "--stack", STACK, "restore", "--at", at, "--no-wait")[0] == 130
    put_back = AwsBackups.put_back

    def watched(backups: AwsBackups, table: str, *given: Any) -> Any:
        wrote.append(table)
        return put_back(backups, table, *given)

    monkeypatch.setattr(AwsBackups, "put_back", watched)

    done = result(capsys, "restore", "--at", at, "--no-wait")

    assert done["resumed"]
    assert ledger() == before
    tables = list(RECOVERABLE)
    expected = tables if name == "urls" else tables[tables.index("documents") :]
    assert wrote == ([] if name == "waiting" else expected)
    assert done["counts"]["urls written"] == 3


def test_another_time_waits_for_the_one_that_was_begun(capsys, monkeypatch, crawled: Past):
    at = crawled.keep()
    with monkeypatch.context() as patched:
        patched.setattr(AwsBackups, "end", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        run(capsys, "--stack", STACK, "restore", "--at", at, "--no-wait")

    code, _, err = run(capsys, "--stack", STACK, "restore", "--at", "2026-01-01T00:00")

    assert code == 2
    assert f"--at {at}" in err


def test_tables_that_were_made_for_it_are_deleted(capsys, crawled: Past):
    at = crawled.keep()
    names = set(crawled.tables)

    result(capsys, "restore", "--at", at, "--no-wait")

    assert set(crawled.tables) == names


def test_a_running_crawl_is_refused(capsys, crawled: Past):
    at = crawled.keep()
    home().jobs.set_state("crawl", "running")
    damage("urls")

    code, _, err = run(capsys, "--stack", STACK, "restore", "--at", at)

    assert code == 2
    assert "job 'crawl' is running: pause it" in err
    assert ledger() == {}


def test_messages_that_wait_are_refused(capsys, crawled: Past):
    at = crawled.keep()
    page = PageFetched(job="crawl", url=PAGE, page=PageRef("x", 0, 1), depth=0, fetched_at=1.0)
    home().queues.send([Emission("parse", page)], time.time())

    code, _, err = run(capsys, "--stack", STACK, "restore", "--at", at)

    assert code == 2
    assert "1 in parse" in err


def test_a_ranking_that_is_at_work_is_left_alone(capsys, crawled: Past):
    at = crawled.keep()
    home().jobs.lease("rank", "another", time.time() + 900, time.time())

    code, _, err = run(capsys, "--stack", STACK, "restore", "--at", at)

    assert code == 2
    assert "RANK is at work" in err


@pytest.mark.parametrize(
    ("at", "word"), [("2020-01-01T00:00", "can be restored to any time from"), ("soon", "no time")]
)
def test_a_time_that_cannot_be_restored_is_refused(capsys, crawled: Past, at: str, word: str):
    crawled.keep()

    try:
        code, _, err = run(capsys, "--stack", STACK, "restore", "--at", at)
    except SystemExit as ended:
        code, err = int(ended.code or 0), capsys.readouterr().err

    assert code == 2
    assert word in err


def test_it_asks_to_when(capsys, stack):
    code, _, err = run(capsys, "--stack", STACK, "restore")

    assert code == 2
    assert "--at" in err


def test_tables_without_backups_are_named(capsys, stack):
    code, _, err = run(capsys, "--stack", STACK, "restore", "--at", "2026-01-01T00:00")

    assert code == 2
    assert "point-in-time recovery of table crawl-test-urls is off" in err


def objects(opened: Any, *names: str) -> None:
    for name in names:
        opened.clients.call("s3", "PutObject", name, Bucket=opened.bucket, Key=name, Body=b"x")


def test_objects_that_were_deleted_come_back_if_the_bucket_keeps_versions(capsys, crawled: Past):
    opened, client = home(), home().clients.client("s3")
    how = {"Status": "Enabled"}
    client.put_bucket_versioning(Bucket=opened.bucket, VersioningConfiguration=how)
    objects(opened, "warc/web/1.warc.gz", "documents/web/1.zst", "warc/webcam/1.warc.gz")
    crawled.keep()
    at = iso_time(crawled.at - 5)  # moto's times are whole seconds
    for name in ("warc/web/1.warc.gz", "documents/web/1.zst", "warc/webcam/1.warc.gz"):
        client.delete_object(Bucket=opened.bucket, Key=name)

    told = result(capsys, "restore", "--at", at, "--dry-run")
    done = result(capsys, "restore", "--at", at, "--no-wait")

    assert (told["versions"], told["deleted_objects"]) == (True, 2)
    assert done["counts"]["objects undeleted"] == 2
    assert list(opened.clients.objects(opened.bucket, "warc/")) == ["warc/web/1.warc.gz"]
    assert list(opened.clients.objects(opened.bucket, "documents/")) == ["documents/web/1.zst"]


def test_a_dry_run_says_what_there_is_and_changes_nothing(capsys, crawled: Past):
    at = crawled.keep()
    damage("urls")
    tables = set(crawled.tables)

    code, out, _ = run(capsys, "--stack", STACK, "restore", "--at", at, "--dry-run")

    assert code == 0
    assert "nothing is changed yet" in out
    assert "items of urls" in out
    assert "keeps no versions" in out
    assert ledger() == {}
    assert set(crawled.tables) == tables


def test_what_it_did_is_said_in_words(capsys, crawled: Past):
    at = crawled.keep()
    damage("urls")

    code, out, _ = run(capsys, "--stack", STACK, "restore", "--at", at, "--no-wait")

    assert code == 0
    assert out.startswith(f"'web' of {STACK} is as it was at {at}, in ")
    assert "           3  urls written" in out
    assert "without --no-wait" in out
    assert f"job 'crawl' waits: `gossamer --stack {STACK} resume --job crawl`" in out


def test_it_waits_for_the_functions_and_ranks(capsys, monkeypatch, crawled: Past):
    at = crawled.keep()
    waits: list[float] = []

    def work(seconds: float) -> None:
        """The functions of the stack, which read all that is sent to them."""
        waits.append(seconds)
        if len(waits) == 1:  # SQS purges a queue once a minute
            home().queues.purge("parse")

    monkeypatch.setattr("time.sleep", work)

    done = result(capsys, "restore", "--at", at)
    again = result(capsys, "restore", "--at", at, "--no-wait")

    assert (done["waits"], done["ranked"]) == (False, 1)
    assert waits
    assert not again["resumed"]


def test_the_name_of_a_table_says_when_it_was():
    assert backups.past_name("s-urls", 0.0) == "s-urls-at-19700101T000000"
