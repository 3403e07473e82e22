"""Change several items together or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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
                **Expressions(self.condition, self.actions).parameters(),
            }
        }


def transact(clients: Clients, changes: Sequence[Change]) -> bool:
    """Make all changes, or none: False if a condition failed or another writer came in between."""
    names = ", ".join(sorted({f"table {change.table.name}" for change in changes}))
    requests = [change.request() for change in changes]
    with translated("TransactWriteItems", names):
        try:
            clients.raw("dynamodb", "TransactWriteItems", TransactItems=requests)
        except ClientError as error:
            if code_of(error) != CANCELED:
                raise
            return False
    return True
