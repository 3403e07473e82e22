"""Find the stored pages that are to be read again after templates were changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gossamer.batch.transfer.collection import lots
from gossamer.bolts.reread import TICK, is_read
from gossamer.core.urls import url_id
from gossamer.messages import PageFetched

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gossamer.core.crawl.url_record import UrlEntry, UrlRecord
    from gossamer.ports.documents import PageVersion
    from gossamer.ports.home import Home

AT_ONCE: Final = 100  # URLs whose documents are looked up together


@dataclass(frozen=True)
class StoredPages:
    """The pages of a home whose own documents come from a template, came from one, or may."""

    home: Home
    concerns: Callable[[str, str], bool]  # whether a page is read again: its URL, its template

    def messages(self, after: bytes = b"") -> Iterator[tuple[bytes, PageFetched | None]]:
        """What PARSE is told for each, with its mark; None of URLs that are not concerned.

        `after` a mark goes on behind that URL.
        """
        version = self.home.settings.get().version
        for lot in lots(self.home.urls.entries(after), AT_ONCE):
            read = [entry.record for _, entry in lot if is_read(entry.record)]
            known = self._documents(read)
            for mark, entry in lot:
                yield mark, self._message(entry, known.get(entry.record.id), version)

    def _documents(self, records: Sequence[UrlRecord]) -> dict[bytes, PageVersion]:
        pages = self.home.documents.pages([url_id(record.url) for record in records])
        return {page.id: page for page in pages}

    def _message(
        self, entry: UrlEntry, known: PageVersion | None, version: int
    ) -> PageFetched | None:
        record = entry.record
        if not is_read(record) or record.page is None:
            return None
        if not self.concerns(record.url, _template(known)):
            return None
        return PageFetched(
            job=entry.job,
            url=record.url,
            page=record.page,
            depth=record.depth,
            fetched_at=(known.fetched_at if known else record.fetched_at) + TICK,
            hinted_at=record.hinted_at,
            settings=version,
        )


def _template(known: PageVersion | None) -> str:
    documents = known.documents.values() if known else ()
    return next((each.template for each in documents), "")
