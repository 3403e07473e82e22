"""Storage of documents: what was read in each page, and what other pages call it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from gossamer.core.ids import DocumentId, UrlId, document_id, page_of, part_of
from gossamer.core.page.document import Document
from gossamer.core.page.parts import main_part
from gossamer.ports.portable import Portable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


class Version(msgspec.Struct, frozen=True):
    """A document as it was when its page was fetched."""

    id: DocumentId
    fetched_at: float
    document: Document
    anchors: tuple[str, ...] = ()  # what other pages call its page, as `put_anchors` keeps them
    is_main: bool = True  # whether those names mean it (`core.page.parts.main_part`)

    @property
    def names(self) -> tuple[str, ...]:
        """What other pages call the document."""
        return self.anchors if self.is_main else ()


class PageVersion(msgspec.Struct, frozen=True):
    """The documents of a page as they were when it was fetched, by their parts in order."""

    id: UrlId
    fetched_at: float
    documents: dict[int, Document]
    anchors: tuple[str, ...] = ()

    def versions(self) -> list[Version]:
        """Its documents, in the order of their ids."""
        return [self.version(part) for part in self.documents]

    def version(self, part: int) -> Version:
        """One of its documents."""
        is_main = part == main_part(self.documents)
        id = document_id(self.id, part)
        return Version(id, self.fetched_at, self.documents[part], self.anchors, is_main)


class Stamp(NamedTuple):
    """What tells whether the index has the documents of a page as they are."""

    page: UrlId
    fetched_at: float
    anchors: bytes  # the digest of what other pages call it
    parts: tuple[int, ...]

    def ids(self) -> list[DocumentId]:
        """The documents of the page."""
        return [document_id(self.page, part) for part in self.parts]


class Count(NamedTuple):
    """How much is stored."""

    pages: int  # that have documents
    documents: int


class DocumentStore(Portable[PageVersion], Protocol):
    """The documents of each page. They are put together, in place of those of an older version.

    So a crash leaves a page with all documents of one version. Anchors stay beside a page when a
    new version of it is put.
    """

    @property
    def reads(self) -> float:
        """What `read`, `peek` and `pages` have cost so far, in read units; 0 if nothing."""

    def put(self, page: UrlId, documents: Sequence[Document], fetched_at: float) -> None:
        """Keep the documents of a page, none, one or many, unless a newer version is there."""

    def put_anchors(self, called: Mapping[UrlId, Sequence[str]]) -> int:
        """Keep what other pages call some pages, in place of what they called them before.

        Of many equal texts a few are kept (`core.index.anchors`). Returns of how many pages
        what is kept has changed; a page that was never put has no anchors.
        """

    def pages(self, ids: Sequence[UrlId], *, newest: bool = True) -> list[PageVersion]:
        """Some pages with their documents, in this order; those that were never put are left out.

        Without `newest` a page may be a moment old; none is left out by that.
        """

    def read(self, ids: Sequence[DocumentId], *, newest: bool = True) -> list[Version]:
        """Some documents, in this order; those that are not there are left out."""

    def peek(self, ids: Sequence[DocumentId]) -> list[Version]:
        """Some documents as they were a moment ago; what was put just now may be left out."""

    def all(self, segments: int = 1) -> Iterator[PageVersion]:
        """Every page that was put, in no order; a store may read segments at once."""

    def stamps(self) -> Iterator[Stamp]:
        """A stamp of every page that was put, in no order, without reading texts."""

    def empty(self) -> Iterator[UrlId]:
        """The pages that were put last without any document, in no order."""

    def count(self) -> Count:
        """How many documents there are, and on how many pages."""


def select(store: DocumentStore, ids: Sequence[DocumentId], *, newest: bool) -> list[Version]:
    """What `read` returns, by `pages`."""
    return selected(ids, store.pages(list(dict.fromkeys(map(page_of, ids))), newest=newest))


def selected(ids: Sequence[DocumentId], found_pages: Iterable[PageVersion]) -> list[Version]:
    """Some documents of some pages, in the order of these ids."""
    pages = {page.id: page for page in found_pages}
    found = [(pages.get(page_of(id)), part_of(id)) for id in ids]
    return [page.version(part) for page, part in found if page and part in page.documents]
