"""Ways in which a field may be read on changed pages: as before, and as was learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from gossamer.core.page.templates.healing.judging import values_of
from gossamer.core.page.templates.healing.known import RAW, needs_raw
from gossamer.core.page.templates.learning.choosing import Marked, choose
from gossamer.core.page.templates.learning.field_rules import rule_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gossamer.core.page.templates.extraction import Record
    from gossamer.core.page.templates.learning.kinds import Kind
    from gossamer.core.page.templates.learning.page_view import PageView
    from gossamer.core.page.templates.template import FieldRule

_KINDS: Final[Mapping[str, Kind]] = {
    "number": "number",
    "money": "money",
    "date": "date",
    "link": "link",
    "image": "image",
    "keyword": "keyword",
}


def kind_of(rule: FieldRule) -> Kind:
    """As what the values of a field are looked for on a page."""
    return _KINDS.get(rule.of if rule.type == "list" else rule.type, "text")


def texts_of(name: str, record: Record) -> list[str]:
    """The values of a field as they are looked for."""
    return sorted(values_of(record, name))


def learned_rules(
    name: str,
    rule: FieldRule,
    lessons: Sequence[tuple[PageView, str, Record]],
    *,
    inside: bool,
) -> Iterator[FieldRule]:
    """Rules for a field, learned from records that are known and where each stands now."""
    own = list(_learned(name, rule, kind_of(rule), lessons, inside=inside))
    if needs_raw(rule):
        raw = list(_learned(RAW.format(name), rule, "text", lessons, inside=inside))
        own += [msgspec.structs.replace(each, clean=[*each.clean, *rule.clean]) for each in raw]
    for each in own:
        yield each
        if each.source:
            yield msgspec.structs.replace(each, source=[])


def _learned(
    name: str,
    rule: FieldRule,
    kind: Kind,
    lessons: Sequence[tuple[PageView, str, Record]],
    *,
    inside: bool,
) -> Iterator[FieldRule]:
    marked = [
        Marked(view, texts_of(name, record), frozenset(), kind, base)
        for view, base, record in lessons
    ]
    choice = choose(marked)
    if choice is None:
        return
    learned = rule_of(choice, kind, inside=inside)
    yield msgspec.structs.replace(rule, select=learned.select, clean=learned.clean, attribute="")
