"""The language of pages that tell none: that of most pages of their host.

Only pages whose language was declared or told by their text are counted, so that what a majority
gave never adds to it. Measurements and limits: docs/decisions/0039.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gossamer.core.page.document import Document

MIN_COUNTED_PAGES: Final = 5  # of a host; fewer may be its imprint and its start page
# Of the counted pages. A bilingual host has half of each, and a translated one less of the second.
MIN_MAJORITY_SHARE: Final = 2 / 3
MAX_COUNTED_PAGES: Final = 100  # of a host; more change hardly any majority, and are paid for
MAX_LANGUAGE_LETTERS: Final = 8  # of the primary subtag (RFC 5646, section 2.1)


def told_language(documents: Sequence[Document]) -> str:
    """Return the language that a page declared or its text told; "" if there is none."""
    languages = (document.language for document in documents)
    return next((name for name in languages if 0 < len(name) <= MAX_LANGUAGE_LETTERS), "")


def majority_language(pages: Mapping[str, int]) -> str:
    """Return the language that most pages of a host have, by pages of languages; "" if unclear."""
    total = sum(pages.values())
    if total < MIN_COUNTED_PAGES:
        return ""
    language = max(pages, key=pages.__getitem__)
    return language if pages[language] >= MIN_MAJORITY_SHARE * total else ""


def in_language_of_host(documents: list[Document], pages: Mapping[str, int]) -> list[Document]:
    """Return the documents of a page that tells no language in that of most pages of its host.

    A text in letters of other languages stays without one.
    """
    language = majority_language(pages)
    if not language:
        return documents
    from gossamer.core.page.language import may_be_in  # loads what compares languages

    return [
        msgspec.structs.replace(document, language=language)
        if not document.language and may_be_in(language, f"{document.title}\n{document.text}")
        else document
        for document in documents
    ]
