"""The reference of the API as a page, made from its description: no script, no other host."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from gossamer.entrypoints.api.views.client_snippets import call_of, snippets

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Json = dict[str, Any]

REF = "#/components/schemas/"
ERROR = {"$ref": f"{REF}ErrorBody"}  # said once, for all


class Operation(NamedTuple):
    """One method at one address, as the description has it."""

    method: str
    path: str
    said: Json

    @property
    def id(self) -> str:
        """Its name, and its place on the page."""
        return str(self.said["operationId"])


def operations_of(description: Json) -> list[Operation]:
    """All operations, in the order of the description."""
    return [
        Operation(method, path, said)
        for path, methods in description["paths"].items()
        for method, said in methods.items()
    ]


def to_reference(description: Json, base: str, always: Sequence[int]) -> str:
    """The page. `base` is where the API is; `always` has the statuses that any request may get."""
    operations = operations_of(description)
    schemas = description["components"]["schemas"]
    body = (
        _introduction(description, base, operations[0], always)
        + "".join(_operation(each, base, always) for each in operations)
        + '<h2 id="structures">Structures</h2>\n'
        + "".join(_structure(name, schema) for name, schema in schemas.items())
    )
    return _framed(str(description["info"]["title"]), _contents(operations), body)


def _framed(title: str, contents: str, body: str) -> str:
    return (
        '<!doctype html>\n<html lang="en" data-view="answer">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="robots" content="noindex">\n'
        f"<title>API – {escape(title)}</title>\n"
        '<link rel="icon" href="static/favicon.svg" type="image/svg+xml">\n'
        '<link rel="stylesheet" href="static/app.css">\n'
        '<link rel="stylesheet" href="static/docs.css">\n</head>\n<body>\n'
        '<a class="skip" href="#reference">Skip to the reference</a>\n<div class="stage">\n'
        f'<header class="top">\n<a class="brand" href="./">{escape(title)}</a>\n</header>\n'
        f'<main class="docs">\n{contents}<article id="reference" tabindex="-1">\n{body}</article>\n'
        "</main>\n</div>\n</body>\n</html>\n"
    )


def _contents(operations: Iterable[Operation]) -> str:
    items = "".join(
        f'<li><a href="#{escape(each.id)}">{escape(each.said["summary"])}</a></li>\n'
        for each in operations
    )
    return f'<nav aria-label="Operations"><ul>\n{items}</ul></nav>\n'


def _introduction(
    description: Json, base: str, any_operation: Operation, always: Sequence[int]
) -> str:
    answers = any_operation.said["responses"]
    rows = [[f"<code>{code}</code>", escape(answers[str(code)]["description"])] for code in always]
    return (
        f"<h1>The API</h1>\n<p>{escape(description['info']['description'])} It is at"
        f" <code>{escape(base)}</code>, and described for programs in"
        ' <a href="openapi.json">openapi.json</a>.</p>\n'
        f'<p>An answer that is no success has an <a href="#ErrorBody">ErrorBody</a>, which says'
        " what is wrong. Besides what is named below, every request may be answered with:</p>\n"
        f"{_table(('Status', 'Why'), rows)}"
    )


def _operation(operation: Operation, base: str, always: Sequence[int]) -> str:
    said = operation.said
    key = ' <span class="key">needs the admin key</span>' if "security" in said else ""
    return (
        f'<section id="{escape(operation.id)}">\n<h2>{escape(said["summary"])}</h2>\n'
        f'<p class="address"><b>{operation.method.upper()}</b> '
        f"<code>{escape(operation.path)}</code> <span>{escape(operation.id)}</span>{key}</p>\n"
        f"{_description(said)}{_parameters(said['parameters'])}{_body(said)}"
        f"{_answers(said, always)}{_examples(operation, base)}</section>\n"
    )


def _description(said: Json) -> str:
    text = said["description"]
    return f"<p>{escape(text)}</p>\n" if text.rstrip(".") != said["summary"] else ""


def _parameters(parameters: Sequence[Json]) -> str:
    rows = [
        [
            f"<code>{escape(each['name'])}</code>{' (required)' if each['required'] else ''}",
            f"{_type(each['schema'])}{_bounds(each['schema'])}",
            escape(each["description"]),
        ]
        for each in parameters
    ]
    return _table(("Parameter", "Type", "What it is for"), rows) if rows else ""


def _body(said: Json) -> str:
    content = said.get("requestBody", {}).get("content", {})
    kinds = " or ".join(_kind(kind, told) for kind, told in content.items())
    return f"<p>Its body: {kinds}.</p>\n" if kinds else ""


def _answers(said: Json, always: Sequence[int]) -> str:
    rows = [
        [
            f"<code>{escape(code)}</code>",
            escape(answer["description"]),
            "<br>".join(
                _kind(kind, told)
                for kind, told in answer.get("content", {}).items()
                if told.get("schema") != ERROR
            ),
        ]
        for code, answer in said["responses"].items()
        if int(code) not in always
    ]
    return _table(("Status", "Answer", "Content"), rows)


def _kind(kind: str, told: Json) -> str:
    is_named = "$ref" in told.get("schema", {})
    return f"{_type(told['schema'])} as {escape(kind)}" if is_named else escape(kind)


def _examples(operation: Operation, base: str) -> str:
    call = call_of(base, operation.path, operation.method, operation.said)
    return "".join(
        f"<details{' open' if name == 'curl' else ''}><summary>{escape(name)}</summary>"
        f"<pre><code>{escape(text)}</code></pre></details>\n"
        for name, text in snippets(call).items()
    )


def _structure(name: str, schema: Json) -> str:
    required = schema.get("required", [])
    rows = [
        [
            f"<code>{escape(field)}</code>",
            f"{_type(kind)}{_bounds(kind)}",
            "always" if field in required else "",
        ]
        for field, kind in schema.get("properties", {}).items()
    ]
    what = " ".join(schema.get("description", "").split())
    return (
        f'<section id="{escape(name)}">\n<h3>{escape(name)}</h3>\n<p>{escape(what)}</p>\n'
        f"{_table(('Field', 'Type', 'Present'), rows)}</section>\n"
    )


def _type(schema: Json) -> str:
    """What values are allowed, in words, with links to structures."""
    if "$ref" in schema:
        name = escape(str(schema["$ref"]).removeprefix(REF))
        return f'<a href="#{name}">{name}</a>'
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_type, schema["anyOf"])))
    if "enum" in schema:
        return " or ".join(f"<code>{escape(str(value))}</code>" for value in schema["enum"])
    if "items" in schema:
        kind = _type(schema["items"])
        return f"list of ({kind})" if "anyOf" in schema["items"] else f"list of {kind}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"by name: {_type(schema['additionalProperties'])}"
    return escape(str(schema.get("type", "anything")))


def _bounds(schema: Json) -> str:
    words = []
    if "maximum" in schema:
        words.append(f"from {schema['minimum']:,} to {schema['maximum']:,}")
    if "maxLength" in schema:
        words.append(f"up to {schema['maxLength']:,} characters")
    if "maxItems" in schema:
        words.append(f"up to {schema['maxItems']:,} times, each{_bounds(schema['items'])[1:]}")
    if schema.get("default") not in (None, "", [], {}):
        words.append(f"default <code>{escape(json.dumps(schema['default']))}</code>")
    return f", {', '.join(words)}" if words else ""


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows of HTML under headings of text."""
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>\n" for row in rows)
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n"
