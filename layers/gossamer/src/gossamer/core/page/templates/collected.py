"""The templates of a collection: how they are kept, and what its schema gets from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

import msgspec

from gossamer.core.errors import ConfigurationError
from gossamer.core.index.declared import Column, DeclaredType, TextField
from gossamer.core.page.templates.template import Template

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gossamer.core.collection import CollectionSettings
    from gossamer.core.page.templates.template import FieldRule

MAX_TEMPLATES: Final = 256  # of a collection
Templates: TypeAlias = tuple[Template, ...]
_D = TypeVar("_D", Column, TextField)
_decode = msgspec.json.Decoder(tuple[Template, ...]).decode
_COLUMNS: Final[dict[str, DeclaredType]] = {
    "text": "keyword",
    "keyword": "keyword",
    "number": "number",
    "money": "money",
    "date": "date",
    "bool": "bool",
    "list": "keywords",
}


def read_templates(text: str) -> Templates:
    """Templates as a home keeps them: a list that belongs to its settings."""
    return _decode(text) if text else ()


def write_templates(templates: Iterable[Template]) -> str:
    """Templates as a text that a home keeps; "" for none."""
    ordered = sorted(templates, key=lambda each: each.name)
    return msgspec.json.encode(ordered).decode() if ordered else ""


def with_template(templates: Templates, template: Template) -> Templates:
    """Templates with one more, or with another of the same name."""
    others = [each for each in templates if each.name != template.name]
    if len(others) >= MAX_TEMPLATES:
        raise ConfigurationError(f"a collection has at most {MAX_TEMPLATES} templates")
    return (*others, template)


def declare(
    settings: CollectionSettings, before: Sequence[Template], after: Sequence[Template]
) -> CollectionSettings:
    """Settings that declare what templates need, and no more what only others needed.

    Raises ConfigurationError where two want the same name for different things.
    """
    own_columns = _without(settings.columns, _columns(before))
    own_fields = _without(settings.fields, _fields(before))
    columns, fields = _columns(after), _fields(after)
    for name, column in columns.items():
        if name in own_columns:
            columns[name] = _joined(name, own_columns[name], column, "the settings", "a template")
    return msgspec.structs.replace(
        settings, columns=own_columns | columns, fields=fields | own_fields
    )


def _without(own: dict[str, _D], of_templates: dict[str, _D]) -> dict[str, _D]:
    return {name: each for name, each in own.items() if of_templates.get(name) != each}


def _columns(templates: Sequence[Template]) -> dict[str, Column]:
    """The columns that templates need: for facets, for sorting and for formulas."""
    columns: dict[str, Column] = {}
    said_by: dict[str, str] = {}
    for template in templates:
        for name, column in _columns_of(template):
            if name in columns:
                column = _joined(name, columns[name], column, said_by[name], template.name)
            columns[name] = column
            said_by[name] = template.name
    return columns


def _columns_of(template: Template) -> Iterator[tuple[str, Column]]:
    for name, rule in template.fields.items():
        if rule.facet or rule.sort:
            yield name, _column(template, name, rule)
        if rule.variable and rule.variable != name:
            yield rule.variable, msgspec.structs.replace(_column(template, name, rule), facet=False)
        elif rule.variable and not (rule.facet or rule.sort):
            yield name, _column(template, name, rule)


def _column(template: Template, name: str, rule: FieldRule) -> Column:
    if rule.type not in _COLUMNS:
        raise ConfigurationError(
            f"template {template.name!r}: fields.{name}: a value of type {rule.type} can be"
            " neither counted nor sorted by; only searched"
        )
    return Column(type=_COLUMNS[rule.type], facet=rule.facet, sort=rule.sort)


def _joined(name: str, one: Column, other: Column, by: str, also_by: str) -> Column:
    """One column for two that want it."""
    if one.type != other.type:
        raise ConfigurationError(
            f"{name!r} is a column of type {one.type} for {by}, of type {other.type} for"
            f" {also_by}: give one of them another name"
        )
    return Column(type=one.type, facet=one.facet or other.facet, sort=one.sort or other.sort)


def _fields(templates: Sequence[Template]) -> dict[str, TextField]:
    """The text fields that templates need."""
    rules = (pair for template in templates for pair in template.fields.items())
    return {name: TextField() for name, rule in rules if rule.search}
