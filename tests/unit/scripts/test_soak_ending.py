"""Do the last rounds of a soak bring the index to where the site stands?"""

from __future__ import annotations

import asyncio
from typing import Any

from gossamer.batch.recrawl import begin, recrawl
from gossamer.core.crawl.job import RecrawlConfig
from gossamer.messages import AnyMessage, DocumentParsed, Emission, Stream
from scripts.soak.ending import last_rounds
from tests.pump import JOB, World, answer, page, robots

ROOT, PAGE, NEW = "http://a.test/", "http://a.test/x", "http://a.test/new"
AT_ONCE = RecrawlConfig(min_interval=0.0, max_interval=0.0)


class Rounds:
    """A crawl in virtual time that was interrupted: its next round is the rest of the last."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.is_interrupted = True
        self.live: set[str] = set()  # pages that INDEX was told of and that it need not remove

    def complete(self, task: str) -> dict[str, Any]:
        assert task == "crawl"
        if not self.is_interrupted:
            w = self._world
            plan = recrawl(w.home, JOB, w.clock(), AT_ONCE)
            w.send(*begin(plan, w.ports.urls))
        self.is_interrupted = False
        asyncio.run(self._world.drain(observe=self._index))
        return {}

    def _index(self, _stream: Stream, _message: AnyMessage, emissions: list[Emission]) -> None:
        for emission in emissions:
            document = emission.message
            if isinstance(document, DocumentParsed):
                change = self.live.discard if document.gone else self.live.add
                change(document.url)


def test_a_page_that_vanished_after_its_visit_in_the_interrupted_round_leaves_the_index(world):
    answers = {f"{ROOT}robots.txt": robots(""), ROOT: page("/x", title="1"), PAGE: page(title="x")}
    w = world(answers)
    crawl: Any = Rounds(w)
    w.send(Emission("links", w.seeding()))
    crawl.complete("crawl")
    assert crawl.live == {ROOT, PAGE}

    answers |= {ROOT: page("/new", title="2"), PAGE: answer(410), NEW: page(title="new")}
    crawl.is_interrupted = True
    last_rounds(crawl)

    assert crawl.live == {ROOT, NEW}
