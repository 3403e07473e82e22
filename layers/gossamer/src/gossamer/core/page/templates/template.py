"""What a template says, and the TOML file that says it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias, TypeVar, cast, get_args

import msgspec

from gossamer.core.errors import ConfigurationError, SettingError
from gossamer.core.settings_file import read_table

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_FIELDS = 64  # of a template: a document has as many values
MAX_CHOICES = 32  # selectors, sources or replacements of a field
MAX_PATTERNS = 64
MAX_EXAMPLES = 64
MAX_ACTIONS = 64
MAX_BYTES = 100_000  # of a template's file

FieldType: TypeAlias = Literal[
    "text", "html", "keyword", "number", "money", "date", "bool", "link", "image", "list"
]
ItemType: TypeAlias = Literal[
    "text", "html", "keyword", "number", "money", "date", "bool", "link", "image"
]
_Name = Annotated[str, msgspec.Meta(pattern=r"^(|[a-z0-9][a-z0-9_-]{0,39})$")]
_Line = Annotated[str, msgspec.Meta(max_length=2_000)]
_Choices = Annotated[list[_Line], msgspec.Meta(max_length=MAX_CHOICES)]
_Table: TypeAlias = dict[str, Any]
_MAY_BE: Final = {
    "name": "is made of small letters, digits, - and _, at most 40",
    "type": f"is one of {', '.join(get_args(FieldType))}",
    "of": f"is one of {', '.join(get_args(ItemType))}",
}
_Kind = TypeVar("_Kind")


class FieldRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a value stands, what it is, and what the collection does with it."""

    select: _Choices = []  # CSS or XPath, tried in order
    source: _Choices = msgspec.field(default=[], name="from")  # tried before the selectors
    attribute: _Line = ""  # that holds the value; "" for the text, or what fits the type
    type: FieldType = "text"
    of: ItemType = "text"  # what the items of a list are
    clean: _Choices = []  # RE2: "pattern" is removed, "pattern -> text" replaced
    variable: _Line = ""  # its name in formulas
    search: bool = False
    facet: bool = False
    sort: bool = False
    required: bool = False  # a page that lacks it is told of


