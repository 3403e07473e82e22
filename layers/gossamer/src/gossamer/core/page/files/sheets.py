"""The sheets of a workbook (XLSX): a line for each row, the name of a sheet as heading."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from gossamer.core.page.files.file_text import MAX_CHARACTERS
from gossamer.core.page.files.package import attribute

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

    from gossamer.core.page.files.lines import Lines
    from gossamer.core.page.files.package import Package

MAX_SHARED: Final = 500_000  # texts that cells refer to
_sheet_number = re.compile(r"xl/worksheets/sheet(\d+)\.xml").fullmatch


def read_sheets(package: Package, lines: Lines) -> None:
    """Read all sheets in their order."""
    shared = list(_shared(package))
    numbered = ((_sheet_number(name), name) for name in package.names)
    sheets = sorted((int(found[1]), name) for found, name in numbered if found)
    names = _names(package)
    for place, (_, member) in enumerate(sheets):
        if place < len(names):
            lines.add(names[place])
            lines.level = 1
            lines.end()
        _read_rows(package, member, shared, lines)


def _names(package: Package) -> list[str]:
    return [
        attribute(element, "name")
        for event, tag, element in package.elements("xl/workbook.xml")
        if event == "start" and tag == "sheet"
    ]


def _shared(package: Package) -> Iterator[str]:
    """The texts of the workbook, which cells name by their number."""
    pieces: list[str] = []
    count, room = 0, MAX_CHARACTERS
    for event, tag, element in package.elements("xl/sharedStrings.xml"):
        if event == "start":
            continue
        if tag == "t":
            pieces.append(element.text or "")
        elif tag == "si":
            text, pieces = "".join(pieces), []
            count, room = count + 1, room - len(text)
            if count > MAX_SHARED or room < 0:
                return
            yield text


def _read_rows(package: Package, member: str, shared: list[str], lines: Lines) -> None:
    value = ""
    for event, tag, element in package.elements(member):
        if event == "start":
            continue
        if tag in ("v", "t"):
            value += element.text or ""
        elif tag == "c":
            lines.add(_cell(element, value, shared) + " ")
            value = ""
        elif tag == "row":
            lines.end()
            if lines.is_full:
                return


def _cell(element: Element, value: str, shared: list[str]) -> str:
    kind = attribute(element, "t")
    if kind == "s":
        number = int(value) if value.isdigit() and len(value) < 9 else len(shared)
        return shared[number] if number < len(shared) else ""
    if kind == "b":
        return {"1": "true", "0": "false"}.get(value, "")
    return "" if kind == "e" else value
