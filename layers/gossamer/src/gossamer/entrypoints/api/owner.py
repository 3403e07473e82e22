"""What the owner of a collection may change over HTTP, in both homes.

Each change names the version that it was made for (`If-Match`), so that of two owners the second is
told, and overwrites nothing.
"""

from __future__ import annotations

import hashlib
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gossamer.core.errors import ConfigurationError, SettingError
from gossamer.core.search.query_log import QueryReport, day_of, report
from gossamer.core.search.synonyms.rules import rule_lines
from gossamer.entrypoints.api.admin import Denied
from gossamer.entrypoints.collection import settings as settings_of
from gossamer.entrypoints.collection import synonyms as synonyms_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from gossamer.core.collection import CollectionSettings
    from gossamer.entrypoints.collection.settings import Stored
    from gossamer.entrypoints.collection.synonyms import StoredSynonyms
    from gossamer.ports.home import Home

    Opened = Callable[[], AbstractContextManager[Home]]

UNKNOWN = "say which version is replaced: If-Match with the ETag of a GET, or * for any"
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
        with self._reading() as home:
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

    @contextmanager
    def _writing(self) -> Iterator[Home]:
        """The collection alone. Raises Denied if a crawl has it, or another owner was faster."""
        try:
            with self._opened() as home:
                yield home
        except SettingError:
            raise
        except settings_of.Stale as error:
            raise Denied(412, CHANGED) from error
        except ConfigurationError as error:
            raise Denied(409, str(error)) from error


def check_match(if_match: str, tag: str) -> None:
    """Raise Denied unless a request is about the version that there is."""
    if not if_match:
        raise Denied(428, UNKNOWN)
    # Weak ones too: what compresses an answer on its way makes its tag weak.
    given = [each.strip().removeprefix("W/") for each in if_match.split(",")]
    if "*" not in given and tag not in given:
        raise Denied(412, CHANGED)


def tag_of_version(version: int) -> str:
    """The ETag of settings."""
    return f'"{version}"'


def tag_of_text(text: str) -> str:
    """The ETag of a list."""
    return f'"{hashlib.blake2b(text.encode(), digest_size=12).hexdigest()}"'
