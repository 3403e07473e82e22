"""What the owner of a collection may change over HTTP, in both homes.

Each change names the version that it was made for (`If-Match`), so that of two owners the second is
told, and overwrites nothing.
"""

from __future__ import annotations

import hashlib
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gossamer.core.errors import ConfigurationError, SettingError, StoreGone
from gossamer.core.page.templates.collected import read_templates, with_template
from gossamer.core.page.templates.template import to_toml
from gossamer.core.search.query_log import QueryReport, day_of, report
from gossamer.core.search.synonyms.rules import rule_lines
from gossamer.entrypoints.api.admin import Denied
from gossamer.entrypoints.api.answers import NotFound
from gossamer.entrypoints.collection import settings as settings_of
from gossamer.entrypoints.collection import synonyms as synonyms_of
from gossamer.entrypoints.collection.templates import keep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from gossamer.core.collection import CollectionSettings
    from gossamer.core.page.templates.collected import Templates
    from gossamer.core.page.templates.template import Template
    from gossamer.entrypoints.collection.settings import Stored
    from gossamer.entrypoints.collection.synonyms import StoredSynonyms
    from gossamer.entrypoints.collection.templates import Kept
    from gossamer.ports.home import Home

    Opened = Callable[[], AbstractContextManager[Home]]

UNKNOWN = (
    "say which version is replaced: If-Match with the ETag of a GET, or * for any; or, for what is"
    " new, If-None-Match: *"
)
CHANGED = "somebody else has changed this since; read it again"


class Owner:
    """Reads and changes a collection, which each call opens."""

    def __init__(self, reading: Opened, writing: Opened) -> None:
        self._reading, self._opened = reading, writing

    def settings(self) -> CollectionSettings:
        """The settings."""
        with self._reading() as home:
            return home.settings.get()

    def preview(self, make: Callable[[CollectionSettings], CollectionSettings]) -> Stored:
        """What other settings would change, made of the present ones."""
        with _refusing(), self._reading() as home:
            return settings_of.preview(home, make(home.settings.get()))

    def change(
        self, make: Callable[[CollectionSettings], CollectionSettings], if_match: str
    ) -> Stored:
        """Replace the settings by others that are made of the present ones."""
        with self._writing() as home:
            before = home.settings.get()
            wanted = make(before)  # so that a mistake is named first
            check_match(if_match, tag_of_version(before.version))
            return settings_of.store(home, wanted)

    def synonyms(self) -> str:
        """The list of synonyms."""
        with self._reading() as home:
            return home.settings.read_list(home.settings.get().synonyms)

    def replace_synonyms(self, text: str, if_match: str) -> StoredSynonyms:
        """Replace the list; one without a rule removes it."""
        rule_lines(text, "")
        with self._writing() as home:
            before = home.settings.read_list(home.settings.get().synonyms)
            check_match(if_match, tag_of_text(before))
            return synonyms_of.store(home, text)

    def queries(self, days: int, limit: int) -> QueryReport:
        """What was asked in the last days."""
        today = day_of(time.time())
        with self._reading() as home:
            counts = home.queries.read(today - days + 1, today)
        return report(counts, days, limit)

    def templates(self) -> Templates:
        """The templates."""
        with self._reading() as home:
            return read_templates(home.settings.read_list(home.settings.get().templates))

    def put_template(self, template: Template, if_match: str, if_none_match: str) -> Kept:
        """Add a template, or replace the one of its name."""
        with self._writing() as home:
            before, known = _templates(home)
            check_new(if_match, if_none_match, known.get(template.name))
            after = with_template(tuple(known.values()), template)
            return keep(home, after, before)

    def remove_template(self, name: str, if_match: str) -> Kept:
        """Remove a template."""
        with self._writing() as home:
            before, known = _templates(home)
            if name not in known:
                raise NotFound(f"there is no template {name!r}")
            check_match(if_match, tag_of_template(known.pop(name)))
            return keep(home, tuple(known.values()), before)

    @contextmanager
    def _writing(self) -> Iterator[Home]:
        """The collection alone."""
        with _refusing(), self._opened() as home:
            yield home


@contextmanager
def _refusing() -> Iterator[None]:
    """Raises Denied if a crawl has the collection, if another owner was faster, or at a clash."""
    try:
        yield
    except (SettingError, StoreGone):
        raise
    except settings_of.Stale as error:
        raise Denied(412, CHANGED) from error
    except ConfigurationError as error:
        raise Denied(409, str(error)) from error


def _templates(home: Home) -> tuple[CollectionSettings, dict[str, Template]]:
    """The settings, and the templates that they have, by name."""
    settings = home.settings.get()
    found = read_templates(home.settings.read_list(settings.templates))
    return settings, {each.name: each for each in found}


def check_match(if_match: str, tag: str) -> None:
    """Raise Denied unless a request is about the version that there is."""
    if not if_match:
        raise Denied(428, UNKNOWN)
    # Weak ones too: what compresses an answer on its way makes its tag weak.
    given = [each.strip().removeprefix("W/") for each in if_match.split(",")]
    if "*" not in given and tag not in given:
        raise Denied(412, CHANGED)


def check_new(if_match: str, if_none_match: str, known: Template | None) -> None:
    """Raise Denied unless a request is about the template that there is, or about none."""
    if known is not None:
        if if_none_match:
            raise Denied(412, "there is such a template already")
        check_match(if_match, tag_of_template(known))
    elif if_match and if_match.strip() != "*":
        raise Denied(412, CHANGED)
    elif not (if_match or if_none_match):
        raise Denied(428, UNKNOWN)


def tag_of_template(template: Template) -> str:
    """The ETag of a template."""
    return tag_of_text(to_toml(template))


def tag_of_version(version: int) -> str:
    """The ETag of settings."""
    return f'"{version}"'


def tag_of_text(text: str) -> str:
    """The ETag of a list."""
    return f'"{hashlib.blake2b(text.encode(), digest_size=12).hexdigest()}"'
