"""A first template for a page, with comments, to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from gossamer.core.page.html import parse_page
from gossamer.core.page.templates.element_text import text_of
from gossamer.core.page.templates.selecting import page_tree
from gossamer.core.page.values import each, in_words, is_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

    from gossamer.entrypoints.cli.templates.trial import Page

MOST = 12  # fields that are proposed
WIDTH = 60  # characters of a value that people see
_TYPES = {
    "price": "money", "image": "image", "url": "link", "datePublished": "date",
    "dateModified": "date", "ratingValue": "number", "reviewCount": "number",
}  # fmt: skip
_METAS = ("description", "author", "og:image", "article:published_time", "product:price:amount")

HEAD = """\
# {url}
# `gossamer template test {name}.toml {url}` shows what it finds.

name = "{name}"
match = ["{match}"]     # URL patterns; * stands for anything, the most specific template wins

# items = ".card"       # selects the records of a list; without it a page is one document
# key = "sku"           # the field that identifies an item across pages
# url = "link"          # the field with an item's own page
# next = "a[rel=next]"  # links to further pages of a list, which always count
# links = "main"        # only links in here count
title = "{{title}}"

# A field: select is CSS or XPath (tried in order), `from` what a page declares about itself.
# type: text, html, keyword, number, money, date, bool, link, image, list
# search, facet, sort: what the collection does with it; required: a page without it is reported
[fields.title]
select = ["h1", "title"]
required = true
"""


DECLARED = """
# What the page declares of itself is read without a template, and searched and sorted by:
"""


def starter(page: Page, name: str) -> str:
    """The text of a template for a page and those beside it."""
    quoted = {"url": page.url, "name": name, "match": _pattern(page.url)}
    proposed = [text for text, _ in zip(_fields(page_tree(page.html)), range(MOST), strict=False)]
    return HEAD.format(**quoted) + "".join(proposed) + _declared_by(page)


def _declared_by(page: Page) -> str:
    """A comment with the values that a page has without a template."""
    documents = parse_page(page.html.encode("utf-8", "replace"), page.url, max_links=0).documents
    values = documents[0].values if documents else {}
    said = ((name, ", ".join(map(in_words, each(value)))) for name, value in values.items())
    lines = [f"#   {name}: {_in_comment(text)}\n" for name, text in said]
    return DECLARED + "".join(lines) if lines else ""


def _in_comment(text: str) -> str:
    """What a page says, as a comment may have it: on one line, and without signs of control."""
    return "".join(filter(str.isprintable, " ".join(text.split())[:WIDTH]))


def _pattern(url: str) -> str:
    """The pages of the same folder."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{parts.path.rpartition('/')[0]}/*"


def _fields(root: etree._Element) -> Iterator[str]:
    """Fields for what a page marks up, each with the value that it has there."""
    seen = {"title"}
    for element in root.iter():
        said = _declared(element)
        if said is None or said[0] in seen:
            continue
        name, selector, kind, value = said
        seen.add(name)
        example = _in_comment(value)
        lines = [f"\n[fields.{name}]" + (f"  # {example}" if example else "")]
        lines.append(f"select = {msgspec.json.encode(selector).decode()}")
        lines += [f'type = "{kind}"'] if kind != "text" else []
        yield "\n".join(lines) + "\n"


def _declared(element: etree._Element) -> tuple[str, str, str, str] | None:
    """A field's name, selector, type and value, if an element says what it is."""
    if not isinstance(element.tag, str):
        return None
    if (said := element.get("itemprop") or "").isidentifier():
        value = element.get("content") or text_of(element, 200)
        return _named(said, f'[itemprop="{said}"]', _TYPES.get(said, "text"), value)
    meta = element.get("name") or element.get("property") or "" if element.tag == "meta" else ""
    if meta in _METAS:
        attribute = "name" if element.get("name") else "property"
        last = meta.replace("og:", "").split(":")
        short = {"published_time": "published", "amount": "price"}.get(last[-1], last[-1])
        kind = {"image": "image", "published": "date", "price": "money"}.get(short, "text")
        value = element.get("content") or ""
        return _named(short, f'meta[{attribute}="{meta}"]', kind, value)
    return None


def _named(said: str, selector: str, kind: str, value: str) -> tuple[str, str, str, str] | None:
    name = "".join(f"_{c.lower()}" if c.isupper() else c for c in said).strip("_")
    return (name, selector, kind, value) if is_name(name) else None
