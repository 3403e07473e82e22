"""A file of another program, whichever it is."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import msgspec

from gossamer.core.errors import ConfigurationError
from gossamer.core.page.templates.exchange import crawl4ai, elastic, webscraper
from gossamer.core.page.templates.exchange.imported import table

if TYPE_CHECKING:
    from gossamer.core.page.templates.exchange.imported import Imported

MAX_BYTES = 2_000_000
MAX_BRACKETS = 500  # of YAML: 2,000 that nest take it three seconds
KNOWN = "a sitemap of webscraper.io, a schema of crawl4ai, or rule sets of Elastic's Open Crawler"


def read_foreign(text: str, origin: str, match: list[str]) -> Imported:
    """Templates from a file; `match` is for what does not say for which pages it is.

    Raises ConfigurationError for what is none, or cannot be said here.
    """
    if len(text) > MAX_BYTES:
        raise ConfigurationError(f"{origin}: it has more than {MAX_BYTES:,} characters")
    given = table(_decoded(text, origin), origin)
    if webscraper.is_sitemap(given):
        return webscraper.from_sitemap(given, origin)
    if elastic.is_configuration(given):
        return elastic.from_configuration(given, origin)
    if crawl4ai.is_schema(given):
        if not match:
            raise ConfigurationError(
                f"{origin}: a schema does not say for which pages it is: give --match PATTERN"
            )
        return crawl4ai.from_schema(given, origin, match)
    raise ConfigurationError(f"{origin}: this is not {KNOWN}")


def _decoded(text: str, origin: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        pass
    if sum(map(text.count, "[{")) > MAX_BRACKETS:
        raise ConfigurationError(f"{origin}: not JSON, and too nested for YAML")
    try:
        yaml = import_module("yaml")
    except ImportError as error:
        raise ConfigurationError(f"{origin}: not JSON; for YAML: pip install pyyaml") from error
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        said = " ".join(str(error).split())
        raise ConfigurationError(f"{origin}: neither JSON nor YAML: {said}") from error
