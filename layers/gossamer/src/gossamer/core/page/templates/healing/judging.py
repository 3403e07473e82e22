"""How many of the known values come out of a template again."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gossamer.core.page.templates.healing.known import is_field
from gossamer.core.page.values import Image, Link, each, in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gossamer.core.page.templates.extraction import Record
    from gossamer.core.page.templates.healing.known import Found, KnownPage
    from gossamer.core.page.values import Scalar

_tags = re.compile(r"<[^>]*>").sub


@dataclass(slots=True)
class Tally:
    """What became of the known values: counts by field, and how many records there are."""

    stored: Counter[str] = field(default_factory=Counter)
    out: Counter[str] = field(default_factory=Counter)
    filled: Counter[str] = field(default_factory=Counter)
    known: int = 0  # records
    found: int = 0

    @property
    def share(self) -> float:
        """The share of the stored values that come out."""
        return self.out.total() / max(1, self.stored.total())

    def share_of(self, name: str) -> float:
        """The same of one field; 1 if nothing was stored."""
        return self.out[name] / self.stored[name] if self.stored[name] else 1.0

    def fill_of(self, name: str) -> float:
        """The share of records with a value; records that are not found have none."""
        return self.filled[name] / max(1, self.known, self.found)


def tally(known: Sequence[KnownPage], found: Sequence[Found]) -> Tally:
    """Compare what is known of some pages with what is found on them."""
    counted = Tally()
    anywhere = _by_key(record for page in found for record in page.records)
    for page, now in zip(known, found, strict=True):
        counted.known += len(page.records)
        counted.found += len(now.records)
        for record in now.records:
            counted.filled.update(record.values.keys())
        for record, match in _pairs(page.records, now.records, anywhere):
            _count(counted, record, match)
    return counted


def _by_key(records: Iterable[Record]) -> dict[str, Record]:
    known: dict[str, Record] = {}
    for record in records:
        if record.key:
            known.setdefault(record.key, record)
    return known


def _pairs(
    known: Sequence[Record], found: Sequence[Record], anywhere: Mapping[str, Record]
) -> Iterator[tuple[Record, Record | None]]:
    """Each known record with what it is now: of its key, here or on another page, or most like."""
    here = _by_key(found)
    places = _places(found)
    for record in known:
        match = here.get(record.key) or anywhere.get(record.key) if record.key else None
        yield record, match or _likest(record, found, places)


def _places(found: Sequence[Record]) -> dict[tuple[str, str], list[int]]:
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, record in enumerate(found):
        for name in record.values:
            for text in values_of(record, name):
                places[name, text].append(number)
    return places


def _likest(
    record: Record, found: Sequence[Record], places: Mapping[tuple[str, str], list[int]]
) -> Record | None:
    if not record.place:  # the page as a whole
        return found[0] if found else None
    votes = Counter(
        number
        for name in record.values
        if is_field(name)
        for text in values_of(record, name)
        for number in places.get((name, text), ())
    )
    return found[votes.most_common(1)[0][0]] if votes else None


def _count(counted: Tally, record: Record, match: Record | None) -> None:
    for name in filter(is_field, record.values):
        wanted = values_of(record, name)
        counted.stored[name] += len(wanted)
        if match is not None:
            counted.out[name] += len(wanted & values_of(match, name))


def values_of(record: Record, name: str) -> set[str]:
    """What is compared of a value: an address without its text, HTML without its tags."""
    return set(map(_plain, each(record.values.get(name, []))))


def _plain(scalar: Scalar) -> str:
    if isinstance(scalar, Link | Image):
        return scalar.url
    text = in_words(scalar)
    return " ".join(_tags(" ", text).split()) if "<" in text else text
