"""Fetch what a query needs of all segments in few rounds.

Where the index is on another machine, a round takes tens of milliseconds, however much is asked for
at once. So the blocks of all terms in all segments are fetched together, then their first layers,
then what is stored of all results. Beginnings of lists that are kept elsewhere come first: they
spare both rounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.search.plan import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.index.segments.stored import Stored
    from gossamer.core.search.plan import Plan
    from gossamer.ports.segments import SegmentStore
    from gossamer.search.segment_view import SegmentView
    from gossamer.search.snapshot import Snapshot

FIRST_LAYERS = 3  # that nearly every query of several frequent words reads (search.top)


def fetch_lists(plan: Plan, snapshot: Snapshot, store: SegmentStore) -> None:
    """Have the beginnings of all lists at hand that a plan asks for."""
    asked = [
        each.text for each in (*plan.asked, plan.name) if each and each.kind is not Kind.PREFIX
    ]
    wanted = [
        (part.view, term) for part in snapshot.parts for term in asked if not part.view.knows(term)
    ]
    if not wanted:
        return
    with_heads = {part.view.name for part in snapshot.parts if part.has_heads}
    _fetch_heads([pair for pair in wanted if pair[0].name in with_heads], store)
    _fetch_blocks([(view, term) for view, term in wanted if not view.knows(term)], store)
    _fetch_layers(wanted, store)


def _fetch_heads(wanted: Sequence[tuple[SegmentView, str]], store: SegmentStore) -> None:
    views = {view.name: view for view, _ in wanted}
    terms = sorted({term for _, term in wanted})
    for (_, name), head in (store.heads(terms) if terms else {}).items():
        if name in views:
            views[name].learn(head)


def _fetch_blocks(wanted: Sequence[tuple[SegmentView, str]], store: SegmentStore) -> None:
    found = [(view, view.missing_block(term)) for view, term in wanted]
    missing = {(v.name, number): (v, number) for v, number in found if number is not None}
    fetched = store.read([view.segment.block_range(n) for view, n in missing.values()])
    for (view, number), data in zip(missing.values(), fetched, strict=True):
        view.learn_block(number, data)


def _fetch_layers(wanted: Sequence[tuple[SegmentView, str]], store: SegmentStore) -> None:
    depth = FIRST_LAYERS if len({term for _, term in wanted}) > 1 else 1
    missing = [(v, place) for v, term in wanted for place in v.missing_layers(term, depth)]
    fetched = store.read([view.segment.layer_range(place) for view, place in missing])
    for (view, place), data in zip(missing, fetched, strict=True):
        view.learn_layer(place, data)


def fetch_documents(wanted: Sequence[tuple[SegmentView, int]], store: SegmentStore) -> list[Stored]:
    """What is stored of some documents, in this order."""
    known = [view.known_document(number) for view, number in wanted]
    missing = [pair for pair, found in zip(wanted, known, strict=True) if found is None]
    fetched = store.read([view.segment.stored_range(number) for view, number in missing])
    read = iter([v.learn_document(n, data) for (v, n), data in zip(missing, fetched, strict=True)])
    return [found if found is not None else next(read) for found in known]
