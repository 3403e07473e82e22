"""What a stack consists of and stores: all that is paid for by the month."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gossamer.adapters.aws.dynamodb.models import MODELS
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.adapters.aws.stack.backups import RECOVERABLE
from gossamer.adapters.aws.stack.purge import FOLDERS
from gossamer.ports.admin.stack import Stored

if TYPE_CHECKING:
    from gossamer.adapters.aws.clients import Clients
    from gossamer.adapters.aws.dynamodb.table import AnyTable


def stored(clients: Clients, stack: str, bucket: str, collection: str) -> Stored:
    """Bytes in S3 of a collection, and in the tables of the stack as they were some hours ago."""
    tables: dict[str, AnyTable] = {
        model.Meta.table_name: Table(clients, stack, model) for model in MODELS
    }
    sizes = {name: _size(clients, table.name) for name, table in tables.items()}
    folders = (f"{folder}/{collection}/" for folder in FOLDERS)
    objects = (size for folder in folders for _, size in clients.object_sizes(bucket, folder))
    return Stored(
        s3=sum(objects),
        dynamodb=sum(size.whole for size in sizes.values()),
        recoverable=sum(sizes[name].items for name in RECOVERABLE),
    )


class _Size(NamedTuple):
    """Bytes of a table, which DynamoDB counts every six hours."""

    whole: int  # with its indexes
    items: int


def _size(clients: Clients, table: str) -> _Size:
    said = clients.call("dynamodb", "DescribeTable", f"table {table}", TableName=table)["Table"]
    items = int(said["TableSizeBytes"])
    indexes = said.get("GlobalSecondaryIndexes", ())
    return _Size(items + sum(int(each.get("IndexSizeBytes", 0)) for each in indexes), items)


def resources(clients: Clients, stack: str) -> Counter[str]:
    """How many resources of each type a stack has."""
    found: Counter[str] = Counter()
    where = {"StackName": stack}
    while True:
        page = clients.call("cloudformation", "ListStackResources", f"stack {stack}", **where)
        found.update(each["ResourceType"] for each in page["StackResourceSummaries"])
        if "NextToken" not in page:
            return found
        where["NextToken"] = page["NextToken"]
