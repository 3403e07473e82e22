"""Which WARC objects were joined into which pack, and where each of them begins in it.

An item for each pack, under the name of its last member: the first item at or behind a name is the
only one that can have it. What an item says never changes, so it is remembered.
"""

from __future__ import annotations

import zlib
from collections import OrderedDict
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from gossamer.adapters.aws.dynamodb.models import PagePackItem
from gossamer.adapters.aws.dynamodb.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.adapters.aws.clients import Clients

PACKS = "packs/"  # where packs lie: behind all days, so a listing of members ends there
KNOWN = 64  # packs that a process remembers, of about 5 KB
_SWEPT = "last"  # the sort key under which the last pack stands whose members were deleted


class Member(NamedTuple):
    """An object that was joined to others, by its name, and its size."""

    name: str
    size: int


class Place(NamedTuple):
    """Where a member lies."""

    pack: str
    offset: int
    size: int


class Pack(NamedTuple):
    """A pack and its members, in order."""

    name: str
    members: list[Member]
    at: float  # when it was published

    @property
    def last(self) -> str:
        """The name of the last member, under which the pack is found."""
        return self.members[-1].name

    def places(self) -> Iterator[tuple[str, Place]]:
        """Every member and where it lies."""
        begins = accumulate((member.size for member in self.members), initial=0)
        for member, begin in zip(self.members, begins, strict=False):
            yield member.name, Place(self.name, begin, member.size)


class Members:
    """The members of all packs of a collection."""

    def __init__(self, clients: Clients, stack: str, collection: str) -> None:
        self._table = Table(clients, stack, PagePackItem)
        self._key, self._swept_key = f"{collection}#packs", f"{collection}#swept"
        self._known: OrderedDict[str, dict[str, Place]] = OrderedDict()  # by pack

    def place(self, name: str) -> Place | None:
        """Where an object lies that was joined; None of one that was not."""
        known = self.known(name)
        if known is not None:
            return known
        behind = PagePackItem.last >= name
        found = next(self._table.query(self._key, behind, newest=True, limit=1), None)
        if found is None:
            return None
        pack = _pack(found)
        places = self._known[pack.name] = dict(pack.places())
        if len(self._known) > KNOWN:
            self._known.popitem(last=False)
        return places.get(name)

    def known(self, name: str) -> Place | None:
        """The same, as far as it was asked before."""
        found = (places[name] for places in tuple(self._known.values()) if name in places)
        return next(found, None)

    def packs(self, after: str = "") -> Iterator[Pack]:
        """The packs behind a name, in order."""
        behind = PagePackItem.last > after if after else None
        return map(_pack, self._table.query(self._key, behind, newest=True))

    def newest(self) -> str:
        """The last member of the last pack: what was joined lies before."""
        hash_is = PagePackItem.key == self._key
        found = self._table.query_raw(hash_is, newest=True, limit=1, backwards=True)
        raw = next(found, None)
        return self._table.model.from_raw_data(raw).last if raw else ""

    def publish(self, pack: Pack) -> None:
        """Let the members be found in the pack; published twice, a pack stays as it was."""
        item = PagePackItem(self._key, pack.last, pack=pack.name, at=pack.at)
        item.body = encoded(pack.members)
        self._table.put(item, PagePackItem.key.does_not_exist())

    def swept(self) -> str:
        """The last member of the last pack whose members were deleted."""
        item = self._table.get(self._swept_key, _SWEPT, newest=True)
        return item.pack if item else ""

    def set_swept(self, last: str) -> None:
        """Remember up to which pack members were deleted."""
        self._table.put(PagePackItem(self._swept_key, _SWEPT, pack=last))


def encoded(members: Sequence[Member]) -> bytes:
    """Members as they lie in an item: names have much in common."""
    return zlib.compress(msgspec.msgpack.encode(members), 9)


def _pack(item: PagePackItem) -> Pack:
    members = msgspec.msgpack.decode(zlib.decompress(item.body), type=list[Member])
    return Pack(item.pack, members, item.at)
