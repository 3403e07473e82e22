"""The templates of a collection, for those who have the admin key."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from gossamer.core.errors import ConfigurationError, SettingError
from gossamer.core.page.templates.template import read_template, template_of, to_toml
from gossamer.core.settings_file import line_of
from gossamer.entrypoints.api import parameters
from gossamer.entrypoints.api.answers import Content, NotFound, Request, media_type, to_json
from gossamer.entrypoints.api.endpoints.settings import TOML, json_table
from gossamer.entrypoints.api.owner import tag_of_template

if TYPE_CHECKING:
    from gossamer.core.page.templates.template import Template
    from gossamer.entrypoints.api.backend import Backend

NAME = parameters.Parameter(
    "name", "text", "The name of a template.", maximum=40, required=True, example="shop"
)
ORIGIN = "template"
# What a mistake is about: `fields.price.select: …`, or a path of msgspec.
_key_of = re.compile(
    rf"{ORIGIN}: (?P<said>[\w-]+(?:\.[\w-]+)*): |.* - at `\$\.(?P<path>[\w-]+)", re.DOTALL
).match


class TemplateEntry(msgspec.Struct, frozen=True):
    """A template of the collection."""

    name: str
    match: list[str]
    fields: list[str]


class TemplateList(msgspec.Struct, frozen=True):
    """All templates of the collection."""

    templates: list[TemplateEntry]


def templates(backend: Backend, request: Request) -> Content:
    """All templates, with the pages that they are for and the fields that they have."""
    parameters.read((), request.query)
    found = backend.owner(request).templates()
    listed = [TemplateEntry(each.name, each.match, [*each.fields]) for each in found]
    return Content(to_json(TemplateList(sorted(listed, key=lambda each: each.name))))


def template(backend: Backend, request: Request) -> Content:
    """One template, as JSON or, on request, as its file."""
    parameters.read((), request.query)
    name, known = request.args["name"], backend.owner(request).templates()
    found = next((each for each in known if each.name == name), None)
    if found is None:
        raise NotFound(f"there is no template {name!r}")
    tag, vary = tag_of_template(found), (("Vary", "Accept"),)
    if TOML in request.headers.get("accept", ""):
        return Content(to_toml(found), f"{TOML}; charset=utf-8", tag=tag, headers=vary)
    return Content(to_json(found), tag=tag, headers=vary)


def put_template(backend: Backend, request: Request) -> Content:
    """Add a template (`If-None-Match: *`), or replace the one of its name (`If-Match`).

    It is used for pages that are fetched from now on; stored ones are read again by `gossamer
    template apply`.
    """
    owner = backend.owner(request)
    parameters.read((), request.query)
    wanted = _read(request)
    given = (request.headers.get(name, "") for name in ("if-match", "if-none-match"))
    done = owner.put_template(wanted, *given)
    return Content(to_json(done), headers=(("ETag", tag_of_template(wanted)),))


def remove_template(backend: Backend, request: Request) -> Content:
    """Remove a template; documents that it made stay until their pages are read again."""
    owner = backend.owner(request)
    parameters.read((), request.query)
    done = owner.remove_template(request.args["name"], request.headers.get("if-match", ""))
    return Content(to_json(done))


def _read(request: Request) -> Template:
    """The template of a body. Raises SettingError."""
    name, is_file = request.args["name"], media_type(request.headers) == TOML
    try:
        if is_file:
            found = read_template(request.body, ORIGIN)
            found = msgspec.structs.replace(found, name=name) if found.name == ORIGIN else found
        else:
            found = template_of({"name": name} | json_table(request.body), ORIGIN)
        # Once more, since the name of the address may be none.
        found = template_of(msgspec.to_builtins(found), ORIGIN)
    except SettingError:
        raise
    except ConfigurationError as error:
        place = _key_of(str(error))
        key = (place["said"] or place["path"]).split(".") if place else []
        line = line_of(request.body, tuple(key)) if is_file else None
        raise SettingError(str(error), key, line=line) from error
    if found.name != name:
        raise SettingError(f"this is the template {found.name!r}, put to {name!r}", ["name"])
    return found
