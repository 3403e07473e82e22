"""What a simulated week costs, line by line, at the prices of `gossamer.core.cost`."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from gossamer.core.cost.prediction import FIRST_RANK_WRITES
from gossamer.core.cost.prices import PRICES
from gossamer.core.cost.prices import bill as priced
from gossamer.core.cost.prices import usd as usd_of
from scripts.scale import limits
from scripts.scale.findings import DAY
from scripts.scale.plan import WEEK

if TYPE_CHECKING:
    from scripts.scale.week import Week

GB = 1e9
SPARK_GB_A_CORE = 4.0


class Item(NamedTuple):
    """One line of the bill."""

    name: str
    usd: float


def kinds(week: Week) -> dict[str, float]:
    """Units by kind, whatever they were asked of."""
    found: dict[str, float] = defaultdict(float)
    for name, count in week.sums.units.items():
        found[name.partition(" ")[0]] += count
    for kind, count in week.sums.plain.items():
        found[kind] += count
    return {kind: count for kind, count in found.items() if kind in PRICES}


def bill(week: Week) -> list[Item]:
    """The cost of the week: what is asked, what is kept, and Spark if it is used."""
    lines = [Item(line.name, line.usd) for line in priced(kinds(week))]
    lines.append(Item("DynamoDB write units of a first ranking", _ranked(week.sums.pages)))
    lines += [Item(name, usd) for name, usd in _stored(week).items()]
    if week.stack.parameters["SparkRank"] == "true":
        lines.append(Item("EMR Serverless, one ranking and one index", _spark(week.sums.pages)))
    return lines


def _ranked(pages: float) -> float:
    """What RANK or Spark write once for every page; later rankings write changes only."""
    return usd_of({"wru": pages * FIRST_RANK_WRITES})


def _stored(week: Week) -> dict[str, float]:
    """What is kept for half of the week on average, as the crawl grows."""
    pages, share = week.sums.pages, WEEK / (30 * DAY) / 2
    known = sum(each.known for each in week.classes)
    packed = pages * (limits.PAGE_BYTES + limits.SEGMENT_BYTES_A_DOCUMENT)
    tables = known * limits.URL_BYTES + pages * limits.DOCUMENT_BYTES
    return {
        "S3 storage, half a week": packed / GB * limits.S3_GB_MONTH * share,
        "DynamoDB storage, half a week": tables / GB * limits.TABLE_GB_MONTH * share,
    }


def _spark(pages: float) -> float:
    hours = pages * limits.SPARK_CORE_SECONDS_A_PAGE / 3_600
    return hours * (limits.SPARK_CORE_HOUR + SPARK_GB_A_CORE * limits.SPARK_GB_HOUR)


def usd(week: Week) -> float:
    """All of it."""
    return sum(item.usd for item in bill(week))
