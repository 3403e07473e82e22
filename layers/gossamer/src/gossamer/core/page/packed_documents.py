"""The documents of a page as one value, which a store keeps and replaces as a whole.

A page with nothing but itself is kept as its document alone, as all pages were before there were
parts; its parts are not written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from gossamer.core.page.document import Document
from gossamer.core.page.parts import PAGE, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_PLAIN: Final = (PAGE,)
_encode = msgspec.msgpack.Encoder().encode
_decode_plain = msgspec.msgpack.Decoder(Document).decode
_decode_many = msgspec.msgpack.Decoder(list[Document]).decode
_decode_parts = msgspec.msgpack.Decoder(tuple[int, ...]).decode


def pack(documents: Iterable[Document]) -> tuple[bytes | None, bytes]:
    """The parts and the documents of a page; None stands for the page itself and nothing else."""
    return pack_parts(parts_of(documents))


def pack_parts(found: Mapping[int, Document]) -> tuple[bytes | None, bytes]:
    """The same for documents whose parts are known."""
    if tuple(found) == _PLAIN:
        return None, _encode(found[PAGE])
    return _encode(tuple(found)), _encode(list(found.values()))


def unpack_parts(parts: bytes | None) -> tuple[int, ...]:
    """The parts of a page, in order."""
    return _PLAIN if parts is None else _decode_parts(parts)


def unpack(parts: bytes | None, body: bytes) -> dict[int, Document]:
    """The documents of a page by their parts, in order."""
    if parts is None:
        return {PAGE: _decode_plain(body)}
    return dict(zip(_decode_parts(parts), _decode_many(body), strict=True))
