"""Change several items together or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from gossamer.adapters.aws.dynamodb.table import Expressions
from gossamer.adapters.aws.errors import CANCELED, code_of, translated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pynamodb.expressions.condition import Condition
    from pynamodb.expressions.update import Action

    from gossamer.adapters.aws.clients import Clients, Json
    from gossamer.adapters.aws.dynamodb.table import AnyTable, Key

MOST = 100  # items of one transaction, each once


@dataclass(frozen=True, slots=True)
class Change:
    """An update of one item inside a transaction."""

    table: AnyTable
    key: Key
    actions: Sequence[Action]
    condition: Condition

    def request(self) -> Json:
        return {
            "Update": {
                "TableName": self.table.name,
                "Key": self.table.key(self.key),
                "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                **Expressions(self.condition, self.actions).parameters(),
            }
        }


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why one change stopped a transaction."""

    code: str  # "" = it did not; "ConditionalCheckFailed", "TransactionConflict", …
    item: Any = None  # as it is, if its condition failed


def transact(clients: Clients, changes: Sequence[Change]) -> list[Refusal] | None:
    """Make all changes; None if they were made, else for each change why it was not."""
    names = ", ".join(sorted({f"table {change.table.name}" for change in changes}))
    requests = [change.request() for change in changes]
    with translated("TransactWriteItems", names):
        try:
            clients.raw("dynamodb", "TransactWriteItems", TransactItems=requests)
        except ClientError as error:
            if code_of(error) != CANCELED:
                raise
            reasons: list[Json] = error.response.get("CancellationReasons", [])
            return [_refusal(change, r) for change, r in zip(changes, reasons, strict=False)]
    return None


def _refusal(change: Change, reason: Json) -> Refusal:
    code = str(reason.get("Code") or "None")
    if code == "None":
        return Refusal("")
    item = change.table.read(reason.get("Item"))
    if item is None and code == "ConditionalCheckFailed":  # not every DynamoDB tells
        item = change.table.get(*change.key, newest=True)
    return Refusal(code, item)
