"""Earlier versions of a page, as far as the archive has them and they are found in time."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

from gossamer.core.revisit.change_rate import remembered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gossamer.core.crawl.url_record import PageRef, UrlRecord
    from gossamer.ports.pages import KeptResponse, PageArchive

SECONDS = 1.0  # that the archive is searched for one page
MOST = 20  # versions of a page
REMEMBERED = 200  # pages whose versions were looked for


class Earlier(NamedTuple):
    """The versions of a page before its newest, newest first."""

    refs: dict[int, PageRef]  # by the second in which they were fetched
    is_complete: bool = True  # else the archive has more than could be searched


class EarlierCopies:
    """Looks for earlier versions, and remembers what was found."""

    def __init__(self, pages: PageArchive, clock: Callable[[], float] = time.monotonic) -> None:
        self._pages = pages
        self._clock = clock
        self._known: OrderedDict[tuple[bytes, PageRef], Earlier] = OrderedDict()

    def of(self, record: UrlRecord) -> Earlier:
        """The earlier versions of a page. One that never changed has none, and is not searched."""
        if record.page is None or not remembered(record.history).changes:
            return Earlier({})
        key = record.id, record.page
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._search(record, record.page)
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return found

    def _search(self, record: UrlRecord, newest: PageRef) -> Earlier:
        until = self._clock() + SECONDS
        found = self._pages.responses_to(record.url, lambda: self._clock() > until)
        older = [kept for kept in found if kept.ref != newest]
        older = [kept for kept in older if kept.fetched_at < record.fetched_at]
        return Earlier(_versions(older), self._clock() <= until)


def _versions(found: Iterable[KeptResponse]) -> dict[int, PageRef]:
    """One of each run of equal responses: the first, which is when the page became so."""
    versions: dict[int, PageRef] = {}
    digest = ""
    for kept in sorted(found, key=lambda each: each.fetched_at):
        if kept.digest != digest:
            versions[int(kept.fetched_at)] = kept.ref
        digest = kept.digest
    return dict(list(reversed(versions.items()))[:MOST])
