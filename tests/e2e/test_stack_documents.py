"""Pages with none, one or many documents on a stack: crawled, indexed, ranked and removed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.batch import index_parsed
from gossamer.core.crawl.url_state import State
from gossamer.core.urls import url_id
from gossamer.entrypoints.api.services import stack_search
from gossamer.entrypoints.lambdas.rank import Weighing, rank_cloud
from tests.indexing import live_ids
from tests.item_reader import page_of_items, reading_items
from tests.pump import JOB, answer, page, robots
from tests.stack_world import StackWorld
from tests.unit.entrypoints.moto_stack import STACK, aws, deploy, home, result, run

if TYPE_CHECKING:
    from collections.abc import Iterator


ROOT = "http://a.test/"
WEBS, NONE = f"{ROOT}list", f"{ROOT}none"
FIRST = page_of_items("orb=Orb web", "funnel=Funnel web", "sheet=Sheet web", links=("/",))


@pytest.fixture
def stack(tmp_path: Any) -> Iterator[StackWorld]:
    with aws(), reading_items():
        deploy()
        opened = home()
        site: dict[str, Any] = {
            f"{ROOT}robots.txt": robots(""),
            ROOT: page("/list", "/none", title="Spiders"),
            WEBS: FIRST,
            NONE: page_of_items(links=("/",)),
        }
        yield StackWorld(opened, tmp_path, site, seeds=[ROOT])
        opened.close()


async def test_every_item_of_a_page_is_stored_found_ranked_exported_and_explained(stack, capsys):
    await stack.crawl()
    ranked = rank_cloud(stack.home, Weighing(), stack.world.clock)
    ids = stack.ids(WEBS)

    assert stack.home.documents.count() == (2, 4)
    assert stack.world.end_of(NONE) == (State.EXCLUDED, "no-document")
    assert stack.found("web") == ["Funnel web", "Orb web", "Sheet web"]
    assert ranked is not None
    assert ranked.nodes == 2  # pages, not documents
    for title, id in ids.items():
        view = stack_search(stack.home).document(id)
        assert view is not None
        assert (view.title, view.url, view.page) == (title, WEBS, url_id(WEBS).hex())
        assert [link.url for link in view.inlinks.links] == [ROOT]
    life = result(capsys, "explain-url", WEBS, "--job", JOB)
    assert {each["title"]: each["id"] for each in life["documents"]} == {
        title: id.hex() for title, id in ids.items()
    }
    stats = result(capsys, "stats", "--job", JOB)
    assert (stats["document_pages"], stats["searchable"]) == (2, 4)
    assert stats["by_reason"] == {"document": 2, "no-document": 1}
    _, out, _ = run(capsys, "--stack", STACK, "export", "--what", "documents", "--format", "jsonl")
    rows = [json.loads(line) for line in out.splitlines()]
    assert sorted(row["id"] for row in rows if row["page"] == url_id(WEBS).hex()) == sorted(
        id.hex() for id in ids.values()
    )


async def test_items_come_go_and_move_with_their_page(stack):
    await stack.crawl()
    before = stack.ids(WEBS)

    stack.site[WEBS] = page_of_items("ladder=Ladder web", "sheet=Sheet web", "orb=Orb web")
    stack.site[NONE] = page_of_items("cob=Cobweb")
    await stack.recrawl()

    after = stack.ids(WEBS)
    assert after.keys() == {"Ladder web", "Sheet web", "Orb web"}
    assert all(after[title] == before[title] for title in ("Sheet web", "Orb web"))
    assert stack.found("web") == ["Ladder web", "Orb web", "Sheet web"]
    assert stack.found("cobweb") == ["Cobweb"]
    assert live_ids(stack.home.index) == sorted(
        id for url in (ROOT, WEBS, NONE) for id in stack.ids(url).values()
    )


async def test_a_page_that_has_none_any_more_or_is_gone_loses_all_its_documents(stack):
    await stack.crawl()
    stack.site[WEBS] = page_of_items()
    await stack.recrawl()
    assert stack.found("web") == []

    stack.site[WEBS] = FIRST
    await stack.recrawl()
    assert stack.found("web") == ["Funnel web", "Orb web", "Sheet web"]

    stack.site[WEBS] = answer(404)
    for _ in range(2):  # one absence may be a mistake
        await stack.recrawl()
    assert stack.found("web") == []
    assert live_ids(stack.home.index) == list(stack.ids(ROOT).values())


async def test_an_unchanged_page_keeps_its_documents(stack):
    await stack.crawl()
    version = stack.home.index.manifest().version

    await stack.recrawl()

    assert stack.world.end_of(WEBS) == (State.UNCHANGED, "same-bytes")
    assert stack.found("web") == ["Funnel web", "Orb web", "Sheet web"]
    assert stack.home.index.manifest().version == version


@pytest.mark.parametrize("lot", [1, 2, 4])
async def test_a_batch_of_very_many_documents_is_cut_between_pages(stack, monkeypatch, lot):
    monkeypatch.setattr(index_parsed, "LOT", lot)
    stack.site[NONE] = page_of_items("cob=Cobweb", "tangle=Tangle")

    await stack.crawl()

    ids = [id for url in (ROOT, WEBS, NONE) for id in stack.ids(url).values()]
    assert live_ids(stack.home.index) == sorted(ids)
    assert len(ids) == 6


async def test_a_stack_is_indexed_anew_with_all_documents_of_its_pages(stack, capsys):
    await stack.crawl()
    before = live_ids(stack.home.index)

    sent = result(capsys, "reindex")

    messages = [d.body for d in stack.home.queues.receive("index", 10, 0.0)]
    assert (sent["documents"], len(messages)) == (4, 2)
    stack.index(messages)
    assert live_ids(stack.home.index) == before
