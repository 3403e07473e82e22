"""The settings of a collection as people write them: a TOML file, tables, or single changes.

What is wrong is named with its place: the setting, part by part, and the line of the file.
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, NoReturn, TypeAlias, cast

import msgspec

from gossamer.core.collection import DECLARED, KEPT, CollectionSettings, check_settings
from gossamer.core.errors import ConfigurationError, SettingError
from gossamer.core.toml import parse_toml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Key: TypeAlias = tuple[str, ...]

Table: TypeAlias = dict[str, object]
_place_of = re.compile(r"\(at line (\d+), column (\d+)\)").search
_path_of = re.compile(r" - at (?:`key` in )?`\$\.?([^`]*)`$").search
_is_header = re.compile(r"\s*\[{1,2}([^]#]+)]").match
_is_entry = re.compile(r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.[^=]+)?)\s*=""").match
_is_bare = re.compile(r"[A-Za-z0-9_-]+", re.ASCII).fullmatch


def read_settings(text: str, origin: str) -> CollectionSettings:
    """Settings from the text of a TOML file; what it does not name keeps its default."""
    try:
        return settings_of(read_table(text))
    except SettingError as error:
        raise error.read_from(origin, line_of(text, error.key)) from error


def read_table(text: str) -> Table:
    """The tables of a TOML file. Raises SettingError with line and column."""
    try:
        return parse_toml(text)
    except (ValueError, RecursionError) as error:
        line, column = _place_in(text, str(error))
        raise SettingError(f"not TOML: {error}", line=line, column=column) from error


def _place_in(text: str, message: str) -> tuple[int | None, int | None]:
    """Line and column that an error of the parser names."""
    if found := _place_of(message):
        return int(found[1]), int(found[2])
    if "at end of document" in message:
        lines = text.split("\n")
        return len(lines), len(lines[-1]) + 1
    return None, None


def settings_of(given: Mapping[str, object]) -> CollectionSettings:
    """Settings from tables; what they do not name keeps its default. Raises SettingError."""
    merged = _merge(to_tables(CollectionSettings()), given, ())
    settings = _converted(merged)
    check_settings(settings)
    return settings


def changed(settings: CollectionSettings, changes: Sequence[str]) -> CollectionSettings:
    """Settings with some replaced, each given as `name=value`, the name with dots.

    A value is written as in TOML; a text needs no quotes.
    """
    content = to_tables(settings)
    for change in changes:
        content = over(content, _assigned(change))
    try:
        return kept_of(settings, settings_of(content))
    except SettingError as error:
        raise error.read_from("--set", None) from error


def kept_of(before: CollectionSettings, given: CollectionSettings) -> CollectionSettings:
    """Settings with what a file does not say as it was before."""
    return msgspec.structs.replace(given, **{name: getattr(before, name) for name in KEPT})


def over(content: Mapping[str, object], given: Mapping[str, object]) -> Table:
    """Tables with others laid over them; None takes something away, as in a JSON merge patch."""
    laid = dict(content)  # in its order: that of text fields is that of their positions
    for key, value in given.items():
        below = laid.get(key)
        if isinstance(value, dict):
            laid[key] = over(cast("Table", below) if isinstance(below, dict) else {}, value)
        else:
            laid[key] = value
    return {key: value for key, value in laid.items() if value is not None}


def to_toml(settings: CollectionSettings) -> str:
    """Settings as a file that `read_settings` reads."""
    content = to_tables(settings)
    return "\n".join([f"# version {settings.version}", *_lines(content, "")])


def to_tables(settings: CollectionSettings) -> Table:
    """What a person may write of settings; the rest is the program's own."""
    content: Table = msgspec.to_builtins(settings)
    return {key: value for key, value in content.items() if key not in KEPT}


