"""Try a template on pages: the values, where they came from, and whether its examples hold."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from gossamer.core.page.charset import decode
from gossamer.core.page.templates.extraction import Record
from gossamer.core.page.templates.matching import template_for
from gossamer.core.page.values import each, in_words
from gossamer.core.urls import normalise, url_id
from gossamer.entrypoints.cli.templates.bounded import extract_within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gossamer.core.page.templates.template import Example, Template
    from gossamer.core.page.values import Value
    from gossamer.ports.home import Home

SAMPLE = 5  # pages that are tried if none is named
SHOWN = 10  # records of a page that people see
WIDTH = 60  # characters of a value that people see


class Page(msgspec.Struct, frozen=True):
    """A page to try a template on."""

    url: str
    html: str


class Tried(msgspec.Struct, frozen=True):
    """What a template finds on a page."""

    url: str
    records: list[Record]
    nowhere: list[str] = []  # fields of which no record has anything


class Failure(msgspec.Struct, frozen=True):
    """A value of an example that did not come out."""

    page: str
    record: int
    field: str
    expected: Any
    found: Any


class Trial(msgspec.Struct, frozen=True):
    """What a template finds on some pages, and which of its examples fail."""

    template: str
    pages: list[Tried]
    examples: int
    failures: list[Failure]


def try_template(template: Template, pages: Sequence[Page], read: Callable[[str], Page]) -> Trial:
    """Apply a template to pages and to those of its examples."""
    tried = [_tried(template, page) for page in pages]
    failures = [f for each in template.examples for f in _failures(template, each, read)]
    return Trial(template.name, tried, len(template.examples), failures)


def _tried(template: Template, page: Page) -> Tried:
    records = extract_within(template, page.html, page.url)
    met = {name for each in records for name in (*each.values, *each.untyped, *each.missing)}
    return Tried(page.url, records, [name for name in template.fields if name not in met])


def _failures(template: Template, example: Example, read: Callable[[str], Page]) -> list[Failure]:
    page = read(example.page)
    found = extract_within(template, page.html, page.url)
    failures = []
    for number, expected in enumerate(example.expect):
        record = _meant(expected, number, found)
        values = record.values if record else {}
        failures += [
            Failure(example.page, number + 1, name, value, values.get(name))
            for name, value in expected.items()
            if not is_same(value, values.get(name))
        ]
    return failures


def _meant(expected: dict[str, Any], number: int, found: Sequence[Record]) -> Record | None:
    """The record that has most of what is expected, or else the one at the same place."""
    best = max(found, key=lambda record: _agreement(expected, record), default=None)
    if best is not None and _agreement(expected, best):
        return best
    return found[number] if number < len(found) else None


def _agreement(expected: dict[str, Any], record: Record) -> int:
    return sum(is_same(value, record.values.get(name)) for name, value in expected.items())


def is_same(expected: Any, found: Value | None) -> bool:
    """Whether a value is what an example says: as its parts, as a number, or in words."""
    if found is None:
        return False
    if isinstance(expected, list) and isinstance(found, list):
        pairs = zip(expected, found, strict=False)
        return len(expected) == len(found) and all(is_same(one, other) for one, other in pairs)
    plain = msgspec.to_builtins(found)
    if isinstance(expected, dict):
        return isinstance(plain, dict) and expected.items() <= plain.items()
    if isinstance(expected, bool) or not isinstance(expected, int | float):
        return str(expected) == ", ".join(map(in_words, each(found))) or expected == plain
    return expected == (plain.get("amount") if isinstance(plain, dict) else plain)


def stored_page(home: Home, url: str) -> Page | None:
    """A page as it is stored; None if it is not."""
    normal = normalise(url) or url
    record = home.urls.get(url_id(normal))
    return _read(home, record.url, record.page) if record and record.page else None


def _read(home: Home, url: str, ref: Any) -> Page:
    stored = home.pages.read(ref)
    said = (value for name, value in stored.headers if name.lower() == "content-type")
    return Page(url, decode(stored.body, next(said, "")))


def sample(home: Home, template: Template) -> list[Page]:
    """Some stored pages that a template is for."""
    return list(islice(_of_template(home, template), SAMPLE))


def _of_template(home: Home, template: Template) -> Iterator[Page]:
    for record in home.urls.all():
        is_page = record.purpose == "page" and record.page is not None and not record.target
        if is_page and template_for(record.url, [template]):
            yield _read(home, record.url, record.page)


def to_text(trial: Trial) -> str:
    """The values in a table for people, each with where it came from."""
    lines = [line for page in trial.pages for line in _page_lines(page)]
    if not trial.pages and not trial.examples:
        lines.append("no stored page matches; name a URL, or crawl first")
    lines += [
        f"example {f.page}, record {f.record}: {f.field} is {_said(f.found)}, not {f.expected!r}"
        for f in trial.failures
    ]
    if trial.examples and not trial.failures:
        lines.append(f"examples: all {trial.examples} hold")
    return "\n".join(lines)


def _page_lines(page: Tried) -> Iterator[str]:
    yield f"{page.url}: {len(page.records):,} record{'s' * (len(page.records) != 1)}"
    for record in page.records[:SHOWN]:
        yield f"  {record.place}. {record.title or record.key or record.url}".rstrip()
        for name, value in record.values.items():
            yield f"    {name:12}  {_said(value)[:WIDTH]:{WIDTH}}  {record.origins.get(name, '')}"
        for name in record.untyped:
            yield f"    {name:12}  not of its type"
        for name in record.missing:
            yield f"    {name:12}  missing, and required"
    if len(page.records) > SHOWN:
        yield f"  and {len(page.records) - SHOWN:,} more"
    if page.records and page.nowhere:
        yield f"  nothing is found for: {', '.join(page.nowhere)}"


def _said(value: Value | None) -> str:
    return ", ".join(map(in_words, each(value))) if value is not None else "not found"
