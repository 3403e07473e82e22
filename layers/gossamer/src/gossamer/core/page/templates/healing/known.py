"""What a template found on pages before they changed: the values that must come out again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from gossamer.core.page.templates.extraction import Lookup, Page, Record, records
from gossamer.core.page.templates.selecting import page_tree, select

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.page.templates.template import FieldRule, Template

# A field of this name is what stands where another one's value is, before it is cleaned. It cannot
# be the name of a field in a file.
RAW: Final = "{} as it stands"


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page as it is now, and what a template found on it when it was well."""

    url: str
    html: str
    records: Sequence[Record]
    next_links: Sequence[str] = ()  # to further pages of the list


@dataclass(frozen=True, slots=True)
class Found:
    """What a template finds on a page: its records and the links to further pages."""

    records: list[Record]
    next_links: list[str]

    @property
    def filled(self) -> int:
        """How many values there are; raw ones are no others."""
        return sum(1 for record in self.records for name in record.values if is_field(name))


def is_field(name: str) -> bool:
    """Whether it is a field of the template, and not the raw text of one."""
    return " " not in name


def read_with(template: Template, html: str, url: str, data: Lookup | None = None) -> Found:
    """What a template finds on a page, raw texts too where they differ from the values."""
    page = Page(page_tree(html), url, data or _declared(template, html, url), trace=False)
    found = list(records(with_raw(template), page))
    return Found(found, next_links(template.next, page))


def _declared(template: Template, html: str, url: str) -> Lookup | None:
    if not any(rule.source for rule in template.fields.values()):
        return None
    from gossamer.core.page.structured import PageData

    return PageData.of(html, url)


def next_links(selector: str, page: Page) -> list[str]:
    """Where the links that a selector finds lead, as they are written."""
    if not selector:
        return []
    found = (each for each in select(selector, page.root) if hasattr(each, "get"))
    return [href for each in found if (href := each.get("href"))]


def with_raw(template: Template) -> Template:
    """A template that also reads the raw texts of the fields that need them."""
    raw = {
        RAW.format(name): _raw(rule) for name, rule in template.fields.items() if needs_raw(rule)
    }
    return msgspec.structs.replace(template, fields=template.fields | raw)


def needs_raw(rule: FieldRule) -> bool:
    """Whether what stands on the page is not what the value looks like."""
    return bool(rule.clean) or "bool" in (rule.type, rule.of)


def _raw(rule: FieldRule) -> FieldRule:
    kind = "list" if rule.type == "list" else "text"
    return msgspec.structs.replace(
        rule, type=kind, of="text", clean=[], required=False, source=_of_url(rule.source)
    )


def _of_url(sources: Sequence[str]) -> list[str]:
    """Sources that do not change with a page: its address."""
    return [source for source in sources if source.startswith("url:")]
