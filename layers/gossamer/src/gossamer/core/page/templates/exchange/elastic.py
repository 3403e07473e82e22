"""Rule sets of Elastic's Open Crawler: each becomes a template of one document a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import re2

from gossamer.core.errors import ConfigurationError
from gossamer.core.page.templates.exchange.imported import (
    Imported,
    field_name,
    tables,
    template_name,
    text_of,
)
from gossamer.core.page.templates.exchange.jquery import translated

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

RULE_SETS = "extraction_rulesets"


def is_configuration(given: Mapping[str, Any]) -> bool:
    """Whether a file is a configuration of the crawler."""
    return RULE_SETS in given or "domains" in given


def from_configuration(given: Mapping[str, Any], origin: str) -> Imported:
    """Templates from the rule sets of all domains."""
    made = Imported()
    domains = tables(given.get("domains", [given]), f"{origin}: domains")
    for number, (host, each) in enumerate(_rule_sets(domains, origin), 1):
        name = template_name(f"{host.rpartition('/')[2]}-{number}")
        place = f"{origin}: {name}"
        match = [_pattern(host, each, place) for each in _filters(each, place)] or [f"{host}/*"]
        fields = _fields(tables(each.get("rules") or [], place), place, made)
        if fields:
            made.add({"name": name, "match": match, "fields": fields}, place)
    if not made.templates:
        made.notes.append(f"there are no rules in {RULE_SETS}")
    return made


def _rule_sets(domains: list[dict[str, Any]], origin: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for domain in domains:
        host = text_of(domain, "url").rstrip("/")
        if not host:
            raise ConfigurationError(f"{origin}: a domain has no url, so no page can be matched")
        for each in tables(domain.get(RULE_SETS) or [], f"{origin}: {RULE_SETS}"):
            yield host, each


def _filters(rule_set: Mapping[str, Any], place: str) -> list[dict[str, Any]]:
    return tables(rule_set.get("url_filters") or [], f"{place}: url_filters")


def _pattern(host: str, given: Mapping[str, Any], place: str) -> str:
    """A filter, which is about what comes behind the host, as a pattern for the whole URL."""
    pattern, kind = text_of(given, "pattern"), text_of(given, "type")
    match kind:
        case "begins":
            return f"{host}{pattern}*"
        case "ends":
            return f"{host}*{pattern}"
        case "contains":
            return f"{host}*{pattern}*"
        case "regex":
            return f"re:{re2.escape(host)}.*(?:{pattern}).*"
        case _:
            raise ConfigurationError(f"{place}: a filter of type {kind!r} is not known")


def _fields(rules: list[dict[str, Any]], place: str, made: Imported) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for rule in rules:
        name = text_of(rule, "field_name")
        try:
            found[field_name(name, found)] = _field(rule)
        except ConfigurationError as error:
            raise ConfigurationError(f"{place}: {name}: {error}") from error
        if rule.get("action") == "extract" and rule.get("join_as") not in ("array", "string", None):
            made.notes.append(f"{name}: join_as {rule['join_as']!r} is not known")
    return found


def _field(rule: Mapping[str, Any]) -> dict[str, Any]:
    action, source = text_of(rule, "action"), text_of(rule, "source") or "html"
    selector = text_of(rule, "selector")
    if action == "set":
        return {"select": _constant(str(rule.get("value", "")))}
    if action != "extract":
        raise ConfigurationError(f"an action {action!r} is not known; extract and set are")
    if source == "url":
        return {"from": f"url:{selector}"}
    if source != "html":
        raise ConfigurationError(f"a source {source!r} is not known; html and url are")
    made = {"select": translated(selector)}
    return made if rule.get("join_as") == "string" else made | {"type": "list"}


def _constant(text: str) -> str:
    """A text as an XPath that computes it: such a text has no escapes in XPath."""
    if "'" not in text:
        return f"('{text}')"
    parts = ', "\'", '.join(f"'{part}'" for part in text.split("'"))
    return f"(concat({parts}))"
