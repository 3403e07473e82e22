"""Delete a collection with everything that was stored of it."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from gossamer.adapters.aws.dynamodb.models import MODELS
from gossamer.adapters.aws.dynamodb.table import Table, begins, hash_attribute
from gossamer.core.errors import PermanentError

if TYPE_CHECKING:
    from pynamodb.expressions.condition import Condition
    from pynamodb.models import Model

    from gossamer.adapters.aws.clients import Clients
    from gossamer.adapters.aws.dynamodb.table import AnyTable

AT_ONCE = 1000  # keys in memory; also what one DeleteObjects takes
FOLDERS = ("warc", "documents", "index", "similar")


def purge_tables(clients: Clients, stack: str, collection: str) -> dict[str, int]:
    """Delete all items of a collection; returns how many of which table."""
    tables: list[AnyTable] = [Table(clients, stack, model) for model in MODELS]
    return {table.model.Meta.table_name: _purge(table, collection) for table in tables}


def _purge(table: AnyTable, collection: str) -> int:
    if table.keys[0].attr_type == "B":
        found = table.scan(None, table.keys, beginning=collection.encode() + b"#")
    else:
        found = table.scan(_belongs(table.model, collection), table.keys)
    names = [_python_name(table.model, key.attr_name) for key in table.keys]
    keys = (tuple(getattr(item, name) for name in names) for item in found)
    deleted = 0
    while some := list(islice(keys, AT_ONCE)):
        table.write_many(deletes=some)
        deleted += len(some)
    return deleted


def _belongs(model: type[Model], collection: str) -> Condition:
    """Keys are the collection itself, or begin with it and "#"."""
    key = hash_attribute(model)
    either: Condition = (key == collection) | begins(key, f"{collection}#")
    return either


def _python_name(model: type[Model], attribute: str) -> str:
    return next(n for n, a in model.get_attributes().items() if a.attr_name == attribute)


def purge_objects(clients: Clients, bucket: str, collection: str) -> int:
    """Delete all objects of a collection; returns how many."""
    deleted = 0
    for folder in FOLDERS:
        names = clients.objects(bucket, f"{folder}/{collection}/")
        while some := list(islice(names, AT_ONCE)):
            _delete(clients, bucket, some)
            deleted += len(some)
    return deleted


def _delete(clients: Clients, bucket: str, names: list[str]) -> None:
    wanted = {"Objects": [{"Key": name} for name in names], "Quiet": True}
    answer = clients.call("s3", "DeleteObjects", f"bucket {bucket}", Bucket=bucket, Delete=wanted)
    for error in answer.get("Errors", ()):
        raise PermanentError(f"{error.get('Key')} cannot be deleted: {error.get('Code')}")
