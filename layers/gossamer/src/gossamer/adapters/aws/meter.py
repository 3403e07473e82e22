"""Count the billed units of all AWS calls of this process.

Hooks into botocore's events, so it sees every call; repeated attempts of one call
are not billed and not counted. Two sizes are not in a call: that of an item after an UpdateItem
without ReturnValues=ALL_NEW, and that of an item before a delete. For both the meter takes what it
last saw of the item, and else what the call itself holds; our items are small where that matters.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from gossamer.adapters.aws.dynamodb.models import MODELS
from gossamer.adapters.aws.errors import CONDITION
from gossamer.core.cost.aws_units import (
    INDEX_TABLES,
    batch_read_units,
    index_entry_size,
    item_size,
    read_units,
    sqs_requests,
    write_units,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    Item = dict[str, dict[str, Any]]
    Call = dict[str, Any]

_CALL = "gossamer-call"
MAX_REMEMBERED = 20_000  # sizes of items, about 4 MB
# The secondary indexes: which attributes their entries need, and which they carry.
INDEXED = {
    "inverted_index": (("term", "imp"), ("k", "g", "x", "n", "df")),
    "frontier": (("h", "un"), ("p",)),
    "jobs": (("st", "k"), ()),
}
# Where updates move entries: the old one is deleted, and the new one written.
MOVING = {"frontier": "un", "jobs": "st"}
# A permission is not always called like the operation.
PERMISSIONS = {
    "SendMessageBatch": "SendMessage",
    "DeleteMessageBatch": "DeleteMessage",
    "ChangeMessageVisibilityBatch": "ChangeMessageVisibility",
    "ListObjectsV2": "ListBucket",
    "HeadBucket": "ListBucket",
    "HeadObject": "GetObject",
    "DeleteObjects": "DeleteObject",
    "CreateMultipartUpload": "PutObject",
    "UploadPart": "PutObject",
    "CompleteMultipartUpload": "PutObject",
    "Invoke": "InvokeFunction",
}
MISSING = ("NoSuchKey", "404")
TRANSACTED = {
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
}
S3_GETS = frozenset({"GetObject", "HeadObject", "HeadBucket"})
S3_FREE = frozenset({"DeleteObject", "DeleteObjects", "AbortMultipartUpload"})


class Sizes(NamedTuple):
    """The bytes of an item, and of its entry in a secondary index."""

    item: int
    entry: int


NOTHING = Sizes(0, 0)


class Meter:
    """Counts what the clients that it watches do; units by kind, resource and operation."""

    def __init__(self) -> None:
        self.units: dict[tuple[str, str, str], float] = defaultdict(float)
        self.calls: Counter[tuple[str, str]] = Counter()  # permission, resource
        self._seen: dict[tuple[str, str], Sizes] = {}
        self._lock = threading.Lock()  # calls are made by several threads

    def watch(self, events: Any) -> None:
        """Count what goes through an event emitter: a client's, or that of a whole session."""
        events.register(
            "before-parameter-build", self._begin, unique_id=f"gossamer-begin-{id(self)}"
        )
        events.register("after-call", self._end, unique_id=f"gossamer-end-{id(self)}")

    def totals(self) -> dict[str, float]:
        """All units by kind: wru (of these, wru_index for the index), rru, sqs, s3put, s3get."""
        found: dict[str, float] = defaultdict(float)
        for (unit, resource, _), count in self.units.items():
            found[unit] += count
            if unit == "wru" and resource in INDEX_TABLES:
                found["wru_index"] += count
        return found

    def add(self, unit: str, count: float, resource: str = "", operation: str = "") -> None:
        """Count what no call shows, as the polls that Lambda makes in our name."""
        self.units[unit, resource, operation] += count

    def reset(self) -> None:
        """Begin again from nothing; what was learned of sizes stays."""
        self.units.clear()
        self.calls.clear()

    def _begin(self, params: Call, context: dict[str, Any], **_: Any) -> None:
        context[_CALL] = params

    def _end(self, parsed: Call, model: Any, context: dict[str, Any], **_: Any) -> None:
        with self._lock:
            service: str = model.service_model.service_name
            self._count(service, model.name, context.get(_CALL, {}), parsed)

    def _count(self, service: str, operation: str, given: Call, parsed: Call) -> None:
        error = parsed.get("Error", {}).get("Code", "")
        if service == "dynamodb":
            self._dynamodb(operation, given, parsed, error)
            return
        resource = _resource(given)
        permission = PERMISSIONS.get(operation, operation)
        self.calls[f"{service}:{permission}", resource] += 1
        if service == "s3" and error in MISSING:
            # Who may not list a bucket is told that a missing object is forbidden.
            self.calls["s3:ListBucket", "bucket:"] += 1
        if service == "sqs":
            self.add("sqs", sqs_requests(_payload(given, parsed)), resource, operation)
        elif service == "s3" and not error and operation not in S3_FREE:
            self.add("s3get" if operation in S3_GETS else "s3put", 1, resource, operation)

    def _dynamodb(self, operation: str, given: Call, parsed: Call, error: str) -> None:
        if error and not parsed.get("CancellationReasons") and error != CONDITION:
            return  # throttled, refused, or wrong: not billed
        count = _COUNTED.get(operation)
        if count is not None:
            count(self, operation, given, parsed, error)

    def _bill(self, unit: str, units: float, table: str, operation: str) -> None:
        self.calls[f"dynamodb:{operation}", table] += 1
        self.add(unit, units, table, operation)

    def _one_write(self, operation: str, given: Call, parsed: Call, error: str) -> None:
        table = base_name(given["TableName"])
        if error == CONDITION:
            there = parsed.get("Item")
            size = item_size(there) if there else self._before(table, given).item
            self._bill("wru", write_units(size), table, operation)
            return
        units = self._change(table, operation, given, parsed.get("Attributes"))
        self._bill("wru", units, table, operation)

    def _change(self, table: str, operation: str, given: Call, told: Item | None) -> int:
        """The units of one write: the larger of the item before and after, and the index."""
        before = self._before(table, given)
        if operation == "DeleteItem":
            self._remember(table, given, None)
            size = item_size(told) if told else before.item
            return write_units(size) + (write_units(before.entry) if before.entry else 0)
        after = _sizes(table, _written(operation, given, told))
        if operation == "UpdateItem" and not _is_whole(given):
            after = Sizes(max(before.item, after.item), before.entry)
        self._remember(table, given, after)
        units = write_units(max(before.item, after.item))
        return units + _entry_units(table, operation, given, before.entry, after.entry)

    def _batch_write(self, operation: str, given: Call, parsed: Call, error: str) -> None:
        left = parsed.get("UnprocessedItems") or {}
        for name, requests in given["RequestItems"].items():
            table = base_name(name)
            units = 0
            for request in requests:
                if request in left.get(name, ()):
                    continue
                if "PutRequest" in request:
                    units += self._change(table, "PutItem", request["PutRequest"], None)
                else:
                    units += self._change(table, "DeleteItem", request["DeleteRequest"], None)
            self._bill("wru", units, table, operation)

    def _transact_write(self, operation: str, given: Call, parsed: Call, error: str) -> None:
        for action in given["TransactItems"]:
            ((kind, what),) = action.items()
            table = base_name(what["TableName"])
            name = TRANSACTED[kind]
            if error or kind == "ConditionCheck":
                units = write_units(self._before(table, what).item)
            else:
                units = self._change(table, name, what, None)
            self._bill("wru", 2 * units, table, name)

    def _get(self, operation: str, given: Call, parsed: Call, error: str) -> None:
        item = parsed.get("Item") or {}
        table = base_name(given["TableName"])
        self._notice(table, given, item)
        consistent = given.get("ConsistentRead", False)
        units = read_units(item_size(item), consistent=consistent)
        self._bill("rru", units, table, operation)

    def _query(self, operation: str, given: Call, parsed: Call, error: str) -> None:
        table = base_name(given["TableName"])
        items = parsed.get("Items", ())
        index = given.get("IndexName", "")
        if not index:
            for item in items:
                self._notice(table, given, item)
        units = read_units(
            sum(map(item_size, items)), consistent=given.get("ConsistentRead", False)
        )
        self._bill("rru", units, f"{table}/{index}" if index else table, operation)

    def _batch_get(self, operation: str, given: Call, parsed: Call, error: str) -> None:
        for name, request in given["RequestItems"].items():
            left = len(parsed.get("UnprocessedKeys", {}).get(name, {}).get("Keys", ()))
            sizes = [item_size(item) for item in parsed.get("Responses", {}).get(name, ())]
            sizes += [0] * (len(request["Keys"]) - left - len(sizes))  # not there, but asked for
            consistent = request.get("ConsistentRead", False)
            units = batch_read_units(sizes, consistent=consistent)
            self._bill("rru", units, base_name(name), operation)

    def _before(self, table: str, given: Call) -> Sizes:
        return self._seen.get((table, _key(table, given)), NOTHING)

    def _notice(self, table: str, given: Call, item: Item) -> None:
        if item and "ProjectionExpression" not in given:
            self._remember(table, {"Item": item}, _sizes(table, item))

    def _remember(self, table: str, given: Call, sizes: Sizes | None) -> None:
        key = table, _key(table, given)
        if len(self._seen) >= MAX_REMEMBERED:
            self._seen.clear()
        if sizes is None:
            self._seen.pop(key, None)
        else:
            self._seen[key] = sizes


