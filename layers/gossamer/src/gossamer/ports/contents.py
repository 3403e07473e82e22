"""Was this content seen before?"""

from __future__ import annotations

from typing import Protocol


class ContentStore(Protocol):
    """Fingerprints and their owners. The first URL with a content owns it for good."""

    def own(self, fingerprint: bytes, url: str) -> str:
        """The owner of a content; the given URL if nobody owned it before."""
        ...
