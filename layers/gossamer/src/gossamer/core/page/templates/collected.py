"""The templates of a collection: how they are kept, and what its schema gets from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, TypeVar

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


# Which values a column of a type reads as what they are; money without a currency is a number.
_READ: Final[dict[DeclaredType, frozenset[DeclaredType]]] = {
    "keyword": frozenset({"keyword"}),
    "keywords": frozenset({"keywords", "keyword"}),
    "number": frozenset({"number"}),
    "money": frozenset({"money", "number"}),
    "date": frozenset({"date"}),
    "bool": frozenset({"bool"}),
}


class _Wanted(NamedTuple):
    """A column that the settings or a template want."""

    by: str
    name: str
    column: Column


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
    wanted = [_Wanted("the settings", name, column) for name, column in own_columns.items()]
    columns = _agreed([*wanted, *_wanted(after)])
    _check_values(columns, after)
    return msgspec.structs.replace(settings, columns=columns, fields=_fields(after) | own_fields)


def _without(own: dict[str, _D], of_templates: dict[str, _D]) -> dict[str, _D]:
    return {name: each for name, each in own.items() if of_templates.get(name) != each}


def _columns(templates: Sequence[Template]) -> dict[str, Column]:
    """The columns that templates need: for facets, for sorting and for formulas."""
    return _agreed(_wanted(templates))


def _wanted(templates: Sequence[Template]) -> list[_Wanted]:
    return [
        _Wanted(template.name, name, column)
        for template in templates
        for name, column in _columns_of(template)
    ]


def _agreed(wanted: Iterable[_Wanted]) -> dict[str, Column]:
    """One column of each name, for all that want it."""
    columns: dict[str, Column] = {}
    first: dict[str, _Wanted] = {}
    for each in wanted:
        known = columns.get(each.name)
        columns[each.name] = _joined(known, first[each.name], each) if known else each.column
        first.setdefault(each.name, each)
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


def _joined(known: Column, first: _Wanted, other: _Wanted) -> Column:
    """One column for two that want it; the wider type, if that reads the values of both."""
    wanted, column = {known.type, other.column.type}, other.column
    kind = next((kind for kind in (known.type, column.type) if wanted <= _READ[kind]), None)
    facet, sort = known.facet or column.facet, known.sort or column.sort
    if kind is None or (kind == "keywords" and sort):
        raise ConfigurationError(_clash(first, other.name, column.type, other.by))
    return Column(type=kind, facet=facet, sort=sort)


def _clash(first: _Wanted, name: str, kind: str, by: str) -> str:
    return (
        f"{name!r} is a column of type {first.column.type} for {first.by}, of type {kind} for {by}:"
        " give one of them another name"
    )


def _check_values(columns: dict[str, Column], templates: Sequence[Template]) -> None:
    """Raise ConfigurationError for values that would be in a column and cannot be read from it.

    A field needs no column of its own for that: a document's values are known by their names.
    """
    first = {each.name: each for each in reversed(_wanted(templates))}
    for template in templates:
        for name, rule in template.fields.items():
            column = columns.get(name)
            kind = _COLUMNS.get(rule.type)
            if column is not None and kind not in _READ[column.type]:
                known = first.get(name, _Wanted("the settings", name, column))
                raise ConfigurationError(_clash(known, name, rule.type, template.name))


def _fields(templates: Sequence[Template]) -> dict[str, TextField]:
    """The text fields that templates need."""
    rules = (pair for template in templates for pair in template.fields.items())
    return {name: TextField() for name, rule in rules if rule.search}
