"""The rule of a template that says what was learned of a field."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from gossamer.core.page.templates.field_values import has_currency
from gossamer.core.page.templates.learning.kinds import is_money
from gossamer.core.page.templates.template import FieldRule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.page.templates.learning.choosing import Choice
    from gossamer.core.page.templates.learning.kinds import Kind
    from gossamer.core.page.templates.learning.paths import Path
    from gossamer.core.page.templates.template import FieldType, ItemType


def rule_of(
    choice: Choice, kind: Kind, *, required: bool = False, inside: bool = False
) -> FieldRule:
    """Where the values of a field stand, and what they are; `inside` of a record of a page."""
    paths = [candidate.path for candidate in choice.candidates]
    clean = choice.candidates[0].cut.replacements()
    of = "money" if kind == "number" and is_money(choice.raw) else kind
    if choice.many:
        return FieldRule(
            select=[_together(paths, inside)], type="list", of=cast("ItemType", of), clean=clean
        )
    return FieldRule(
        select=[path.selector(inside=inside) for path in paths],
        type=cast("FieldType", of),
        clean=clean,
        required=required,
    )


def declared_rule(
    source: str, choice: Choice | None, kind: Kind, *, many: bool, required: bool
) -> FieldRule:
    """A field that pages declare; what shows it as well is for pages that do not.

    A selector that needs a cut is left out, because replacements are for both.
    """
    of = "money" if kind == "number" and has_currency(source) else kind
    use = choice is not None and choice.f1 == 1 and choice.many == many
    shown = rule_of(choice, kind) if choice is not None and use else FieldRule()
    return FieldRule(
        source=[source],
        select=[] if shown.clean else shown.select,
        type="list" if many else cast("FieldType", of),
        of=cast("ItemType", of) if many else "text",
        required=required,
    )


def _together(paths: Sequence[Path], inside: bool) -> str:
    """One selector for what several find."""
    selectors = [path.css() for path in paths]
    if all(selectors):
        return ", ".join(selectors)
    return " | ".join(path.xpath(inside=inside) for path in paths)
