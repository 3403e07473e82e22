"""Which pages leave the index, because they are gone, moved, repeated or closed to search?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.urls import url_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.messages import DocumentParsed
    from gossamer.ports.index import IndexStore
    from gossamer.ports.urls import UrlStore


def remove(messages: Sequence[DocumentParsed], urls: UrlStore, store: IndexStore) -> int:
    """Remove what some messages say is gone; returns how many pages that were.

    A message may be late: a page that was fetched since has come back, and stays.
    """
    gone = {url_id(message.url): message.fetched_at for message in messages if message.gone}
    records = [urls.get(id) for id in gone]
    ids = [r.id for r in records if r is not None and r.fetched_at <= gone[r.id]]
    if ids:
        store.remove(ids)
    return len(ids)
