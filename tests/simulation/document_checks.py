"""When all is quiet: does every page have the documents that it must have, each once?"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gossamer.core.ids import document_id, page_of, part_of
from gossamer.core.urls import url_id
from tests.simulation.indexed import indexed
from tests.simulation.web import items_of, words_of

if TYPE_CHECKING:
    from tests.simulation.indexed import Indexed
    from tests.simulation.simulation import Simulation


def check_all(run: Simulation) -> None:
    """Every law of documents that holds at a quiescent point."""
    if run.observer.violations:
        return
    found = indexed(run.home)
    wanted = {url: _documents(run, url) for url in run.document_of}
    _check_live(run, found, wanted)
    _check_stored(run, found)
    _check_items(run, found)


def _documents(run: Simulation, url: str) -> int:
    """How many documents a page had when it was last read."""
    page, read_in = run.web.content(url), run.document_of[url]
    return len(words_of(page, read_in)) if page.kind == "items" else 1


def _check_live(run: Simulation, found: Indexed, wanted: dict[str, int]) -> None:
    """No live document is lost, none is there twice, and none of a page that was removed."""
    live = Counter(document.url for document in found.documents)
    if live != Counter(wanted):
        lost, added = Counter(wanted) - live, live - Counter(wanted)
        run.observer.violate("documents", f"lost of {dict(lost)}, too many of {dict(added)}")
    twice = [id for id, times in Counter(d.id for d in found.documents).items() if times > 1]
    if twice:
        run.observer.violate("documents", f"{twice} are there twice")


def _check_stored(run: Simulation, found: Indexed) -> None:
    """The store has the documents that can be found, and its sums are those of its pages."""
    pages = {document.id: page_of(document.id) for document in found.documents}
    stored = {id for stamp in run.home.documents.stamps() for id in stamp.ids()}
    if missing := pages.keys() - stored:
        run.observer.violate("documents", f"{sorted(missing)} are found and not stored")
    live = set(pages.values())
    if left := {id for id in stored if page_of(id) in live} - pages.keys():
        run.observer.violate("documents", f"{sorted(left)} are stored and not found")
    told, by_page = run.home.documents.count(), Counter(map(page_of, stored))
    if told != (len(by_page), by_page.total()):
        run.observer.violate("sums", f"{told} is told, {by_page.total()} documents are there")


def _check_items(run: Simulation, found: Indexed) -> None:
    """Each item is a document of its own; one with a key keeps its id wherever it stands."""
    for url, read_in in run.document_of.items():
        page = run.web.content(url)
        for place, item in enumerate(items_of(page, read_in), 1):
            holders = found.holders(item.word)
            ids = [id for id in holders if page_of(id) == url_id(url)]
            if len(ids) != 1:
                run.observer.violate("documents", f"{item.word} of {url} is in {ids}")
                continue
            if item.key and run.item_ids.setdefault((url, item.key), ids[0]) != ids[0]:
                run.observer.violate("documents", f"{item.key!r} of {url} has another id")
            if not item.key and part_of(ids[0]) != place:
                run.observer.violate("documents", f"{item.word} of {url} is not at {place}")
        if page.kind == "items" and page.whole:
            own = document_id(url_id(url))
            if own not in found.holders(words_of(page, read_in)[0]):
                run.observer.violate("documents", f"{url} is no document itself")
