"""Results that the owner of a collection chose for a query: some come first, some never come."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Annotated, Final

import msgspec

from gossamer.core.errors import SettingError
from gossamer.core.ids import URL_ID_BYTES, DocumentId, document_id
from gossamer.core.urls import normalise, url_id

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_RESULTS: Final = 100  # pinned or hidden, of one query
_ID_DIGITS: Final = (2 * URL_ID_BYTES, 2 * URL_ID_BYTES + 8)  # of a page's document, of an item
_Results = Annotated[list[str], msgspec.Meta(max_length=MAX_RESULTS)]


class Curated(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is done with results of one query: URLs, or ids of documents."""

    pinned: _Results = []  # come first, in this order, whether they match or not
    hidden: _Results = []  # neither come nor count


def query_key(query: str) -> str:
    """Equal for queries that differ in capitals and spaces only."""
    return " ".join(unicodedata.normalize("NFKC", query).casefold().split())


def result_id(result: str) -> DocumentId:
    """The id of a result that is named by its URL or its id."""
    if len(result) in _ID_DIGITS and not set(result) - set("0123456789abcdef"):
        return DocumentId(bytes.fromhex(result))
    # What was not crawled, as a folder of documents, has addresses of its own: beir:12.
    return document_id(url_id(normalise(result) or result))


def check_curated(results: Mapping[str, Curated]) -> None:
    """Raise SettingError for what could never have an effect."""
    keys: dict[str, str] = {}
    for query, chosen in results.items():
        if not query_key(query):
            raise SettingError(f"results: {query!r} is no query", ["results", query])
        if query_key(query) in keys:
            raise SettingError(f"results: {query!r} is there twice", ["results", query])
        keys[query_key(query)] = query
        ids = [result_id(each) for each in (*chosen.pinned, *chosen.hidden)]
        if len(set(ids)) < len(ids):
            raise SettingError(f"results.{query!r} names a result twice", ["results", query])
        if not all((*chosen.pinned, *chosen.hidden)):
            raise SettingError(
                f"results.{query!r} names a result without a URL", ["results", query]
            )
