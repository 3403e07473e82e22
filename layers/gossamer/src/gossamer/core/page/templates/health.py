"""Does a template still find what it found before?

Every page counts for the hour in which it was read. The newest pages are compared with the mean of
those before them: the share of records that have a field, the share of values that are of their
type, the share that are different, and the records of a page.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from gossamer.core.page.document import TemplateReading

HOUR: Final = 3600
DAYS: Final = 90  # that counts are kept
ENOUGH: Final = 10  # pages, newest and before, that say something
# Fewer say something too if many records are on them; or none at all, where there were some.
FEW: Final = 3
MANY: Final = 30  # records
# How far a share may fall, and by which factor the records of a page may change.
FALL: Final = 0.2
FACTOR: Final = 2.0
PAGES, RECORDS, EMPTY = "pages", "records", "template-empty"
# Reasons of pages that were read without their template, because it ended the parser.
ENDED, SET_ASIDE = "template-ended", "template-set-aside"
FILLED, UNTYPED, DISTINCT = "filled#", "untyped#", "distinct#"


class HourOfTemplate(msgspec.Struct, frozen=True):
    """What a template found in an hour: counts by name."""

    template: str
    hour: int
    counts: dict[str, int]


class FieldHealth(msgspec.Struct, frozen=True):
    """Shares of a field, between 0 and 1, in the newest pages and before them."""

    fill: float
    fill_before: float
    typed: float
    typed_before: float
    distinct: float
    distinct_before: float


class Health(msgspec.Struct, frozen=True):
    """How a template does, and what is wrong in sentences."""

    template: str
    pages: int
    pages_before: int
    items: float  # records of a page
    items_before: float
    empty: float  # share of the pages on which nothing is found
    empty_before: float
    fields: dict[str, FieldHealth]
    reasons: dict[str, int]  # of the newest pages
    alarms: list[str]


def counts_of(reading: TemplateReading) -> Counter[str]:
    """What a page adds to the counts of its template."""
    counts = Counter({PAGES: 1, RECORDS: reading.records})
    found = ((FILLED, reading.filled), (UNTYPED, reading.untyped), (DISTINCT, reading.distinct))
    for kind, numbers in found:
        counts.update({kind + name: number for name, number in numbers.items()})
    counts.update({reading.reason: 1} if reading.reason else {})
    return counts


def health_of(
    template: str, hours: Iterable[HourOfTemplate], known: Container[str] | None = None
) -> Health:
    """The newest pages of a template against those before.

    `known`: the fields that it has now. One that it had once is no loss.
    """
    own = sorted((each for each in hours if each.template == template), key=lambda h: -h.hour)
    now, before = _parted(own)
    names = [name.removeprefix(DISTINCT) for name in now | before if name.startswith(DISTINCT)]
    names = [name for name in names if known is None or name in known]
    fields = {name: _field(name, now, before) for name in names}
    reasons = {name: count for name, count in now.items() if name.startswith("template-") and count}
    alarms = _deaths(reasons)
    health = Health(
        template=template,
        pages=now[PAGES],
        pages_before=before[PAGES],
        items=_items(now),
        items_before=_items(before),
        empty=_empty(now),
        empty_before=_empty(before),
        fields=fields,
        reasons=reasons,
        alarms=alarms,
    )
    comparable = _says_much(now) and _says_much(before)
    return msgspec.structs.replace(
        health, alarms=[*alarms, *_losses(health)] if comparable else alarms
    )


def _parted(hours: Sequence[HourOfTemplate]) -> tuple[Counter[str], Counter[str]]:
    """The counts of the newest hours that say enough, and of those before."""
    now, before = Counter[str](), Counter[str]()
    for each in hours:
        (before if _says_much(now) else now).update(each.counts)
    return now, before


def _says_much(counts: Counter[str]) -> bool:
    """Whether counts can be compared with others."""
    pages = counts[PAGES]
    return pages >= ENOUGH or (pages >= FEW and (counts[RECORDS] >= MANY or counts[EMPTY] == pages))


def _items(counts: Counter[str]) -> float:
    read = counts[PAGES] - counts[ENDED] - counts[SET_ASIDE]
    return round(counts[RECORDS] / max(1, read), 2)


def _empty(counts: Counter[str]) -> float:
    return round(counts[EMPTY] / max(1, counts[PAGES]), 3)


def _field(name: str, now: Counter[str], before: Counter[str]) -> FieldHealth:
    fill, typed, distinct = _shares(name, now)
    fill_before, typed_before, distinct_before = _shares(name, before)
    return FieldHealth(fill, fill_before, typed, typed_before, distinct, distinct_before)


def _shares(name: str, counts: Counter[str]) -> tuple[float, float, float]:
    filled, untyped = counts[FILLED + name], counts[UNTYPED + name]
    # A page without any record counts as a record that has nothing.
    records = counts[RECORDS] + counts[EMPTY]
    return (
        round(filled / max(1, records), 3),
        round(filled / (filled + untyped), 3) if filled + untyped else 1.0,
        round(counts[DISTINCT + name] / filled, 3) if filled else 1.0,
    )


def _deaths(reasons: Mapping[str, int]) -> list[str]:
    ended, without = reasons.get(ENDED, 0), reasons.get(SET_ASIDE, 0)
    said = []
    if ended:
        said.append(
            f"it ended the parser on {ended} of the newest pages: a selector takes too long"
        )
    if without:
        said.append(f"it is set aside: {without} of the newest pages were read without it")
    return said


def _losses(health: Health) -> list[str]:
    alarms = []
    if health.empty - health.empty_before > FALL:
        alarms.append(
            f"nothing is found on {health.empty:.0%} of the newest pages, on"
            f" {health.empty_before:.0%} before"
        )
    for name, each in health.fields.items():
        pairs = (
            ("has a value in", each.fill, each.fill_before),
            ("is of its type in", each.typed, each.typed_before),
            ("differs in", each.distinct, each.distinct_before),
        )
        alarms += [
            f"{name} {what} {now:.0%} of the newest records, {before:.0%} before"
            for what, now, before in pairs
            if each.fill_before and before - now > FALL
        ]
    least, most = sorted((health.items, health.items_before))
    if health.items_before and least * FACTOR < most:
        alarms.append(f"{health.items:g} records on a page, {health.items_before:g} before")
    return alarms
