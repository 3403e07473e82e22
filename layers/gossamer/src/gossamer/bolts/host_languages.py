"""Give pages that tell no language that of most pages of their host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.page.host_language import in_language_of_host, told_language
from gossamer.core.urls import host_of

if TYPE_CHECKING:
    from gossamer.core.page.document import Document
    from gossamer.ports.host_languages import HostLanguages


def with_host_language(documents: list[Document], url: str, hosts: HostLanguages) -> list[Document]:
    """Return the documents of a page, in the language of its host if they have none.

    Pages that do have one are counted. A page may be counted twice, as its message may come twice:
    that changes no clear majority.
    """
    if language := told_language(documents):
        hosts.add(host_of(url), {language: 1})
    elif documents:
        return in_language_of_host(documents, hosts.pages(host_of(url)))
    return documents
