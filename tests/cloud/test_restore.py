"""Is a collection that was deleted by mistake the same again after a restore?

No emulator keeps the past of a table: restoring it to any time gives it as it is. So the tables are
restored before they are damaged, under the names that the command looks for, and it goes on there.
"""

from __future__ import annotations

import time
from random import Random
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from gossamer.adapters.aws.stack.backups import RECOVERABLE, past_name
from gossamer.entrypoints.api.services import MANIFEST_AGE
from gossamer.entrypoints.cli.command import iso_time
from tests.cloud import crawls
from tests.cloud.queues import wait_for
from tests.sites.generated import Maker, Site, star

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cloud.harness import Stack

JOB = "kept"
ADDRESS = "127.0.0.35"  # not used by other tests
PAGES = 6
QUERIES = ("silk", "silk thread", "thr*", f"site:{ADDRESS}")


@pytest.fixture
def kept(stack, site) -> None:
    """A host that was crawled and ranked, and no job that is running."""
    origin = site.origin(ADDRESS)
    given = Site(origin)
    pages = star(given, origin, PAGES)
    Maker(given, Random(1)).page(pages[1], [pages[2]], noindex=True)
    site.publish(given)
    crawls.enqueue(stack, f"{origin}/", job=JOB)
    assert crawls.finish(stack, JOB) == "finished"
    wait_for(
        lambda: "running" not in crawls.tend(stack).values(), crawls.PATIENCE, "a job does not end"
    )
    rank(stack)


def rank(stack: Stack) -> None:
    assert stack.invoke("rank", {"rank": True}).error is None
    stack.wait_until_drained()


def restorable(stack: Stack) -> float:
    """Let the tables be restored as they are, and the bucket keep what is deleted from now on."""
    at = float(int(time.time()) - 1)
    tables = stack.client("dynamodb")
    for name in RECOVERABLE:
        source = f"{stack.name}-{name}"
        tables.update_continuous_backups(  # as the template does, which not every emulator heeds
            TableName=source, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
        )
        tables.restore_table_to_point_in_time(
            SourceTableName=source,
            TargetTableName=past_name(source, at),
            UseLatestRestorableTime=True,
        )
    stack.client("s3").put_bucket_versioning(
        Bucket=stack.outputs["PagesBucket"], VersioningConfiguration={"Status": "Enabled"}
    )
    return at


def answers(stack: Stack) -> list[Any]:
    found = [crawls.search(stack, quote(query)).json for query in QUERIES]
    return [(a["total"], sorted(round(hit["score"], 6) for hit in a["hits"])) for a in found]


def settled_answers(stack: Stack) -> list[Any]:
    """Answers that stay the same: the API may use a manifest that is a second old."""
    found: list[Any] = []
    while found != (found := answers(stack)):
        time.sleep(2 * MANIFEST_AGE)
        stack.wait_until_drained()
    return found


def ledger(stack: Stack) -> dict[str, Any]:
    """All URLs, links and documents, of this and all crawls before."""
    return {
        "urls": sorted((r["url"], r["state"], r["reason"]) for r in crawls.exported(stack, "urls")),
        "edges": sorted((r["source"], r["target"]) for r in crawls.exported(stack, "edges")),
        "documents": sorted(r["url"] for r in crawls.exported(stack, "documents")),
    }


@pytest.mark.usefixtures("kept")
def test_a_purged_collection_is_restored_with_its_answers_and_its_ledger(stack, tmp_path: Path):
    found, before = settled_answers(stack), ledger(stack)
    at = restorable(stack)
    purged = crawls.gossamer(stack, "purge", "--yes")
    assert purged["items"]["urls"] == len(before["urls"])
    assert ledger(stack) == {"urls": [], "edges": [], "documents": []}

    told = crawls.gossamer(stack, "restore", "--at", iso_time(at), "--dry-run")
    done = crawls.gossamer(stack, "restore", "--at", iso_time(at), "--data", tmp_path)

    assert [table["table"] for table in told["tables"]] == list(RECOVERABLE)
    assert done["counts"]["objects undeleted"] == told["deleted_objects"] > 0
    assert done["counts"]["urls written"] == len(before["urls"])
    assert not done["waits"]
    assert ledger(stack) == before
    assert settled_answers(stack) == found
    tables = stack.client("dynamodb").list_tables()["TableNames"]
    assert not [name for name in tables if "-at-" in name]
