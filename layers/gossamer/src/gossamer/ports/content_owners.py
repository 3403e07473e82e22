"""Content fingerprints and their owners, and keys by which similar texts are found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from gossamer.core.ids import DocumentId
from gossamer.ports.portable import Portable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_FOUNDERS = 4  # under one key


class Founder(msgspec.Struct, frozen=True, array_like=True):
    """A document that others may be similar to, as it was."""

    id: DocumentId
    value: int  # the SimHash of its text, 64 bits


class ContentEntry(msgspec.Struct, frozen=True):
    """A content and its owner, or a key of similar texts and its founders."""

    key: bytes  # the fingerprint of the content, or the key
    owner: str = ""
    founders: tuple[Founder, ...] = ()


class ContentStore(Portable[ContentEntry], Protocol):
    """Fingerprints and their owners, and keys of similar texts with those who had them first.

    The first URL with a content owns it, until it is found to have another one.
    """

    def own(self, fingerprint: bytes, url: str, instead_of: str = "") -> str:
        """The owner of a content; the given URL if it had no owner.

        `instead_of` names an owner whose place the URL takes, unless another URL just did.
        """

    def founders(self, keys: Sequence[bytes]) -> dict[bytes, list[Founder]]:
        """The founders under each of these keys of eight bytes; those without any are left out.

        What is known of a page may be old by now: callers must compare its text.
        """

    def put_founders(self, founders: Mapping[bytes, Sequence[Founder]]) -> None:
        """Replace the founders under these keys; at most MAX_FOUNDERS each.

        Of two who write a key at once, the later one wins. All that is lost is a founder: pages
        that are similar to it come together by another key, or with the next one like them.
        """
