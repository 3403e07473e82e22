"""Compute the billed units of an AWS call from sizes, by AWS's published rules.

Items are in DynamoDB's own notation (`{"k": {"S": "web#1"}}`), because that is what is billed. The
rules are those of the developer guide's pages on item sizes and on read and write units; a test
checks their examples. The capacity that emulators report is wrong, so it is not used.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    Item = Mapping[str, Mapping[str, Any]]

WRITE_UNIT = 1024  # bytes
READ_UNIT = 4096
SQS_CHUNK = 64 * 1024
SQS_BATCH = 10  # messages of one request
# The tables of the index; their units are also counted separately, as `wru_index`.
INDEX_TABLES = frozenset({"inverted_index", "segments"})
DOCUMENT_OVERHEAD = 3  # bytes of a list or map, besides one for each of its elements


def item_size(item: Item) -> int:
    """The bytes of an item: the names and the values of its attributes."""
    return sum(len(name.encode()) + value_size(value) for name, value in item.items())


def value_size(value: Mapping[str, Any]) -> int:
    """The bytes of one value."""
    ((kind, given),) = value.items()
    match kind:
        case "S":
            return len(given.encode())
        case "N":
            return number_size(given)
        case "B":
            # The bytes themselves, not their base64 encoding.
            return len(base64.b64decode(given) if isinstance(given, str) else given)
        case "BOOL" | "NULL":
            return 1
        case "SS" | "NS" | "BS":
            return sum(value_size({kind[0]: element}) for element in given)
        case "L":
            return DOCUMENT_OVERHEAD + len(given) + sum(map(value_size, given))
        case "M":
            return DOCUMENT_OVERHEAD + len(given) + item_size(given)
    raise ValueError(f"no such type of DynamoDB: {kind}")


def number_size(text: str) -> int:
    """One byte for every two significant digits, one more, and one for a minus."""
    mantissa = text.lower().partition("e")[0].lstrip("+-").replace(".", "")
    digits = len(mantissa.strip("0"))
    return (digits + 1) // 2 + 1 + text.startswith("-")


def write_units(size: int) -> int:
    """Units for writing an item of this size; a write whose condition fails costs the same."""
    return max(1, -(-size // WRITE_UNIT))


def read_units(size: int, *, consistent: bool = False) -> float:
    """Units for one read: of an item, or of everything that one page of a query covered."""
    units = max(1, -(-size // READ_UNIT))
    return units if consistent else units / 2


def batch_read_units(sizes: Iterable[int], *, consistent: bool = False) -> float:
    """Units for a BatchGetItem: each item is rounded up; a missing item costs too."""
    return sum(read_units(size, consistent=consistent) for size in sizes)


def index_entry_size(item: Item, keys: Collection[str], projected: Collection[str]) -> int:
    """The bytes of an item's entry in a secondary index; 0 if it has none: an index is sparse."""
    if any(key not in item for key in keys):
        return 0
    return item_size({name: v for name, v in item.items() if name in keys or name in projected})


def sqs_requests(payload: int) -> int:
    """How many requests a call to SQS counts for: one per 64 KB."""
    return max(1, -(-payload // SQS_CHUNK))


def lambda_sqs_requests(messages: int, payload: int) -> int:
    """Requests that Lambda makes in our name for a batch: to receive messages and to delete them.

    That it polls a queue which has nothing is not in it (core/cost/standing.py).
    """
    if not messages:
        return 0
    calls = -(-messages // SQS_BATCH)
    return max(calls, sqs_requests(payload)) + calls
