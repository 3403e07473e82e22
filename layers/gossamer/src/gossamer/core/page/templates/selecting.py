"""Selectors: CSS and XPath, both as XPath of libxml2, and the tree that they are asked of."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

import cssselect
from lxml import etree

from gossamer.core.errors import ConfigurationError
from gossamer.core.page.html_limits import tame

# XPath 1.0 knows these functions and tests of nodes; libxml2 finds out about others when it gets
# to them, which may be never on one page and at once on the next.
_FUNCTIONS: Final = frozenset(
    str.split(
        "last position count id local-name namespace-uri name string concat starts-with contains"
        " substring-before substring-after substring string-length normalize-space translate"
        " boolean not true false lang number sum floor ceiling round"
        " text node comment processing-instruction"
    )
)
_AXES = (
    "ancestor|ancestor-or-self|attribute|child|descendant|descendant-or-self|following"
    "|following-sibling|namespace|parent|preceding|preceding-sibling|self"
)
is_xpath = re.compile(rf"/|\./|\.\.|\.\Z|\(|@|(?:{_AXES})::").match
_LITERAL = re.compile(r"'[^']*'|\"[^\"]*\"")
_CALL = re.compile(r"(?<![\w.:-])(?!\d)([\w.:-]+)\s*\(")
_ATTRIBUTE_VALUE = re.compile(r"attr\(\s*([A-Za-z_][\w.-]*)\s*\)\Z", re.ASCII).match
_AS_CSS = cssselect.HTMLTranslator()
# Of a selector that starts with a combinator, what it is beside: "+ tr" is the row after an item.
_COMBINATORS = ("+", "~", ">")
MAX_LENGTH: Final = 2_000


def page_tree(html: str) -> etree._Element:
    """The root of a page, bounded as every page that is parsed."""
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=True
    )
    root = etree.fromstring(tame(html).encode("utf-8", "replace") or b" ", parser)
    return etree.Element("html") if root is None else root


@lru_cache(maxsize=4096)
def compile_selector(text: str) -> etree.XPath:
    """A selector ready for use. Raises ConfigurationError for what is none."""
    path = to_xpath(text)
    try:
        compiled = etree.XPath(path, regexp=False)
    except (etree.XPathError, ValueError) as error:  # the latter for control characters
        raise ConfigurationError(f"{text!r} is no selector: {error}") from error
    bare = _LITERAL.sub("''", path)
    if "$" in bare:
        raise ConfigurationError(f"{text!r} is no selector: there are no variables")
    for name in (call.rpartition("::")[2] for call in _CALL.findall(bare)):  # text() of an axis
        if name not in _FUNCTIONS and name not in ("and", "or", "div", "mod"):
            raise ConfigurationError(f"{text!r} is no selector: XPath 1.0 has no function {name}()")
    _ask(compiled, text, etree.Element("html"))  # finds undefined prefixes
    return compiled


def select(text: str, node: etree._Element) -> list[Any]:
    """What a selector finds from an element on: elements, texts, or the one value it computes.

    Raises ConfigurationError for what libxml2 refuses to go on with.
    """
    return _ask(compile_selector(text), text, node)


def _ask(compiled: etree.XPath, text: str, node: etree._Element) -> list[Any]:
    try:
        found = compiled(node)
    except etree.XPathError as error:
        raise ConfigurationError(f"{text!r} is no selector for this: {error}") from error
    return found if isinstance(found, list) else [found]


def to_xpath(text: str) -> str:
    """A selector as XPath: CSS is translated, XPath is as it is.

    XPath begins with `/`, `./`, `..`, `.`, `(`, `@` or an axis.
    """
    text = text.strip()
    if not text or len(text) > MAX_LENGTH:
        raise ConfigurationError(f"a selector has 1 to {MAX_LENGTH:,} characters")
    if is_xpath(text):
        return text
    try:
        parsed = cssselect.parse(f":scope {text}" if text.startswith(_COMBINATORS) else text)
        return " | ".join(map(_one, parsed))
    except (cssselect.SelectorError, RecursionError) as error:
        raise ConfigurationError(f"{text!r} is no selector: {error}") from error


def _one(selector: cssselect.Selector) -> str:
    """One CSS selector; `::text` and `::attr(NAME)` are what Scrapy has beside CSS."""
    path: str = _AS_CSS.selector_to_xpath(selector).replace(
        "descendant-or-self::*[position() = 1]",
        "self::*",  # what cssselect makes of :scope
    )
    match selector.pseudo_element:
        case None:
            return path
        case "text":
            return f"{path}/text()"
        case other:
            named = _ATTRIBUTE_VALUE(_argument(other))
            if named is None:
                raise cssselect.ExpressionError(f"::{other} is not known; ::text and ::attr() are")
            return f"{path}/@{named[1].lower()}"


def _argument(pseudo: str | cssselect.parser.FunctionalPseudoElement) -> str:
    if isinstance(pseudo, str):
        return pseudo
    return f"{pseudo.name}({' '.join(str(token.value) for token in pseudo.arguments)})"