def line_of(text: str, key: Key) -> int | None:
    """The line of a file, from 1, that says a setting, or else the nearest table around it."""
    found: tuple[int, int | None] = (0, None)  # parts in common, and where
    table: Key = ()
    for number, line in enumerate(text.split("\n"), 1):
        header, entry = _is_header(line), _is_entry(line)
        if header is not None:
            table = named = _parts(header[1])
        elif entry is not None:
            named = (*table, *_parts(entry[1]))
        else:
            continue
        same = _shared(named, key)
        if same == min(len(named), len(key)) > found[0]:
            found = (same, number)
    return found[1]


def dotted(key: Sequence[str]) -> str:
    """The name of a setting as a file would say it."""
    return ".".join(map(_key, key))


def _parts(name: str) -> Key:
    """The parts of a name with dots and quotes; none if it is not one."""
    try:
        inner: object = parse_toml(f"{name} = 0")
    except (ValueError, RecursionError):
        return ()
    parts: list[str] = []
    while isinstance(inner, dict):
        part, inner = next(iter(inner.items()))
        parts.append(part)
    return tuple(parts)


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many parts two names have in common from their beginning."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _assigned(change: str) -> Table:
    name, sign, value = change.partition("=")
    if not sign or not name.strip():
        raise ConfigurationError(f"--set {change!r}: write NAME=VALUE, as bm25.rank=1")
    for text in (value, _literal(value.strip())):
        try:
            return parse_toml(f"{name} = {text}")
        except (ValueError, RecursionError):
            continue
    raise ConfigurationError(f"--set {change!r}: {name.strip()!r} is no name of a setting")


def _converted(merged: Table) -> CollectionSettings:
    try:
        return msgspec.convert(merged, CollectionSettings)
    except msgspec.ValidationError as error:
        _refuse(error, merged)


def _refuse(error: msgspec.ValidationError, merged: Table) -> NoReturn:
    """Say where a value is that cannot be: msgspec names no entries of mappings."""
    found = _path_of(str(error))
    table, some, rest = (found[1] if found else "").partition("[...]")
    entries = merged.get(table)
    if some and isinstance(entries, dict):
        name = next((name for name in entries if not _is_fine(table, name, entries[name])), "")
        key = (table, str(name), *filter(None, rest.split(".")))
        message = str(error).replace(f"{table}[...]", dotted(key[:2]))
    else:
        key, message = tuple(filter(None, table.split("."))), str(error)
    raise SettingError(message, [part.partition("[")[0] for part in key]) from error


def _is_fine(table: str, name: object, value: object) -> bool:
    try:
        msgspec.convert({table: {name: value}}, CollectionSettings)
    except msgspec.ValidationError:
        return False
    return True


def _lines(table: Table, path: str) -> Iterator[str]:
    """A table in TOML: its own keys first, then the tables in it."""
    own = {key: value for key, value in table.items() if not isinstance(value, dict)}
    if own and path:
        yield from ["", f"[{path}]"]
    for key, value in own.items():  # numbers, texts and truths are written as in JSON
        yield f"{_key(key)} = {_literal(value)}"
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _lines(value, f"{path}.{_key(key)}" if path else _key(key))


def _key(name: str) -> str:
    return name if _is_bare(name) else _literal(name)


def _literal(value: object) -> str:
    """As in JSON; TOML wants one more sign escaped."""
    return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")


def _merge(defaults: Mapping[str, object], given: Mapping[str, object], path: Key) -> Table:
    """The defaults with what is given in their place; a key that has no default is a mistake."""
    merged = dict(defaults)
    for key, value in given.items():
        name = (*path, key)
        if key not in defaults:
            raise SettingError(f"unknown key {dotted(name)!r}{_did_you_mean(key, defaults)}", name)
        default = defaults[key]
        is_table = isinstance(default, dict) and isinstance(value, dict)
        if is_table and dotted(name) not in DECLARED:
            value = _merge(cast("Table", default), cast("Table", value), name)
        merged[key] = value
    return merged


def _did_you_mean(key: str, known: Mapping[str, object]) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; known keys: {', '.join(known)}"
