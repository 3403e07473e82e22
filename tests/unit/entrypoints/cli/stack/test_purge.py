"""Does `gossamer --stack NAME purge` delete a collection, and nothing else?"""

from __future__ import annotations

import pytest

from gossamer.core.crawl.url_state import State
from gossamer.core.index.segments.manifest import Manifest
from gossamer.core.urls import url_id
from gossamer.entrypoints.cli.stack.home import open_stack
from gossamer.messages import Candidate, CrawlRequest, Emission
from gossamer.ports.segments import Head
from tests.unit.entrypoints.moto_stack import (
    STACK,
    add_document,
    add_url,
    begin_job,
    home,
    result,
    run,
)

HEAD = Head("silk", "1-a", ((300, 9, 0, 4, 0, 8),), b"head")
PAGE = "http://a.test/"
REQUEST = CrawlRequest(job="crawl", host="a.test", urls=[Candidate(PAGE)])
pytestmark = pytest.mark.usefixtures("stack")


def test_purge_without_yes_deletes_nothing(capsys):
    begin_job()
    id = add_url(PAGE)

    code, _, err = run(capsys, "--stack", STACK, "purge")

    assert code == 2
    assert "--yes" in err
    assert home().urls.get(id) is not None


def test_purge_deletes_a_collection_and_leaves_the_others(capsys):
    begin_job()
    add_url(PAGE, State.PARSED, "document")
    add_document(PAGE, "Silk")
    opened = home()
    opened.frontier.park(REQUEST)
    opened.index.publish(Manifest(version=1))
    opened.index.put("1-a", [b"segment"])
    opened.index.put_heads([HEAD])
    opened.queues.send([Emission("frontier", REQUEST)], 0.0)
    for name in ("warc/web/1.warc.gz", "documents/web/1.zst", "warc/webcam/1.warc.gz"):
        opened.clients.call("s3", "PutObject", name, Bucket=opened.bucket, Key=name, Body=b"x")
    other = open_stack(STACK, "webcam").home
    other.contents.own(b"m" * 16, PAGE)
    other.index.publish(Manifest(version=1))
    other.index.put("1-a", [b"segment"])
    other.index.put_heads([HEAD])

    done = result(capsys, "purge", "--yes")

    assert done["objects"] == 4
    assert {n: c for n, c in done["items"].items() if c} == {
        "urls": 1,
        "frontier": 2,
        "documents": 1,
        "jobs": 2,
        "stats": 1,
        "segments": 1,
        "inverted_index": 1,
    }
    left = home()
    assert left.urls.get(url_id(PAGE)) is None
    assert left.jobs.names() == []
    assert (left.documents.count().documents, left.frontier.count()) == (0, 0)
    assert left.queues.receive("frontier", 10, 0.0) == []
    assert other.contents.own(b"m" * 16, "http://b.test/") == PAGE
    assert (left.index.names(), left.index.manifest().version) == ([], 0)
    assert (other.index.names(), other.index.manifest().version) == (["1-a"], 1)
    assert other.index.heads(["silk"], ["1-a"]) == {("silk", "1-a"): HEAD}
