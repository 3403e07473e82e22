"""Reader of plain text: all of it is the main text, and it has no links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.page.charset import decode
from gossamer.core.page.document import Document, ParsedPage
from gossamer.core.page.language import guess_language

if TYPE_CHECKING:
    from gossamer.core.crawl.job import Rules
    from gossamer.core.page.read_response import StoredResponse


def read(response: StoredResponse, rules: Rules) -> ParsedPage:
    """The document in a text."""
    text = decode(response.body, response.content_type).replace("\0", "").strip()
    return ParsedPage([Document(url=response.url, text=text, language=guess_language(text))], [])
