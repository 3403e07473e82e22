"""What became of a file of another program: templates, and what of it they cannot say."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gossamer.core.errors import ConfigurationError
from gossamer.core.page.templates.template import Template, template_of
from gossamer.core.page.values import is_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_NAME = 40
_odd = re.compile(r"[^a-z0-9]+")


@dataclass(slots=True)
class Imported:
    """Templates, and notes on what was left out or should be looked at."""

    templates: list[Template] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, table: Mapping[str, Any], origin: str) -> None:
        """A template from tables, checked as if it were read from a file."""
        self.templates.append(template_of(table, origin))


def field_name(text: str, taken: Iterable[str] = ()) -> str:
    """A name as fields have it: "Price (EUR)" is price_eur; a number makes it a new one."""
    name = _odd.sub("_", text.lower()).strip("_")[: MAX_NAME - 3]
    if not is_name(name):
        name = f"field_{name}".rstrip("_")
    known, number, free = set(taken), 1, name
    while free in known:
        number += 1
        free = f"{name}_{number}"
    return free


def template_name(text: str) -> str:
    """A name as templates have it."""
    return _odd.sub("-", text.lower()).strip("-")[:MAX_NAME].strip("-") or "imported"


def kept(expression: str, group: int = 0) -> str:
    """The replacement that leaves of a text what an expression, or a group of it, finds."""
    return rf"^.*?(?:{expression}).*$ -> \{group}" if group else rf"^.*?({expression}).*$ -> \1"


def table(given: object, what: str) -> dict[str, Any]:
    """A JSON object. Raises ConfigurationError for anything else."""
    if not isinstance(given, dict):
        raise ConfigurationError(f"{what} must be a table of names and values")
    return given


def tables(given: object, what: str) -> list[dict[str, Any]]:
    """A list of JSON objects. Raises ConfigurationError for anything else."""
    if not isinstance(given, list):
        raise ConfigurationError(f"{what} must be a list")
    return [table(each, what) for each in given]


def text_of(given: Mapping[str, Any], key: str) -> str:
    """A text, empty if there is none. Raises ConfigurationError for anything else."""
    value = given.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ConfigurationError(f"{key} must be a text, not {value!r:.50}")
    return value.strip()
