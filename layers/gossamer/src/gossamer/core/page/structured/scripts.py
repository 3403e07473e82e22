"""The scripts of a page that hold data: linked data, and the state that its programs begin with."""

from __future__ import annotations

import html as entities
import re
from typing import TYPE_CHECKING, Final

from gossamer.core.page.structured.lenient_json import MAX_TEXT, read_json, read_json_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.core.page.structured.lenient_json import Json

MAX_SCRIPTS: Final = 50  # of a page
MAX_STATES: Final = 20
MAX_CHARACTERS: Final = 4_000_000  # of all scripts of a page that are read

_find_scripts = re.compile(r"<script\b([^>]{0,2000})>", re.IGNORECASE).finditer
_find_end = re.compile(r"</script", re.IGNORECASE).search
_find_assignment = re.compile(
    r"(?:window|self|globalThis|var|let|const)(?:\.|\[[\"']|\s+)([A-Za-z_$][\w$]{0,80})"
    r"(?:[\"']\])?\s*=\s*(JSON\.parse\(\s*)?(?=[\[{\"'])"
).finditer
_read_string = re.compile(r'"(?:[^"\\]|\\.)*+"').match
_read_single = re.compile(r"'((?:[^'\\]|\\.)*+)'", re.DOTALL).match
_name_of = re.compile(r"""\b(?:id|data-state-key)\s*=\s*["']?([^"'\s>]{1,100})""").search


def linked_data(html: str) -> Iterator[str]:
    """The texts of the scripts with JSON-LD."""
    if "ld+json" not in html and "LD+JSON" not in html:
        return
    for about, text in _scripts(html):
        if "ld+json" in about.lower():
            yield text


def embedded_state(html: str) -> dict[str, Json]:
    """What programs of the page begin with, by the script's id or the variable's name."""
    found: dict[str, Json] = {}
    for about, text in _scripts(html):
        lower = about.lower()
        if "ld+json" in lower:
            continue
        if "/json" in lower:
            name = _name_of(about)
            values = read_json(text)
            if values:
                found.setdefault(name[1] if name else f"json{len(found)}", values[0])
        elif "=" in text:
            found |= {name: each for name, each in _assigned(text) if name not in found}
        if len(found) >= MAX_STATES:
            break
    return found


def typed_state(html: str) -> Iterator[Json]:
    """The states of a page that hold objects with a type, as linked data does."""
    if not holds_typed_state(html):
        return
    for about, text in _scripts(html):
        if holds_typed_state(text) and "ld+json" not in about.lower():
            if "/json" in about.lower():
                yield from read_json(text)
            else:
                yield from (value for _, value in _assigned(text))


def holds_typed_state(text: str) -> bool:
    """Whether there may be such an object; in JSON within a text the signs are escaped."""
    return "@type" in text and ('@type"' in text or '@type\\"' in text)


def _scripts(html: str) -> Iterator[tuple[str, str]]:
    """The attributes and the text of each script, within bounds."""
    left, at = MAX_CHARACTERS, 0
    for number, start in enumerate(_find_scripts(html)):
        if number == MAX_SCRIPTS * 4 or left <= 0:
            return
        if start.start() < at:  # within the script before
            continue
        end = _find_end(html, start.end())
        at = end.start() if end else len(html)
        text = html[start.end() : min(at, start.end() + MAX_TEXT)]
        left -= len(text)
        yield start[1], text


def _assigned(text: str) -> Iterator[tuple[str, Json]]:
    """The variables that a program sets to objects, lists or JSON in a text."""
    for number, found in enumerate(_find_assignment(text)):
        if number == MAX_STATES:
            return
        value = _parsed(text, found.end()) if found[2] else None
        if not found[2] and text[found.end()] in "[{":
            value = read_json_at(text, found.end())
        if isinstance(value, dict | list):
            yield found[1], value


def _parsed(text: str, at: int) -> Json:
    """What JSON.parse("…") gives."""
    written = _read_string(text, at)
    if written:
        inner = read_json(written[0])
        text = inner[0] if inner and isinstance(inner[0], str) else ""
    elif single := _read_single(text, at):
        text = entities.unescape(single[1].replace("\\'", "'").replace("\\\\", "\\"))
    else:
        return None
    values = read_json(text)
    return values[0] if values else None
