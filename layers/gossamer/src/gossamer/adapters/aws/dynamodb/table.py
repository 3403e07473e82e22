"""Read and write items of one table, by its model.

PynamoDB describes tables, (de)serialises items and writes expressions, with every name escaped. The
calls themselves are made here, because its own lose what we need: the old item that a failed
condition brings (6.1 drops it from the error), one client for all tables (it makes one per model),
the name of a stack at run time, waits with jitter, and a deadline, for what a batch left undone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypedDict, TypeVar, Unpack

import msgspec
from botocore.exceptions import ClientError
from pynamodb.expressions.projection import create_projection_expression
from pynamodb.expressions.update import Update
from pynamodb.models import Model

from gossamer.adapters.aws.clients import retrying
from gossamer.adapters.aws.errors import CONDITION, code_of, translated

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pynamodb.attributes import Attribute
    from pynamodb.expressions.condition import Condition
    from pynamodb.expressions.update import Action

    from gossamer.adapters.aws.clients import Clients

M = TypeVar("M", bound=Model)
Raw = dict[str, dict[str, Any]]
Key = tuple[Any, ...]  # hash key, and range key if the table has one
Returns = Literal["NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"]

GETS, WRITES = 100, 25  # keys and items that one batch takes


class Reading(TypedDict, total=False):
    """How a query is read: see `Table.query_raw`."""

    only: Condition | None
    attributes: Sequence[Attribute[Any]]
    newest: bool
    limit: int


@dataclass(frozen=True, slots=True)
class Written(Generic[M]):
    """What came of a conditional write; if it was refused, the item as it is."""

    done: bool
    item: M | None = None


class Table(Generic[M]):
    """One table of one stack."""

    def __init__(self, clients: Clients, stack: str, model: type[M]) -> None:
        self.clients, self.model = clients, model
        self.name = table_name(stack, model)
        given = model.get_attributes().values()
        ranges = [attribute for attribute in given if attribute.is_range_key]
        self.keys = [hash_attribute(model), *ranges]

    def key(self, key: Key) -> Raw:
        return {
            attribute.attr_name: {attribute.attr_type: attribute.serialize(value)}
            for attribute, value in zip(self.keys, key, strict=True)
        }

    def read(self, raw: Raw | None) -> M | None:
        return self.model.from_raw_data(raw) if raw else None

    def call(self, operation: str, **parameters: Any) -> Any:
        return self.clients.call(
            "dynamodb", operation, f"table {self.name}", TableName=self.name, **parameters
        )

    def get(self, *key: Any, newest: bool = False) -> M | None:
        """An item; the newest, at twice the price, if it may have been written just now."""
        found = self.call("GetItem", Key=self.key(key), ConsistentRead=newest)
        return self.read(found.get("Item"))

    def put(self, item: M, condition: Condition | None = None, **more: Any) -> Written[M]:
        """Write a whole item, if a condition holds; `more` are raw attributes of any name."""
        raw = {**more, **item.serialize()}
        return self._write("PutItem", self._key_in(raw), Expressions(condition), Item=raw)

    def update(
        self,
        key: Key,
        actions: Sequence[Action],
        condition: Condition | None = None,
        returns: Returns = "NONE",
    ) -> Written[M]:
        raw = self.key(key)
        expressions = Expressions(condition, actions)
        return self._write("UpdateItem", raw, expressions, Key=raw, ReturnValues=returns)

    def delete(self, *key: Any, condition: Condition | None = None) -> Written[M]:
        raw = self.key(key)
        return self._write("DeleteItem", raw, Expressions(condition), Key=raw)

    def _write(
        self, operation: str, key: Raw, expressions: Expressions, **parameters: Any
    ) -> Written[M]:
        parameters |= expressions.parameters()
        if "ConditionExpression" in parameters:
            parameters["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        with translated(operation, f"table {self.name}"):
            try:
                done = self.clients.raw("dynamodb", operation, TableName=self.name, **parameters)
            except ClientError as error:
                if code_of(error) != CONDITION:
                    raise
                return Written(False, self._old(error, key))
        return Written(True, self.read(done.get("Attributes")))

    def _old(self, error: ClientError, key: Raw) -> M | None:
        """The item that refused; not every DynamoDB tells it, so it may have to be read."""
        told = error.response.get("Item")
        if told:
            return self.read(told)
        return self.read(self.call("GetItem", Key=key, ConsistentRead=True).get("Item"))

    def query(
        self, hash_key: Any, where: Condition | None = None, **how: Unpack[Reading]
    ) -> Iterator[M]:
        """The items of a key in order, page by page as far as the caller reads on.

        `where` narrows the sort key; `only` drops what was read and paid for all the same.
        """
        hash_is = hash_attribute(self.model) == hash_key
        return map(self.model.from_raw_data, self.query_raw(hash_is, where, **how))

    def query_raw(
        self,
        hash_is: Condition,
        where: Condition | None = None,
        *,
        only: Condition | None = None,
        attributes: Sequence[Attribute[Any]] = (),
        newest: bool = False,
        limit: int = 0,
        index: str = "",
        backwards: bool = False,
        start: Raw | None = None,
    ) -> Iterator[Raw]:
        """The same, as DynamoDB has it."""
        expressions = Expressions(
            key=hash_is if where is None else hash_is & where, only=only, attributes=attributes
        )
        parameters: dict[str, Any] = {"ConsistentRead": newest, **expressions.parameters()}
        if backwards:
            parameters["ScanIndexForward"] = False
        if limit:
            parameters["Limit"] = limit  # of a page: what is read ahead is paid for
        if index:
            parameters["IndexName"] = index
        if start:
            parameters["ExclusiveStartKey"] = start
        yield from self._pages("Query", parameters)

    def _pages(self, operation: str, parameters: dict[str, Any]) -> Iterator[Raw]:
        while True:
            page = self.call(operation, **parameters)
            yield from page.get("Items", ())
            last = page.get("LastEvaluatedKey")
            if not last:
                return
            parameters = {**parameters, "ExclusiveStartKey": last}

    def scan(
        self,
        only: Condition | None = None,
        attributes: Sequence[Attribute[Any]] = (),
        *,
        beginning: bytes = b"",
        segments: int = 1,
    ) -> Iterator[M]:
        """Every item, in no order; a large table in segments at once. For people, not for bolts.

        `beginning`: of a binary key. Looked at here: emulators compare bytes by their base64, and a
        filter saves nothing of what a scan costs.
        """
        name = self.keys[0].attr_name
        for raw in self._scan(Expressions(only=only, attributes=attributes).parameters(), segments):
            if not beginning or raw[name]["B"].startswith(beginning):
                yield self.model.from_raw_data(raw)

    def scan_after(self, mark: bytes, beginning: bytes | str) -> Iterator[tuple[bytes, M]]:
        """The items whose key begins so, each with a mark; behind an earlier mark, if there is one.

        A table keeps its order as long as nothing is written.
        """
        name, kind = self.keys[0].attr_name, self.keys[0].attr_type
        start = {"ExclusiveStartKey": msgspec.msgpack.decode(mark)} if mark else {}
        for raw in self._pages("Scan", start):
            if raw[name][kind].startswith(beginning):
                key = self._key_in(raw)
                yield msgspec.msgpack.encode(key), self.model.from_raw_data(raw)

    def page_after(
        self, mark: bytes, attributes: Sequence[Attribute[Any]]
    ) -> tuple[list[Raw], bytes]:
        """Some items as DynamoDB has them, and the mark behind them; empty after the last one."""
        wanted = Expressions(attributes=attributes).parameters()
        if mark:
            wanted["ExclusiveStartKey"] = msgspec.msgpack.decode(mark)
        page = self.call("Scan", **wanted)
        last = page.get("LastEvaluatedKey")
        return page.get("Items", []), msgspec.msgpack.encode(last) if last else b""

    def raw_pages(self, mark: bytes = b"") -> Iterator[tuple[bytes, list[Raw]]]:
        """All items as DynamoDB has them, page by page, each with the mark behind it."""
        start = {"ExclusiveStartKey": msgspec.msgpack.decode(mark)} if mark else {}
        while True:
            page = self.call("Scan", **start)
            last = page.get("LastEvaluatedKey")
            yield msgspec.msgpack.encode(last) if last else b"", page.get("Items", [])
            if not last:
                return
            start = {"ExclusiveStartKey": last}

    def raw_by_key(self, like: Iterable[Raw]) -> dict[str, Raw]:
        """The items that have the keys of these, by `name_of`."""
        wanted = list({self.name_of(raw): self._key_in(raw) for raw in like}.values())
        batches = [wanted[i : i + GETS] for i in range(0, len(wanted), GETS)]
        found = self.clients.each(lambda batch: self._batch(batch, (), False), batches)
        return {self.name_of(raw): raw for some in found for raw in some}

    def name_of(self, raw: Raw) -> str:
        """The key of an item as text that tells it from others."""
        return repr(sorted(self._key_in(raw).items()))

    def write_raw(self, puts: Iterable[Raw] = (), deletes: Iterable[Raw] = ()) -> None:
        """Write items as they are, and delete those that have the keys of others."""
        rows = [{"PutRequest": {"Item": raw}} for raw in puts]
        rows += [{"DeleteRequest": {"Key": self._key_in(raw)}} for raw in deletes]
        self.clients.each(
            self._write_batch, [rows[i : i + WRITES] for i in range(0, len(rows), WRITES)]
        )

    def _scan(self, parameters: dict[str, Any], segments: int) -> Iterator[Raw]:
        if segments == 1:
            yield from self._pages("Scan", parameters)
            return
        waiting: list[dict[str, Any]] = [
            {"Segment": n, "TotalSegments": segments, **parameters} for n in range(segments)
        ]
        while waiting:
            pages = self.clients.each(lambda given: self.call("Scan", **given), waiting)
            for page in pages:
                yield from page.get("Items", ())
            waiting = [
                {**given, "ExclusiveStartKey": page["LastEvaluatedKey"]}
                for given, page in zip(waiting, pages, strict=True)
                if page.get("LastEvaluatedKey")
            ]

    def read_many(
        self,
        keys: Iterable[Key],
        attributes: Sequence[Attribute[Any]] = (),
        *,
        newest: bool = False,
    ) -> Iterator[M]:
        """The items of some keys, in no order; keys without an item are left out."""
        raws = [self.key(key) for key in dict.fromkeys(keys)]  # a key twice would be refused
        batches = [raws[i : i + GETS] for i in range(0, len(raws), GETS)]
        found = self.clients.each(lambda batch: self._batch(batch, attributes, newest), batches)
        for items in found:
            for raw in items:
                yield self.model.from_raw_data(raw)

    def _batch(
        self, keys: list[Raw], attributes: Sequence[Attribute[Any]], newest: bool
    ) -> list[Raw]:
        wanted = {"ConsistentRead": newest, **Expressions(attributes=attributes).parameters()}
        found: list[Raw] = []
        for _ in retrying(f"reading table {self.name}"):
            request = {self.name: {"Keys": keys, **wanted}}
            answer = self._whole("BatchGetItem", request)
            found += answer.get("Responses", {}).get(self.name, [])
            # More than 16 MB, or throttled in part: the rest is asked for again.
            keys = answer.get("UnprocessedKeys", {}).get(self.name, {}).get("Keys", [])
            if not keys:
                break
        return found

    def write_many(self, puts: Iterable[M] = (), deletes: Iterable[Key] = ()) -> None:
        """Write and delete items without conditions; one key once, or it would be refused."""
        gone = map(self.key, deletes)
        requests: Raw = {repr(key): {"DeleteRequest": {"Key": key}} for key in gone}
        for item in puts:
            raw = item.serialize()
            requests[repr(self._key_in(raw))] = {"PutRequest": {"Item": raw}}
        rows = list(requests.values())
        self.clients.each(
            self._write_batch, [rows[i : i + WRITES] for i in range(0, len(rows), WRITES)]
        )

    def _write_batch(self, requests: list[dict[str, Any]]) -> None:
        for _ in retrying(f"writing table {self.name}"):
            answer = self._whole("BatchWriteItem", {self.name: requests})
            requests = answer.get("UnprocessedItems", {}).get(self.name, [])
            if not requests:
                break

    def _whole(self, operation: str, requests: dict[str, Any]) -> Any:
        resource = f"table {self.name}"
        return self.clients.call("dynamodb", operation, resource, RequestItems=requests)

    def _key_in(self, raw: Raw) -> Raw:
        return {a.attr_name: raw[a.attr_name] for a in self.keys}


class Expressions:
    """The expressions of one call, which share their placeholders."""

    def __init__(
        self,
        condition: Condition | None = None,
        actions: Sequence[Action] = (),
        *,
        key: Condition | None = None,
        only: Condition | None = None,
        attributes: Sequence[Attribute[Any]] = (),
    ) -> None:
        self._given = {
            "ConditionExpression": condition,
            "UpdateExpression": Update(*actions) if actions else None,
            "KeyConditionExpression": key,
            "FilterExpression": only,
        }
        self._attributes = attributes

    def parameters(self) -> dict[str, Any]:
        names: dict[str, str] = {}
        values: dict[str, Any] = {}
        written: dict[str, Any] = {
            name: expression.serialize(names, values)
            for name, expression in self._given.items()
            if expression is not None
        }
        if self._attributes:
            projected = [a.attr_name for a in self._attributes]
            written["ProjectionExpression"] = create_projection_expression(projected, names)
        if names:
            written["ExpressionAttributeNames"] = {mark: name for name, mark in names.items()}
        if values:
            written["ExpressionAttributeValues"] = values
        return written


AnyTable = Table[Any]


def table_name(stack: str, model: type[Model]) -> str:
    """The name of a table in a stack."""
    return f"{stack}-{model.Meta.table_name}"


def begins(attribute: Attribute[Any], prefix: str) -> Condition:
    """That a key begins so."""
    return attribute.startswith(prefix)


def is_nothing(attribute: Attribute[Any]) -> Condition:
    """That a number is 0, or not there."""
    nothing: Condition = attribute.does_not_exist() | (attribute == 0)
    return nothing


def assign(attribute: Attribute[Any], value: Any) -> Action:
    """Set an attribute; serialised here, because PynamoDB takes every value for a list's to be one.

    None removes it.
    """
    if value is None:
        return attribute.remove()
    return attribute.set({attribute.attr_type: attribute.serialize(value)})


def hash_attribute(model: type[Model]) -> Attribute[Any]:
    """The partition key of a table."""
    return next(a for a in model.get_attributes().values() if a.is_hash_key)
