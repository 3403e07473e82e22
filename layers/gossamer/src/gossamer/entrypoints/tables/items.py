"""Items that stand on several pages, as one row each (docs/decisions/0098)."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from gossamer.core.near_duplicates.same_item import item_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gossamer.core.page.document import Document


class Found(NamedTuple):
    """A document, and when its page was read."""

    document: Document
    fetched_at: float


def item_counts(found: Iterable[Found]) -> Counter[int]:
    """On how many pages the items stand that stand on several."""
    counts = Counter(item for each in found if (item := item_of(each.document)))
    return Counter({item: count for item, count in counts.items() if count > 1})


def one_of_each(found: Iterable[Found], counts: Mapping[int, int]) -> Iterator[Document]:
    """Documents, of an item one: when all of its pages were met, so few are kept in memory."""
    waiting: dict[int, list[Found]] = defaultdict(list)
    for each in found:
        item = item_of(each.document) if counts else 0
        if item not in counts:
            yield each.document
            continue
        waiting[item].append(each)
        if len(waiting[item]) == counts[item]:
            yield _joined(waiting.pop(item))
    yield from map(_joined, waiting.values())


def _joined(found: list[Found]) -> Document:
    """What several pages say of an item: its own page first, then what was read last."""
    found = sorted(found, key=lambda each: (each.document.place > 0, -each.fetched_at))
    values = {n: v for each in reversed(found) for n, v in each.document.values.items()}
    first = found[0].document.values
    ordered = {name: values[name] for name in (*first, *values)}
    return msgspec.structs.replace(found[0].document, values=ordered)
