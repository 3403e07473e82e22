"""Reads a file as the crawler does, by its media type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.crawl.job import JobConfig, Rules
from gossamer.core.page.read_response import read_response

if TYPE_CHECKING:
    from gossamer.core.page.document import ParsedPage

RULES = Rules(JobConfig())
URL = "http://a.test/files/silk"


def parsed(body: bytes, media_type: str, url: str = URL) -> ParsedPage:
    return read_response("page", body, url, [("Content-Type", media_type)], RULES)
