"""Tables of moto that are as full as those of a large crawl, without ten million items in memory.

One item is written by the store itself, and the others are copies of it with keys of their own. Of
URLs only an array of ids is kept: an item is made when it is asked for. Packs of the frontier are
put into moto's table directly, because a query looks at all of them.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import Table

from gossamer.adapters.aws.dynamodb import keys
from gossamer.adapters.aws.home import AwsHome
from gossamer.core.crawl.url_record import UrlEntry, UrlRecord
from gossamer.core.urls import host_of, url_id
from gossamer.messages import CrawlRequest

ACCOUNT = "123456789012"  # moto's
REGION = "us-east-1"  # of `open_stack`, if no other is set
Address = Callable[[int], str]


class KnownUrls(dict[DynamoType, Item]):
    """The items of table `urls`: those that were written, and those of the first addresses."""

    def __init__(self, home: AwsHome, address: Address, job: str) -> None:
        self._address, self._collection = address, home.collection
        self._table = _table(home, "urls")
        self._model = self._written(home, job)
        self._ids, self._numbers = np.empty(0, np.uint64), np.empty(0, np.intp)
        super().__init__(self._table.items)
        self._table.items = self  # type: ignore[assignment]

    def _written(self, home: AwsHome, job: str) -> dict[str, Any]:
        """An item as the store writes it."""
        url = self._address(0)
        record = UrlRecord(id=url_id(url), url=url, host=host_of(url), depth=2, via=b"\1" * 16)
        home.urls.load([UrlEntry(record, job)])
        return _raw(next(iter(self._table.items.values())))

    def know(self, count: int) -> None:
        """Know so many addresses from now on."""
        ids = b"".join(url_id(self._address(n))[:8] for n in range(count))
        found = np.frombuffer(ids, ">u8").astype(np.uint64)
        self._numbers = np.argsort(found)
        self._ids = found[self._numbers]

    def __contains__(self, key: Any) -> bool:
        return super().__contains__(key) or self._number(key) is not None

    def __missing__(self, key: DynamoType) -> Item:
        number = self._number(key)
        if number is None:
            raise KeyError(key)
        return self.made(number)

    def made(self, number: int) -> Item:
        """The item of an address."""
        url = self._address(number)
        key = keys.binary(self._collection, url_id(url))
        raw = self._model | {"k": {"B": key}, "u": {"S": url}, "h": {"S": host_of(url)}}
        return Item(DynamoType(raw["k"]), None, raw)

    def _number(self, key: Any) -> int | None:
        id = keys.id_in(self._collection, key.value)
        wanted = np.uint64(int.from_bytes(id[:8], "big"))
        place = int(np.searchsorted(self._ids, wanted))
        is_known = place < len(self._ids) and self._ids[place] == wanted
        return int(self._numbers[place]) if is_known else None


class ParkedPacks:
    """The items of table `frontier`."""

    def __init__(self, home: AwsHome, request: CrawlRequest) -> None:
        """`request`: the pack that all others are copies of."""
        self._home, self._request = home, request
        self._table, self._count = _table(home, "frontier"), 0

    def park(self, host: str, count: int) -> None:
        """Have so many packs more for a host."""
        own = CrawlRequest(job=self._request.job, host=host, urls=self._request.urls)
        self._home.frontier.park(own)  # and its marker
        key = {"S": keys.textual(self._home.collection, host)}
        packs: dict[DynamoType, Item] = self._table.items[DynamoType(key)]
        model = _raw(next(iter(packs.values())))
        for _ in range(count):
            self._count += 1
            place = {"S": f"001#{self._count:032x}"}
            item = Item(DynamoType(key), DynamoType(place), model | {"p": place})
            packs[DynamoType(place)] = item


def _table(home: AwsHome, name: str) -> Table:
    backend = dynamodb_backends[ACCOUNT][REGION]
    return backend.tables[f"{home.stack}-{name}"]


def _raw(item: Any) -> dict[str, Any]:
    """The attributes of an item, as they were given."""
    return {name: {value.type: value.value} for name, value in item.attrs.items()}
