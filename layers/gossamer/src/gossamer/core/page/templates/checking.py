"""What is wrong with a template, told with the place: the file, the field and the selector."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gossamer.core.errors import ConfigurationError
from gossamer.core.page.templates.cleaning import check_replacement
from gossamer.core.page.templates.matching import compile_expression, compile_pattern
from gossamer.core.page.templates.selecting import compile_selector
from gossamer.core.page.values import is_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.core.page.templates.template import FieldRule, Template

SOURCES = ("jsonld", "microdata", "meta", "state", "table", "url")
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def check_template(template: Template, origin: str) -> None:
    """Raise ConfigurationError for what a type cannot say."""
    if not template.name:
        raise ConfigurationError(f"{origin}: a template needs a name")
    if not template.match:
        raise ConfigurationError(f'{origin}: match: say which pages, as "https://shop.test/c/*"')
    for pattern in template.match:
        with _at(origin, "match"):
            compile_pattern(pattern)
    for key in ("items", "next", "links"):
        if selector := getattr(template, key):
            with _at(origin, key):
                compile_selector(selector)
    for name, rule in template.fields.items():
        _check_field(name, rule, origin)
    _check_names(template, origin)


def _check_field(name: str, rule: FieldRule, origin: str) -> None:
    place = f"fields.{name}"
    with _at(origin, place):
        if not is_name(name):
            raise ConfigurationError("is no name: small letters, digits and _, a letter first")
        if rule.variable and not is_name(rule.variable):
            raise ConfigurationError(f"variable {rule.variable!r} is no name")
    for selector in rule.select:
        with _at(origin, f"{place}.select"):
            compile_selector(selector)
    for source in rule.source:
        with _at(origin, f"{place}.from"):
            _check_source(source)
    for replacement in rule.clean:
        with _at(origin, f"{place}.clean"):
            check_replacement(replacement)


def _check_source(source: str) -> None:
    kind, _, path = source.partition(":")
    if kind not in SOURCES or not path:
        known = ", ".join(f"{name}:" for name in SOURCES)
        raise ConfigurationError(f"{source!r} begins with none of {known}")
    if kind == "url":
        compile_expression(path)


def _check_names(template: Template, origin: str) -> None:
    """Title, key and URL must speak of fields that there are."""
    for key in ("title", "key", "url"):
        said: str = getattr(template, key)
        names = PLACEHOLDER.findall(said) if key == "title" or "{" in said else [said]
        for name in names:
            if name and name not in template.fields:
                known = ", ".join(template.fields) or "none"
                raise ConfigurationError(
                    f"{origin}: {key}: there is no field {name!r}; fields: {known}"
                )


@contextmanager
def _at(origin: str, place: str) -> Iterator[None]:
    try:
        yield
    except ConfigurationError as error:
        raise ConfigurationError(f"{origin}: {place}: {error}") from error
