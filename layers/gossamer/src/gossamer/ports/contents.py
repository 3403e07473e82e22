"""Was this content seen before?"""

from __future__ import annotations

from typing import Protocol


class ContentStore(Protocol):
    """Fingerprints and their owners.

    The first URL with a content owns it, until somebody finds that it has another one by now.
    """

    def own(self, fingerprint: bytes, url: str, instead_of: str = "") -> str:
        """The owner of a content; the given URL if nobody owned it before.

        `instead_of` names an owner whose place the URL takes, unless somebody else just did.
        """
        ...
