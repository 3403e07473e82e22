"""Just enough of DynamoDB in memory to run thousands of interleavings of conditional writes."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Item = dict[str, dict[str, Any]]

KEYS = {"segments": ("k", "s"), "stats": ("k", "s"), "urls": ("k",), "documents": ("k",)}
# Table and attribute names are ours; the expressions are PynamoDB's.
_TOKEN = re.compile(r"attribute_not_exists|attribute_exists|AND|OR|[#:]\d+|<>|[=<>]=?|[()]")


class SmallDynamoDB:
    """Stands in for `Clients`. `before_call` may wait for its turn, or raise."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[str, Item]] = {}
        self.before_call: Callable[[str], None] = lambda _operation: None

    def each(self, work: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        return [work(item) for item in items]

    def call(self, _service: str, operation: str, _resource: str, **given: Any) -> Any:
        return self.raw("dynamodb", operation, **given)

    def raw(self, _service: str, operation: str, **given: Any) -> Any:
        self.before_call(operation)
        answer: Any = getattr(self, operation)(**given)
        return copy.deepcopy(answer)

    def GetItem(self, TableName: str, Key: Item, **_: Any) -> Any:
        found = self._table(TableName).get(self._mark(TableName, Key))
        return {"Item": found} if found else {}

    def BatchGetItem(self, RequestItems: dict[str, Any]) -> Any:
        found = {
            table: [self.GetItem(table, key).get("Item") for key in request["Keys"]]
            for table, request in RequestItems.items()
        }
        return {"Responses": {table: [i for i in items if i] for table, items in found.items()}}

    def Query(self, TableName: str, **given: Any) -> Any:
        first = given["ExpressionAttributeValues"][":0"]
        prefix = given["ExpressionAttributeValues"].get(":1", {"S": ""})["S"]
        rows = self._table(TableName).values()
        found = [r for r in rows if r["k"] == first and r["s"]["S"].startswith(prefix)]
        return {"Items": sorted(found, key=lambda row: str(row["s"]["S"]))}

    def PutItem(self, TableName: str, Item: Item, **given: Any) -> Any:
        mark = self._mark(TableName, Item)
        self._check(self._table(TableName).get(mark), given)
        self._table(TableName)[mark] = copy.deepcopy(Item)
        return {}

    def BatchWriteItem(self, RequestItems: dict[str, Any]) -> Any:
        for table, requests in RequestItems.items():
            for request in requests:
                self.PutItem(table, request["PutRequest"]["Item"])
        return {}

    def UpdateItem(self, TableName: str, Key: Item, **given: Any) -> Any:
        mark = self._mark(TableName, Key)
        before = self._table(TableName).get(mark)
        self._check(before, given)
        after = copy.deepcopy(before or Key)
        names, values = given["ExpressionAttributeNames"], given["ExpressionAttributeValues"]
        for kind, text in _clauses(given["UpdateExpression"]):
            for part in text.split(","):
                name, *value = re.findall(r"[#:]\d+", part)
                if kind == "REMOVE":
                    after.pop(names[name], None)
                elif kind == "SET":
                    after[names[name]] = values[value[0]]
                else:
                    old = int(after.get(names[name], {"N": "0"})["N"])
                    after[names[name]] = {"N": str(old + int(values[value[0]]["N"]))}
        self._table(TableName)[mark] = after
        return {"Attributes": after}

    def _table(self, name: str) -> dict[str, Item]:
        return self.tables.setdefault(name.rpartition("-")[2], {})

    def _mark(self, table: str, item: Item) -> str:
        return repr([item[key] for key in KEYS[table.rpartition("-")[2]]])

    def _check(self, item: Item | None, given: dict[str, Any]) -> None:
        condition = given.get("ConditionExpression")
        if condition is None:
            return
        names, values = (
            given["ExpressionAttributeNames"],
            given.get("ExpressionAttributeValues", {}),
        )
        words = [_word(token, item or {}, names, values) for token in _TOKEN.findall(condition)]
        if not eval(" ".join(words), {"__builtins__": {}}):  # noqa: S307 our own expressions
            error = {"Error": {"Code": "ConditionalCheckFailedException", "Message": ""}}
            raise ClientError({**error, "Item": item or {}}, "x")


def _word(token: str, item: Item, names: dict[str, str], values: dict[str, Any]) -> str:
    plain = {"AND": "and", "OR": "or", "=": "==", "<>": "!=", "attribute_not_exists": "not"}
    if token in plain:
        return plain[token]
    if token[0] == "#":
        return repr(_value(item.get(names[token])))
    return repr(_value(values[token])) if token[0] == ":" else token


def _value(value: dict[str, Any] | None) -> Any:
    if value is None:
        return ()  # equal to no value, and false
    ((kind, given),) = value.items()
    return (float(given),) if kind == "N" else (given,)


def _clauses(text: str) -> list[tuple[str, str]]:
    parts = re.split(r"\b(SET|REMOVE|ADD)\b", text)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))
