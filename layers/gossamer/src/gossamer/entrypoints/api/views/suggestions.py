"""Completions as browsers read them: OpenSearch suggestions."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

import msgspec

if TYPE_CHECKING:
    from gossamer.core.search.result import Suggestion, SuggestResponse

SUGGESTIONS = "application/x-suggestions+json"
_STRINGS = {"type": "array", "items": {"type": "string"}}
# Of the answer, as JSON Schema: what was typed, then three lists. Not by `prefixItems`, which some
# clients of OpenAPI take for a list of `items`.
SCHEMA: dict[str, object] = {
    "type": "array",
    "items": {"anyOf": [{"type": "string"}, _STRINGS]},
    "minItems": 4,
    "maxItems": 4,
}


def to_suggestions(found: SuggestResponse, base: str) -> str:
    """What was typed, its completions, what each is, and where each leads from `base`."""
    texts = [each.text for each in found.suggestions]
    urls = [_address(each, base) for each in found.suggestions]
    kinds = [each.kind for each in found.suggestions]
    return msgspec.json.encode([found.query, texts, kinds, urls]).decode()


def _address(suggestion: Suggestion, base: str) -> str:
    """The page that is called so; a search for it, if there is none that a browser may open."""
    if suggestion.url.startswith(("http://", "https://")):
        return suggestion.url
    return f"{base}?{urlencode({'q': suggestion.text})}"