KEYS: dict[str, tuple[str, ...]] = {
    str(model.Meta.table_name): tuple(
        attribute.attr_name
        for attribute in model.get_attributes().values()
        if attribute.is_hash_key or attribute.is_range_key
    )
    for model in MODELS
}

_COUNTED: dict[str, Callable[[Meter, str, Call, Call, str], None]] = {
    "PutItem": Meter._one_write,
    "UpdateItem": Meter._one_write,
    "DeleteItem": Meter._one_write,
    "BatchWriteItem": Meter._batch_write,
    "TransactWriteItems": Meter._transact_write,
    "GetItem": Meter._get,
    "Query": Meter._query,
    "Scan": Meter._query,
    "BatchGetItem": Meter._batch_get,
}


def base_name(name: str) -> str:
    """A table or queue without its stack, by its name, address or ARN."""
    short = name.rpartition("/")[2].rpartition(":")[2]
    stem = short.removesuffix("-dead")
    return stem.rpartition("-")[2] + short[len(stem) :]


def _key(table: str, given: Call) -> str:
    """The key of the item that a call is about, as one value."""
    item = given.get("Key") or given.get("Item") or {}
    return repr([item.get(name) for name in KEYS.get(table, ())])


def _sizes(table: str, item: Item) -> Sizes:
    if table not in INDEXED:
        return Sizes(item_size(item), 0)
    keys, projected = INDEXED[table]
    return Sizes(item_size(item), index_entry_size(item, keys, projected))


