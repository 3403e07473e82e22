"""Are pages ranked beside a crawl as they are at its end, and only when that costs little?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import msgspec
import pytest

from gossamer import homes
from gossamer.batch.index import index_pending
from gossamer.batch.rank import rank
from gossamer.core.ids import UrlId
from gossamer.core.urls import url_id
from gossamer.entrypoints.local.index_beside import written
from gossamer.entrypoints.local.index_child import Said, _Home
from gossamer.entrypoints.local.rank_beside import FIRST, GUESS, PATIENCE, Rankings, rank_now
from tests.pump import VirtualClock, World, make_world, page

if TYPE_CHECKING:
    from gossamer.ports.home import Home

HUB = "http://a.test/hub"
WORDS = ("loom", "silk", "weft")


class Line:
    """To a crawl in this process: what is said is written, as it comes out of the line."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self.said: list[str] = []

    def ask(self, said: Said) -> bool:
        self.said.append(type(said).__name__)
        message: Any = msgspec.msgpack.decode(msgspec.msgpack.encode(said), type=Said)
        return written(message, self._home)


@pytest.fixture
async def world(tmp_path) -> World:
    """A site whose pages all link to one of them, and to each other; indexed."""
    pages = {f"http://a.test/{word}": page("/hub", title=word) for word in WORDS}
    links = ["/hub", *(f"/{word}" for word in WORDS)]
    answers = {"http://a.test/": page(*links, title="root"), HUB: page("/", title="nine"), **pages}
    made = make_world(tmp_path, VirtualClock(), dict(answers), delay=0.0)
    await made.crawl()
    index_pending(made.home, homes.index_writer(made.home))
    return made


def rank_beside(world: World) -> Line:
    line = Line(world.home)
    beside = cast("Home", _Home(world.home, cast("Any", line)))
    rank_now(beside, homes.index_writer(beside))
    return line


def test_ranks_names_and_links_are_those_of_a_ranking_at_the_end(world):
    line = rank_beside(world)

    home = world.home
    [hub] = home.edges.inlinks([UrlId(url_id(HUB))]).values()
    assert (hub.total, {link.anchor for link in hub.links}) == (len(WORDS) + 1, {"/hub"})
    assert set(line.said) >= {"PutAnchors", "PutInLinks", "Publish"}
    again = rank(home, homes.index_writer(home), home.edges.packed(), home.urls.all())
    assert again.anchors_changed == 0
    assert index_pending(home, homes.index_writer(home)) == 0


def test_what_others_call_a_page_finds_it(world):
    before = {hit.url for hit in homes.searcher(world.home).search("hub").hits}

    rank_beside(world)

    after = {hit.url for hit in homes.searcher(world.home).search("hub").hits}
    assert HUB in after - before


def test_hosts_are_worth_what_the_last_ranking_says(world):
    rank_beside(world)

    assert world.home.reputation.get(["a.test"])["a.test"].worth == 0


def test_a_ranking_is_due_when_the_documents_have_doubled():
    rankings = Rankings()

    assert not rankings.is_due(FIRST - 1)
    assert rankings.is_due(FIRST)
    rankings.done(FIRST, seconds=0.01)
    assert not rankings.is_due(2 * FIRST - 1)
    assert rankings.is_due(2 * FIRST)


def test_no_ranking_is_made_that_would_take_long():
    rankings = Rankings()

    assert not rankings.is_due(int(PATIENCE / GUESS) + 1)  # of a crawl that goes on
    rankings.done(1_000, seconds=PATIENCE / 2)
    assert rankings.is_due(2_000)
    assert not rankings.is_due(2_001)
