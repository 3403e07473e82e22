"""Content fingerprints and their owners, and keys by which similar texts are found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from gossamer.core.ids import DocumentId

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_FOUNDERS = 4  # under one key


class Founder(msgspec.Struct, frozen=True, array_like=True):
    """A document that others may be similar to, as it was."""

    id: DocumentId
    value: int  # the SimHash of its text, 64 bits


class ContentStore(Protocol):
    """Fingerprints and their owners, and keys of similar texts with those who had them first.

    The first URL with a content owns it, until somebody finds that it has another one by now.
    """

    def own(self, fingerprint: bytes, url: str, instead_of: str = "") -> str:
        """The owner of a content; the given URL if nobody owned it before.

        `instead_of` names an owner whose place the URL takes, unless somebody else just did.
        """
        ...

    def founders(self, keys: Sequence[bytes]) -> dict[bytes, list[Founder]]:
        """Who is known under each of some keys; keys of nobody are left out.

        What is known of a page may be old by now: whoever relies on it reads its text.
        """
        ...

    def put_founders(self, founders: Mapping[bytes, Sequence[Founder]]) -> None:
        """Let these be known under these keys, and nobody else; at most MAX_FOUNDERS each.

        Of two who write a key at once, the later one wins. All that is lost is a founder: pages
        that are similar to it come together by another key, or with the next one like them.
        """
        ...