class Example(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A stored page, and some values that the template must find there."""

    page: str
    expect: list[dict[str, Any]] = []


class Template(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the pages of some URLs become documents with typed values."""

    name: _Name = ""  # of the file, if it says none
    match: Annotated[list[_Line], msgspec.Meta(max_length=MAX_PATTERNS)] = []
    items: _Line = ""  # selects the records of a page; "": the page is one
    key: _Line = ""  # a field, or a pattern of fields, that names an item across pages
    title: _Line = ""  # a pattern of fields: "{brand} {name}"
    url: _Line = ""  # the field with an item's own page
    next: _Line = ""  # selects links to further pages of the same list
    links: _Line = ""  # selects the parts of a page whose links count
    fields: dict[str, FieldRule] = {}
    actions: Annotated[list[dict[str, Any]], msgspec.Meta(max_length=MAX_ACTIONS)] = []
    examples: Annotated[list[Example], msgspec.Meta(max_length=MAX_EXAMPLES)] = []


def read_template(text: str, origin: str) -> Template:
    """A template from the text of a TOML file. Raises ConfigurationError that names the place."""
    if len(text) > MAX_BYTES:
        raise ConfigurationError(f"{origin}: a template has at most {MAX_BYTES:,} bytes")
    try:
        given = read_table(text)
    except SettingError as error:
        raise error.read_from(origin, None) from error
    return template_of({"name": PurePath(origin).stem} | given, origin)


def template_of(given: Mapping[str, Any], origin: str) -> Template:
    """A template from tables; one text may stand for a list of it."""
    from gossamer.core.page.templates.checking import check_template

    content = dict(given)
    tables = content.pop("fields", {})
    _check_tables(tables, origin)
    fields = {name: _field(name, table, origin) for name, table in tables.items()}
    content["examples"] = [_example(each) for each in _listed(content.get("examples", []))]
    template = _converted(_with_lists(content, ("match", "actions")), Template, origin)
    template = msgspec.structs.replace(template, fields=fields)
    check_template(template, origin)
    return template


def _check_tables(tables: object, origin: str) -> None:
    if not isinstance(tables, Mapping):
        raise ConfigurationError(f"{origin}: fields: write a table [fields.NAME] for each field")
    if len(tables) > MAX_FIELDS:
        raise ConfigurationError(
            f"{origin}: a template has at most {MAX_FIELDS} fields, not {len(tables):,}"
        )


def _field(name: str, given: object, origin: str) -> FieldRule:
    if not isinstance(given, Mapping):
        given = {"select": given}  # price = ".price", in [fields]
    content = _with_lists(given, ("select", "from", "clean"))
    return _converted(content, FieldRule, f"{origin}: fields.{name}")


def _example(given: object) -> object:
    return _with_lists(given, ("expect",)) if isinstance(given, Mapping) else given


def _with_lists(given: Mapping[str, Any], keys: tuple[str, ...]) -> _Table:
    return dict(given) | {key: _listed(given[key]) for key in keys if key in given}


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _converted(content: _Table, kind: type[_Kind], place: str) -> _Kind:
    known = {field.encode_name for field in msgspec.structs.fields(cast("Any", kind))}
    for key in content:
        if key not in known:
            raise ConfigurationError(f"{place}: unknown key {key!r}{_did_you_mean(key, known)}")
    try:
        return msgspec.convert(content, kind)
    except msgspec.ValidationError as error:
        raise ConfigurationError(f"{place}: {_explained(error, content)}") from error


def _explained(error: msgspec.ValidationError, content: _Table) -> str:
    """What is wrong with which key; for those with few values, which they are."""
    found = _place_in(str(error))
    if found is None:
        return str(error)
    key, said = found[2], content.get(found[2])
    if key in _MAY_BE and isinstance(said, str):
        return f"{key}: {said!r} is not possible: it {_MAY_BE[key]}"
    return f"{key}{found[3]}: {found[1]}"


def _did_you_mean(key: str, known: set[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; known keys: {', '.join(sorted(known))}"


def to_toml(template: Template) -> str:
    """A template as a file that `read_template` reads."""
    content: _Table = msgspec.to_builtins(template)
    fields, actions, examples = (content.pop(key) for key in ("fields", "actions", "examples"))
    lines = [*_assigned({key: value for key, value in content.items() if value})]
    for name, rule in fields.items():
        lines += ["", f"[fields.{_key(name)}]", *_assigned(_said(rule))]
    for heading, tables in (("actions", actions), ("examples", examples)):
        for table in tables:
            lines += ["", f"[[{heading}]]", *_assigned(table)]
    return "\n".join([*lines, ""])


def _said(rule: _Table) -> _Table:
    """What of a field differs from the defaults; one choice is written as a text."""
    defaults: _Table = msgspec.to_builtins(FieldRule())
    said = {key: value for key, value in rule.items() if value != defaults[key]}
    for key in ("select", "from", "clean"):
        if len(said.get(key, [])) == 1:
            said[key] = said[key][0]
    return said


def _assigned(table: _Table) -> Iterator[str]:
    for key, value in table.items():
        yield f"{_key(key)} = {_literal(value)}"


def _literal(value: object) -> str:
    """A value in TOML, tables on one line; texts are written as in JSON."""
    match value:
        case dict():
            table = cast("_Table", value)
            inner = ", ".join(f"{_key(key)} = {_literal(each)}" for key, each in table.items())
            return f"{{ {inner} }}" if inner else "{}"
        case list():
            return f"[{', '.join(map(_literal, value))}]"
        case _:
            return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if _is_bare(name) else _literal(name)


_place_in = re.compile(r"(.*) - at `\$\.(\w+)(.*)`", re.DOTALL).fullmatch
_is_bare = re.compile(r"[A-Za-z0-9_-]+", re.ASCII).fullmatch