def _entry_units(table: str, operation: str, given: Call, before: int, after: int) -> int:
    """The units that a write takes in a secondary index."""
    moving = MOVING.get(table)
    if operation == "UpdateItem" and moving:
        # At most: what had no entry before, or keeps its place, takes less.
        return 2 if moving in given.get("ExpressionAttributeNames", {}).values() else 0
    entry = max(before, after)
    return write_units(entry) if entry else 0


def _written(operation: str, given: Call, told: Item | None) -> Item:
    """The item after a write, as far as the call shows it."""
    if operation == "PutItem":
        item: Item = given["Item"]
        return item
    if _is_whole(given) and told:
        return told
    values = given.get("ExpressionAttributeValues", {})
    return {**given["Key"], **{name.strip(":"): value for name, value in values.items()}}


def _is_whole(given: Call) -> bool:
    return given.get("ReturnValues") == "ALL_NEW"


def _resource(given: Call) -> str:
    """What a call is about, as the policies of template.yaml name it, without the stack."""
    match given:
        case {"QueueUrl": str(name)} | {"QueueName": str(name)}:
            return f"queue:{base_name(name)}"
        case {"UUID": str()}:
            return "mapping:"
        case {"FunctionName": str(name)}:
            return f"function:{base_name(name)}"
        case {"Bucket": str(), "Delete": {"Objects": [{"Key": str(path)}, *_]}}:
            return f"bucket:{path.partition('/')[0]}/"
        case {"Bucket": str()}:
            path = str(given.get("Key") or "")  # a permission to list is one on the bucket
            return f"bucket:{path.partition('/')[0]}/" if path else "bucket:"
        case {"SecretId": str(name)}:
            # stack-admin-key by its name, or by its ARN, which ends with six characters more
            plain = name.rpartition(":")[2].rpartition("-")[0] if ":" in name else name
            return f"secret:{'-'.join(plain.split('-')[-2:])}"
        case _:
            return "*"


def _payload(given: Call, parsed: Call) -> int:
    bodies = [given, *given.get("Entries", ()), *parsed.get("Messages", ())]
    texts = (str(body.get("MessageBody") or body.get("Body") or "") for body in bodies)
    return sum(len(text.encode()) for text in texts)
