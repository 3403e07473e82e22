"""The settings of a collection, for those who have the admin key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gossamer.core.settings_file import (
    kept_of,
    over,
    read_settings,
    settings_of,
    to_tables,
    to_toml,
)
from gossamer.entrypoints.api import parameters
from gossamer.entrypoints.api.admin import BadBody
from gossamer.entrypoints.api.answers import JSON, Content, Request, media_type, to_json
from gossamer.entrypoints.api.owner import tag_of_version

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.core.collection import CollectionSettings
    from gossamer.entrypoints.api.backend import Backend

    Make = Callable[[CollectionSettings], CollectionSettings]

TOML = "application/toml"
PREVIEW = (
    parameters.Parameter(
        "preview", "boolean", "Say what would change, and store nothing.", default=False
    ),
)


class SettingsView(msgspec.Struct, frozen=True):
    """The settings of a collection, and how often they were stored."""

    version: int
    settings: dict[str, Any]  # as a file has them, all of them


def settings(backend: Backend, request: Request) -> Content:
    """All settings, as JSON or, on request, as the file that `gossamer settings` prints."""
    parameters.read((), request.query)
    found = backend.owner(request).settings()
    tag, vary = tag_of_version(found.version), (("Vary", "Accept"),)
    if TOML in request.headers.get("accept", ""):
        return Content(f"{to_toml(found)}\n", f"{TOML}; charset=utf-8", tag=tag, headers=vary)
    return Content(to_json(SettingsView(found.version, to_tables(found))), tag=tag, headers=vary)


def replace_settings(backend: Backend, request: Request) -> Content:
    """Replace the settings by those of the body; what it does not name has its default.

    The body is `settings` of a GET, or a TOML file. `changes` of the answer has each setting that
    differs, and whether that has effect at once or for documents that are indexed again.
    """

    def make(before: CollectionSettings) -> CollectionSettings:
        is_file = media_type(request.headers) == TOML
        wanted = read_settings(request.body, "settings") if is_file else None
        return kept_of(before, wanted or settings_of(json_table(request.body)))

    return _changed(backend, request, make)


def change_settings(backend: Backend, request: Request) -> Content:
    """Change some settings and leave the others: a JSON merge patch, where null takes away."""

    def make(before: CollectionSettings) -> CollectionSettings:
        patched = over(to_tables(before), json_table(request.body))
        return kept_of(before, settings_of(patched))

    return _changed(backend, request, make)


def _changed(backend: Backend, request: Request, make: Make) -> Content:
    owner, asked = backend.owner(request), parameters.read(PREVIEW, request.query)
    if asked["preview"]:
        return Content(to_json(owner.preview(make)))
    done = owner.change(make, request.headers.get("if-match", ""))
    return Content(to_json(done), headers=(("ETag", tag_of_version(done.version)),))


def json_table(body: str) -> dict[str, object]:
    """An object of JSON. Raises BadBody."""
    try:
        return msgspec.json.decode(body.encode(errors="replace"), type=dict[str, object])
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadBody(f"{JSON}: {error}") from error
