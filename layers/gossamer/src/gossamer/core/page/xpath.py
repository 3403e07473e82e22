"""Select parts of a page by XPath."""

from __future__ import annotations

from functools import lru_cache

from lxml import etree

from gossamer.core.errors import ConfigurationError


def cut_out(html: str, xpath: str) -> str:
    """The selected elements as HTML, one after another; "" if none is selected.

    Raises ConfigurationError for what is no XPath.
    """
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True)
    root = etree.fromstring(html.encode("utf-8", "replace") or b" ", parser)
    if root is None:
        return ""
    try:
        selected = compile_scope(xpath)(root)
    except etree.XPathError as error:
        raise ConfigurationError(f"link_scope: {xpath!r}: {error}") from error
    elements = selected if isinstance(selected, list) else []
    return "".join(
        etree.tostring(element, method="html", encoding="unicode", with_tail=False)
        for element in elements
        if isinstance(element, etree._Element)
    )


@lru_cache(maxsize=64)
def compile_scope(xpath: str) -> etree.XPath:
    """An XPath ready for use. Raises ConfigurationError for what is none."""
    try:
        return etree.XPath(xpath, regexp=False)
    except (etree.XPathError, ValueError) as error:  # the latter for control characters
        raise ConfigurationError(f"link_scope: {xpath!r} is no XPath: {error}") from error
