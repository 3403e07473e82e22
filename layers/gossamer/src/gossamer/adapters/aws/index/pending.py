"""What the index of a stack lacks, and what it should not have: found by reading whole tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.crawl.removal import CLOSED_TO_SEARCH, NEVER_DOCUMENTS, is_no_document
from gossamer.core.ids import page_of
from gossamer.core.index.anchors import digest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.adapters.aws.home import AwsHome
    from gossamer.core.ids import DocumentId
    from gossamer.ports.live_documents import Ordinal


def unindexed(home: AwsHome) -> Iterator[DocumentId]:
    """Documents that are not in the index as they are now."""
    live = {page.id: page for page in home.index.all_live()}
    left = {
        record.id
        for record in home.urls.all()
        if record.state in NEVER_DOCUMENTS or record.reason == CLOSED_TO_SEARCH
    }
    for id, fetched_at, anchors in home.documents.stamps():
        if page_of(id) not in left and not _is_current(live.get(id), fetched_at, anchors):
            yield id


def vanished(home: AwsHome) -> Iterator[DocumentId]:
    """Live pages that a later crawl found gone, moved, repeated or closed to search."""
    gone = {
        record.id
        for record in home.urls.all()
        if is_no_document(record.state, record.reason, record.history)
    }
    return (page.id for page in home.index.all_live() if page_of(page.id) in gone)


def _is_current(page: Ordinal | None, fetched_at: float, anchors: tuple[str, ...]) -> bool:
    if page is None or page.fetched_at < fetched_at:
        return False
    return page.fetched_at > fetched_at or page.anchors == digest(anchors)
