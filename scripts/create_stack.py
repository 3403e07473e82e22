"""Create a stack without CloudFormation, for tests: tables from the models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from gossamer.adapters.aws.dynamodb.models import MODELS
from gossamer.adapters.aws.dynamodb.table import table_name
from gossamer.messages import Stream
from gossamer.topology import LOST

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pynamodb.models import Model

    from gossamer.adapters.aws.clients import Clients


def table_definition(stack: str, model: type[Model]) -> dict[str, Any]:
    """A table as CreateTable wants it."""
    schema = model._get_schema()
    definition: dict[str, Any] = {
        "TableName": table_name(stack, model),
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": schema["attribute_definitions"],
        "KeySchema": _hash_first(schema["key_schema"]),
    }
    indexes = [
        {
            "IndexName": index["index_name"],
            "KeySchema": _hash_first(index["key_schema"]),
            "Projection": index["projection"],
        }
        for index in schema["global_secondary_indexes"]
    ]
    if indexes:
        definition["GlobalSecondaryIndexes"] = indexes
    return definition


def _hash_first(schema: Any) -> list[dict[str, str]]:
    return sorted(schema, key=lambda key: str(key["KeyType"]))


def create_tables(clients: Clients, stack: str) -> None:
    """Create all tables of a stack."""
    for model in MODELS:
        definition = table_definition(stack, model)
        clients.call("dynamodb", "CreateTable", f"table {definition['TableName']}", **definition)


def create_queues(
    clients: Clients, stack: str, visibility: Mapping[str, float] | None = None
) -> dict[str, str]:
    """Create a queue and one of dead letters for every stream, and that of lost messages.

    Returns where they are.
    """
    given, urls = visibility or {}, {}
    names = [f"{stream}{end}" for stream in get_args(Stream) for end in ("", "-dead")]
    for name in (*names, LOST):
        hidden = {"VisibilityTimeout": str(int(given.get(name, 60.0)))}
        full = f"{stack}-{name}"
        made = clients.call(
            "sqs", "CreateQueue", f"queue {full}", QueueName=full, Attributes=hidden
        )
        urls[name] = str(made["QueueUrl"])
    return urls


def create_stack(clients: Clients, stack: str) -> dict[str, str]:
    """Create tables, queues and the bucket (which has the stack's name) of a stack."""
    create_tables(clients, stack)
    clients.call("s3", "CreateBucket", f"bucket {stack}", Bucket=stack)
    return create_queues(clients, stack)
