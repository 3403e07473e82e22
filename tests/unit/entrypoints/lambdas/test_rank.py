"""Are the pages of a stack ranked, from here and by its function, and is INDEX told?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from gossamer import homes
from gossamer.batch.index import index_batch
from gossamer.batch.indexed_pages import indexed_pages
from gossamer.bolts.index import analyzer_of, due
from gossamer.core.collection import IndexSchema
from gossamer.core.errors import ConfigurationError
from gossamer.core.ids import document_id
from gossamer.core.urls import url_id
from gossamer.entrypoints.api.services import stack_search
from gossamer.entrypoints.cli.export import export_to
from gossamer.entrypoints.cli.main import main
from gossamer.entrypoints.lambdas import parquet, rank
from gossamer.entrypoints.lambdas.context import NoFetcher
from gossamer.entrypoints.lambdas.rank import Weighing, rank_cloud, rank_handler
from gossamer.entrypoints.lambdas.sqs import Worker
from gossamer.messages import DocumentParsed, Link, decode
from gossamer.ports import Ports
from gossamer.ports.edges import InLink
from tests.topology.template import allowed_calls, load
from tests.unit.entrypoints.moto_stack import STACK, add_document, add_url, aws, deploy, home

if TYPE_CHECKING:
    import argparse

    from gossamer.adapters.aws.home import AwsHome
    from gossamer.core.ids import DocumentId

HUB, *OTHERS = [f"http://a.test/{name}" for name in ("hub", "x", "y", "z")]


@pytest.fixture
def stack():
    """Four indexed pages, of which three link to the first."""
    with aws():
        deploy()
        opened = home()
        for url in (HUB, *OTHERS):
            add_url(url)
            add_document(url, "spiders")
        index_all(opened, [HUB, *OTHERS])
        for url in OTHERS:
            opened.edges.put(url_id(url), [Link(HUB, "All about hubs")], 0, 1)
        yield opened


def index_all(opened: AwsHome, urls: list[str]) -> None:
    versions = opened.documents.read([id_of(url) for url in urls])
    writer = homes.index_writer(opened, lambda: 100.0)
    index_batch(versions, opened, writer, analyzer_of(opened), IndexSchema())


def levels(opened: AwsHome) -> dict[str, int]:
    """The ranks of the pages that can be found."""
    writer = homes.index_writer(opened)
    indexed = indexed_pages(writer)
    ranks = [level for info in indexed.infos for level in writer.opened.levels(info).tolist()]
    live = indexed.live.tolist()
    return {url: ranks[at] for url, at in zip(indexed.urls(live), live, strict=True)}


def id_of(url: str) -> DocumentId:
    return document_id(url_id(url))


def told(opened: AwsHome) -> list[Any]:
    return [decode(each.body) for each in opened.queues.receive("index", 10, 0.0)]


def test_a_stack_is_ranked_and_index_is_told_whose_names_changed(stack):
    done = rank_cloud(stack, Weighing(), lambda: 100.0)

    assert done is not None
    assert (done.nodes, done.links, done.anchors_changed) == (4, 3, 1)
    assert levels(stack) == {HUB: 255} | dict.fromkeys(OTHERS, 0)
    (message,) = told(stack)
    assert isinstance(message, DocumentParsed)
    (version,) = due([message], stack.documents)
    assert set(version.anchors) == {"All about hubs"}


def test_hosts_are_told_what_they_are_worth_and_rank_needs_no_other_rights(stack):
    praised = "http://b.test/"
    add_url(praised)
    add_document(praised, "silk")
    index_all(stack, [praised])
    stack.edges.put(url_id(HUB), [Link(praised, "silk")], 0, 1)
    stack.meter.reset()

    rank_cloud(stack, Weighing(), lambda: 100.0)

    reputation = stack.reputation.get(["a.test", "b.test"])
    assert [each.worth for each in reputation.values()] == [-2, 2]
    assert set(stack.meter.calls) <= allowed_calls(load())["rank"]


def test_a_page_that_is_indexed_again_takes_its_rank_along(stack):
    rank_cloud(stack, Weighing(), lambda: 100.0)

    index_all(stack, [HUB])

    assert levels(home()) == {HUB: 255} | dict.fromkeys(OTHERS, 0)


def test_two_do_not_rank_at_once(stack):
    stack.jobs.lease(rank.LEASE_NAME, "another", 900.0, 100.0)

    assert rank_cloud(stack, Weighing(), lambda: 200.0) is None
    assert rank_cloud(stack, Weighing(), lambda: 901.0) is not None


def test_the_function_ranks(stack, monkeypatch):
    monkeypatch.setattr(rank, "SEGMENTS", 1)  # moto cannot divide keys of bytes
    handler = rank_handler(lambda: Worker(Ports(stack, NoFetcher()), lambda: 100.0))

    assert handler({"rank": True}, None)["ranked"]["links"] == 3


def test_the_command_ranks_from_here(stack, capsys):
    code = main(["--stack", STACK, "rank", "--json"])

    out, err = capsys.readouterr()
    assert (code, err) == (0, "")
    assert json.loads(out)["nodes"] == 4


def test_a_document_says_who_links_to_it(stack):
    rank_cloud(stack, Weighing(), lambda: 100.0)

    hub, other = (stack_search(stack).document(id_of(url)) for url in (HUB, OTHERS[0]))

    assert hub is not None
    assert hub.inlinks.total == 3
    assert {link.url for link in hub.inlinks.links} == set(OTHERS)
    assert other is not None
    assert [(link.url, link.anchor) for link in other.outlinks] == [(HUB, "All about hubs")]
    assert stack.edges.inlinks([url_id(HUB)])[url_id(HUB)].links[0] == InLink(
        hub.inlinks.links[0].url, "All about hubs"
    )


def test_a_page_that_links_to_another_by_two_names_links_to_it_once(stack):
    stack.edges.put(url_id(OTHERS[0]), [Link(HUB, "the hubs"), Link(HUB, "the middle")], 0, 1)
    rank_cloud(stack, Weighing(), lambda: 100.0)

    hub, other = (stack_search(stack).document(id_of(url)) for url in (HUB, OTHERS[0]))

    assert hub is not None
    assert other is not None
    assert hub.inlinks.total == 3
    assert [(link.url, link.anchor) for link in other.outlinks] == [(HUB, "the hubs")]
    (named,) = stack.documents.read([id_of(HUB)])
    assert {"the hubs", "the middle"} <= set(named.anchors)


# ── Parquet ───────────────────────────────────────────────────────────────────────────────────────


def asked(**more: Any) -> argparse.Namespace:
    import argparse

    return argparse.Namespace(
        query=None, **{"what": "edges", "format": "parquet", "output": "", "json": False} | more
    )


def test_without_pyarrow_it_says_what_to_install(stack, tmp_path, monkeypatch):
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(parquet, "import_module", missing)

    with pytest.raises(ConfigurationError, match="pip install pyarrow"):
        export_to(stack, asked(output=str(tmp_path / "edges.parquet")))


def test_parquet_goes_to_a_file(stack):
    with pytest.raises(ConfigurationError, match="give --output FILE"):
        export_to(stack, asked(output=""))


def test_links_go_to_spark_and_ranks_come_back(stack, tmp_path, capsys):
    arrow, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "edges.parquet"

    export_to(stack, asked(output=str(file)))

    assert "3 edges" in capsys.readouterr().err
    rows = pq.read_table(file).to_pylist()
    assert {row["source"] for row in rows} == {url_id(url) for url in OTHERS}
    assert {(row["target"], row["target_host"]) for row in rows} == {(url_id(HUB), "a.test")}
    ranks = {HUB: 0.4, OTHERS[0]: 0.2, OTHERS[1]: 0.1, "http://b.test/": 0.1}
    ids = arrow.array([url_id(url) for url in ranks], arrow.binary())
    pq.write_table(arrow.table({"id": ids, "rank": list(ranks.values())}), tmp_path / "ranks")
    engine = parquet.given_ranks(str(tmp_path / "ranks"))

    rank_cloud(stack, Weighing(engine=engine), lambda: 100.0)

    assert levels(stack) == {HUB: 255, OTHERS[0]: 128, OTHERS[1]: 0, OTHERS[2]: 0}
