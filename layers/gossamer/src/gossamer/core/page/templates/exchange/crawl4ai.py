"""Schemas of crawl4ai, which read one kind of record of a page: read, and written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gossamer.core.page.templates.exchange.imported import (
    Imported,
    field_name,
    kept,
    table,
    tables,
    template_name,
    text_of,
)
from gossamer.core.page.templates.exchange.jquery import translated
from gossamer.core.page.templates.selecting import is_xpath, to_xpath

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gossamer.core.page.templates.template import FieldRule, Template

MAX_DEPTH = 8  # of fields in fields
_PLAIN = ("text", "attribute", "html", "regex")
_ADDRESSES = {"href": "link", "src": "image"}


def is_schema(given: Mapping[str, Any]) -> bool:
    """Whether a JSON file is one."""
    return "baseSelector" in given and "fields" in given


def from_schema(given: Mapping[str, Any], origin: str, match: list[str]) -> Imported:
    """A template from a schema, which does not say for which pages it is."""
    made = Imported()
    name = template_name(text_of(given, "name") or "schema")
    content: dict[str, Any] = {
        "name": name, "match": match, "items": translated(text_of(given, "baseSelector")),
        "fields": {},
    }  # fmt: skip
    for each in tables(given.get("baseFields") or [], f"{origin}: baseFields"):
        _add(content["fields"], {**each, "selector": "."}, made, origin)
    for each in tables(given.get("fields"), f"{origin}: fields"):
        _add(content["fields"], each, made, origin)
    made.add(content, f"{origin}: {name}")
    return made


def _add(
    fields: dict[str, Any], given: Mapping[str, Any], made: Imported, origin: str,
    outer: str = "", before: str = "", depth: int = 0,
) -> None:  # fmt: skip
    """Add a field, or those of a nested one, as `outer_inner`."""
    own = f"{before}_{text_of(given, 'name')}" if before else text_of(given, "name")
    kind = text_of(given, "type") or "text"
    selector = _selector(given, outer)
    if kind == "nested" and depth < MAX_DEPTH:
        for inner in tables(given.get("fields") or [], f"{origin}: {own}"):
            _add(fields, inner, made, origin, selector, own, depth + 1)
        return
    rule = _rule(given, kind, selector)
    if rule is None:
        made.notes.append(f"{own} is left out: a field of type {kind} cannot be said here")
        return
    for lost in ("transform", "default"):
        if lost in given:
            made.notes.append(f"{own}: {lost} is left out")
    fields[field_name(own, fields)] = rule


def _selector(given: Mapping[str, Any], outer: str) -> str:
    """Where a field stands; `source` is a sibling of the record: "+ tr"."""
    inner = text_of(given, "selector")
    source = text_of(given, "source")
    return " ".join(filter(None, (outer, source, inner if inner != "." else ""))) or "."


def _rule(given: Mapping[str, Any], kind: str, selector: str) -> dict[str, Any] | None:
    selector = translated(selector) if selector != "." else selector
    if kind in ("list", "nested_list"):
        return _list(given, selector)
    if kind not in _PLAIN:
        return None
    rule: dict[str, Any] = {"select": selector}
    if kind == "html":
        rule["type"] = "html"
    if kind == "attribute":
        attribute = text_of(given, "attribute")
        rule |= {"type": _ADDRESSES.get(attribute, "text"), "attribute": attribute}
    if kind == "regex":
        group = given.get("group", 1)
        rule["clean"] = kept(text_of(given, "pattern"), group if isinstance(group, int) else 1)
    return rule


def _list(given: Mapping[str, Any], selector: str) -> dict[str, Any] | None:
    """A list of one plain value; records in a record cannot be said."""
    fields = given.get("fields") or [{"type": "text"}]
    inner = [table(each, "fields") for each in fields] if isinstance(fields, list) else []
    rule = _rule(inner[0], text_of(inner[0], "type") or "text", _selector(inner[0], selector)) \
        if len(inner) == 1 else None  # fmt: skip
    if rule is None or rule.get("type") == "list":
        return None
    return rule | {"type": "list", "of": rule.get("type", "text")}


def to_schema(template: Template) -> tuple[dict[str, Any], list[str]]:
    """A template as a schema, and notes on what that cannot say.

    All selectors are CSS or all are XPath; crawl4ai has a strategy for each.
    """
    notes = list(_lost(template))
    rules = {name: rule for name, rule in template.fields.items() if rule.select}
    said = [template.items, *(rule.select[0] for rule in rules.values())]
    is_path = any(map(is_xpath, filter(None, said)))
    fields = [_written(name, rule, is_path=is_path) for name, rule in rules.items()]
    base = template.items or ("//html" if is_path else "html")
    base = to_xpath(base) if is_path else base
    if is_path:
        notes.append("its selectors are XPath: use it with JsonXPathExtractionStrategy")
    return {"name": template.name, "baseSelector": base, "fields": fields}, notes


def _written(name: str, rule: FieldRule, *, is_path: bool) -> dict[str, Any]:
    selector = to_xpath(rule.select[0]) if is_path else rule.select[0]
    kind = rule.of if rule.type == "list" else rule.type
    attribute = rule.attribute or {"link": "href", "image": "src"}.get(kind, "")
    one: dict[str, Any] = {"type": "html" if kind == "html" else "text"}
    if attribute:
        one = {"type": "attribute", "attribute": attribute}
    if rule.type == "list":
        one = {"type": "list", "fields": [{"name": "value", **one}]}
    return {"name": name, "selector": selector, **one}


def _lost(template: Template) -> Iterator[str]:
    for name, rule in template.fields.items():
        if not rule.select:
            yield f"{name} is left out: it has no selector"
        elif len(rule.select) > 1:
            yield f"{name}: of its selectors only the first is written"
        if rule.clean:
            yield f"{name}: its replacements are left out"
