"""Decides what type a page is of, by what it says of itself and by its address."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit


class PageType(StrEnum):
    """How the text of a page is laid out; OTHER is a service, a home page, anything else."""

    ARTICLE = "article"
    PRODUCT = "product"
    LISTING = "listing"
    FORUM = "forum"
    DOCUMENTATION = "documentation"
    OTHER = ""


@dataclass(frozen=True, slots=True)
class Signs:
    """What a page says of itself in its head, and where it is."""

    url: str = ""
    og_type: str = ""
    generator: str = ""


# Two searches: each begins with a fixed text, which one search for both could not look for.
_find_in_markup = re.compile(r"schema\.org/(\w++)[\"']").findall
_find_in_linked_data = re.compile(r"\"@type\"\s*+:\s*+\[?\s*+\"(\w++)\"").findall
_writes_documentation = re.compile(
    r"sphinx|docutils|docbook|javadoc|doxygen|rustdoc|mkdocs|mdbook|docusaurus|vitepress|gitbook"
    r"|antora|asciidoc|makeinfo|texinfo|texi2html|pdoc|jsdoc|typedoc|yard|mediawiki|dokuwiki",
    re.IGNORECASE,
).search
_leads_to_talk = re.compile(
    r"/(?:forums?|threads?|topics?|questions|discussions?|viewtopic|showthread|t)(?:[/.]|\Z)",
    re.IGNORECASE,
).search
_is_place_of_talk = re.compile(r"(?:forums?|community|discuss|discourse)\.", re.IGNORECASE).match

_TALKS = frozenset({"DiscussionForumPosting", "QAPage"})
_LISTS = frozenset({"ItemList", "CollectionPage", "OfferCatalog", "SearchResultsPage"})
PRODUCTS = frozenset({"Product", "ProductGroup"})
_ARTICLES = re.compile(r"(?:\w*Article|BlogPosting|Report)\Z").match


def page_type(html: str, signs: Signs) -> PageType:
    """The type of a page. Who reads documentation reads much of it, so that is asked first."""
    if _writes_documentation(signs.generator) or 'id="documentation_options"' in html:
        return PageType.DOCUMENTATION
    types = declared_types(html)
    if types & _TALKS or _is_talk(signs.url):
        return PageType.FORUM
    article = signs.og_type == "article" or any(map(_ARTICLES, types))
    if signs.og_type.startswith("product"):
        return PageType.PRODUCT
    if types & _LISTS and not article:
        return PageType.LISTING
    if types & PRODUCTS and signs.og_type != "article":
        return PageType.PRODUCT
    return PageType.ARTICLE if article else PageType.OTHER


def declared_types(html: str) -> set[str]:
    """The schema.org types that a page names, in linked data or in its markup."""
    if "schema.org" not in html and "ld+json" not in html:  # spares most pages a search
        return set()
    return {*_find_in_markup(html), *_find_in_linked_data(html)}


def _is_talk(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return bool(_leads_to_talk(parts.path) or _is_place_of_talk(parts.hostname or ""))
