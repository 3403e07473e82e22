"""Read a stored page by its template, unless that ended the parser again and again.

A selector may keep libxml2 busy until the process that reads the page is ended. Such a page is read
once more without its template, so it keeps its text; if that ends the process too, the page is to
blame. A template that does so on several pages is set aside: its pages are read without it and say
so, until an hour or two have passed or the template is changed. (docs/decisions/0097.)
"""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING, Final, Protocol
from weakref import WeakKeyDictionary

import msgspec

from gossamer.bolts.templates import templates_of
from gossamer.core.page.document import TemplateReading
from gossamer.core.page.templates.health import ENDED, HOUR, PAGES, SET_ASIDE
from gossamer.core.page.templates.template import Template
from gossamer.ports.parser import GAVE_UP, Unparsed

if TYPE_CHECKING:
    from gossamer.core.crawl.job import JobConfig
    from gossamer.core.page.document import ParsedPage
    from gossamer.core.page.templates.collected import Templates
    from gossamer.messages import PageFetched
    from gossamer.ports.collection_settings import CollectionSettingsStore
    from gossamer.ports.parser import Parser
    from gossamer.ports.template_health import TemplateHealth

# Pages that a template ends the parser on before it is set aside. One may be bad luck.
ENDS: Final = 3
SHARE: Final = 50  # at least one of so many pages: what happens less often costs little
_DIED: Final = "died#"  # in the counts of an hour, before the digest of a template


class Reads(Protocol):
    """What a page is read with."""

    @property
    def parser(self) -> Parser:
        """Parses pages."""

    @property
    def settings(self) -> CollectionSettingsStore:
        """Has the templates."""

    @property
    def template_health(self) -> TemplateHealth:
        """Counts what templates do."""


async def read_page(
    message: PageFetched, config: JobConfig, ports: Reads, now: float
) -> ParsedPage | Unparsed:
    """What a page says, by its template if that does not end the parser."""
    templates = templates_of(ports.settings, now)
    if not templates:
        return await ports.parser.parse(message, config, templates)
    suspects = _suspects_of(ports.template_health)
    aside = suspects.aside(templates, now)
    parsed = await ports.parser.parse(message, config, suspects.without(templates, aside))
    if isinstance(parsed, Unparsed):
        template = _blamed(parsed, message, templates)
        if template is None or template.name in aside:
            return parsed
        plain = suspects.without(templates, aside | {template.name})
        again = await ports.parser.parse(message, config, plain)
        if isinstance(again, Unparsed):
            return again
        suspects.died(template, ports.template_health, now)
        return _marked(again, template.name, ENDED)
    if parsed.reading is not None:
        if parsed.reading.template in aside:
            return _marked(parsed, parsed.reading.template, SET_ASIDE)
        suspects.was_read(parsed.reading.template, now)
    return parsed


def _blamed(parsed: Unparsed, message: PageFetched, templates: Templates) -> Template | None:
    """The template that may have ended the parser."""
    if parsed.reason != GAVE_UP or message.purpose != "page":
        return None
    from gossamer.core.page.templates.matching import template_for  # RE2, in trouble only

    return template_for(message.url, templates)


def _marked(parsed: ParsedPage, template: str, reason: str) -> ParsedPage:
    reading = TemplateReading(template=template, reason=reason)
    return msgspec.structs.replace(parsed, reading=reading)


class _Suspects:
    """How often each template ended the parser, and did not, in this hour and the one before."""

    def __init__(self) -> None:
        self._deaths: Counter[tuple[str, int]] = Counter()  # by digest and hour
        self._pages: Counter[tuple[str, int]] = Counter()  # that were read, by name and hour
        self._templates: Templates = ()
        self._without: dict[frozenset[str], Templates] = {}

    def aside(self, templates: Templates, now: float) -> frozenset[str]:
        """The names of those that are set aside."""
        if not self._deaths:
            return frozenset()
        return frozenset(each.name for each in templates if self._is_aside(each, int(now // HOUR)))

    def _is_aside(self, template: Template, hour: int) -> bool:
        digest, name = _digest(template), template.name
        deaths = self._deaths[digest, hour] + self._deaths[digest, hour - 1]
        pages = self._pages[name, hour] + self._pages[name, hour - 1]
        return deaths >= ENDS and deaths * SHARE >= pages

    def without(self, templates: Templates, names: frozenset[str]) -> Templates:
        """Templates of which some only say for which pages they are.

        So none of the others takes their pages. The same object as long as it is the same list: a
        parser is sent only what is new to it.
        """
        if not names:
            return templates
        if self._templates is not templates:
            self._templates, self._without = templates, {}
        if names not in self._without:
            self._without[names] = tuple(
                Template(name=t.name, match=t.match) if t.name in names else t for t in templates
            )
        return self._without[names]

    def was_read(self, template: str, now: float) -> None:
        """Count a page that a template read."""
        self._pages[template, int(now // HOUR)] += 1

    def died(self, template: Template, health: TemplateHealth, now: float) -> None:
        """Count a page that it ended the parser on, with those that other processes have met."""
        digest = _digest(template)
        health.add(template.name, {_DIED + digest: 1}, now)
        self._deaths[digest, int(now // HOUR)] += 1
        for each in health.read(now - HOUR, now):
            if each.template == template.name:
                at, counts = each.hour, Counter(each.counts)
                died = counts[_DIED + digest]
                read = counts[PAGES] - counts[ENDED] - counts[SET_ASIDE]
                self._deaths[digest, at] = max(self._deaths[digest, at], died)
                self._pages[template.name, at] = max(self._pages[template.name, at], read)


_suspects: WeakKeyDictionary[TemplateHealth, _Suspects] = WeakKeyDictionary()


def _suspects_of(health: TemplateHealth) -> _Suspects:
    if health not in _suspects:
        _suspects[health] = _Suspects()
    return _suspects[health]


def _digest(template: Template) -> str:
    """Other for a template that was changed."""
    packed = msgspec.msgpack.encode(template)
    return hashlib.blake2b(packed, digest_size=6).hexdigest()
