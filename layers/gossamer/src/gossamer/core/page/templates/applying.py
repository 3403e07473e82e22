"""A template applied to a page: its records become the documents of the page."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from gossamer.core.errors import ConfigurationError
from gossamer.core.page.charset import decode
from gossamer.core.page.document import Document, TemplateReading
from gossamer.core.page.parts import parts_of
from gossamer.core.page.templates.extraction import Record, extract
from gossamer.core.page.templates.selecting import to_xpath
from gossamer.core.page.values import MAX_CHARACTERS, MAX_VALUES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gossamer.core.page.document import ParsedPage
    from gossamer.core.page.read_response import StoredResponse
    from gossamer.core.page.templates.template import Template
    from gossamer.core.page.values import Value

EMPTY, INCOMPLETE, FAILED = "template-empty", "template-incomplete", "template-failed"


def apply_template(template: Template, parsed: ParsedPage, response: StoredResponse) -> ParsedPage:
    """A page with the documents that a template finds on it, and an account of what it found.

    A template that fails leaves the page as it is without one.
    """
    html = decode(response.body, response.content_type)
    try:
        found = extract(template, html, response.url, trace=False)
    except ConfigurationError:
        failed = TemplateReading(template=template.name, reason=FAILED)
        return msgspec.structs.replace(parsed, reading=failed)
    found = [record for record in found if record.values]
    reading = account(template, found)
    if not template.items:
        head, others = parsed.documents[:1], parsed.documents[1:]
        documents = [*(_with_values(each, template, found) for each in head), *others]
        return msgspec.structs.replace(parsed, documents=documents, reading=reading)
    items = [_item(template, record, response.url, parsed.documents) for record in found]
    items = [*parts_of(items).values()]  # of an item that is listed twice the first one counts
    reason = "" if items else EMPTY
    return msgspec.structs.replace(parsed, documents=items, reading=reading, reason=reason)


def without_values(template: Template, parsed: ParsedPage) -> ParsedPage:
    """A page that no template can read: a PDF, or a text, where pages of HTML are expected."""
    nothing = TemplateReading(template=template.name, reason=EMPTY)
    return msgspec.structs.replace(parsed, reading=nothing)


def account(template: Template, found: Sequence[Record]) -> TemplateReading:
    """How much of a template was found on a page."""
    missing = any(record.missing for record in found)
    return TemplateReading(
        template=template.name,
        records=len(found),
        filled=dict(Counter(name for record in found for name in record.values)),
        untyped=dict(Counter(name for record in found for name in record.untyped)),
        distinct={name: _distinct(name, found) for name in template.fields},
        reason=EMPTY if not found else INCOMPLETE if missing else "",
    )


def _distinct(name: str, found: Sequence[Record]) -> int:
    encoded = (msgspec.msgpack.encode(r.values[name]) for r in found if name in r.values)
    return len(set(encoded))


def _with_values(document: Document, template: Template, found: list[Record]) -> Document:
    """The page's own document with the values of its only record."""
    if not found:
        return document
    record = found[0]
    return msgspec.structs.replace(
        document,
        title=record.title or document.title,
        link=record.url,
        template=template.name,
        item=_item_name(template, record),
        values=_values(template, record, document.values),
    )


def _item(template: Template, record: Record, url: str, page: Sequence[Document]) -> Document:
    head = page[0] if page else Document(url=url)
    return Document(
        url=url,
        link=record.url,
        key=record.key,
        place=record.place,
        title=record.title,
        text=record.text,
        language=head.language,
        date=head.date,
        date_source=head.date_source,
        template=template.name,
        item=_item_name(template, record) or record.url,
        unavailable_after=head.unavailable_after,
        values=_values(template, record),
    )


def _item_name(template: Template, record: Record) -> str:
    """Equal on all pages for an item with a key. Of another key the same value is another item."""
    has_key = template.key and record.key not in ("", record.url)
    return f"{template.key}:{record.key}" if has_key else ""


def _values(
    template: Template, record: Record, declared: Mapping[str, Value] = {}
) -> dict[str, Value]:
    """The values of a record, those with a name for formulas by that name too.

    After them come what the page declares by itself, as far as a document may have as much.
    """
    named = {
        rule.variable: record.values[name]
        for name, rule in template.fields.items()
        if rule.variable and name in record.values
    }
    known = dict(declared) | record.values | named
    first = {name: known[name] for name in (*record.values, *named, *declared)}
    kept: dict[str, Value] = {}
    room = MAX_CHARACTERS
    for name, value in islice(first.items(), MAX_VALUES):
        size = len(msgspec.json.encode(value))  # never less than its characters
        if size <= room:
            kept[name] = value
            room -= size
    return kept


def scope_of(template: Template, link_scope: str) -> str:
    """The XPath of what holds the links of a page that count; "" for all of it."""
    scope = f"({to_xpath(template.links)})" if template.links else link_scope
    return f"{scope} | {to_xpath(template.next)}" if scope and template.next else scope
