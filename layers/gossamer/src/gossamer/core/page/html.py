"""Reader of HTML: what a page says and where it leads.

One parse and one query over the tree serve everything; this is where a crawler's CPU goes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from resiliparse.parse.html import TEXT, HTMLTree

from gossamer.core.page.charset import UTF_8, decoded
from gossamer.core.page.directives import AGENT, meta_directives, product_token
from gossamer.core.page.document import Document, ParsedPage
from gossamer.core.page.headers.alternates import alternates
from gossamer.core.page.headers.refresh import refresh_target
from gossamer.core.page.html_limits import tame
from gossamer.core.page.html_tree import select_all
from gossamer.core.page.language import language_of, without_code
from gossamer.core.page.main_text.page_type import Signs
from gossamer.core.page.main_text.plain import part_cells, part_spans
from gossamer.core.page.main_text.reading import read_main_text
from gossamer.core.page.media import media_documents
from gossamer.core.page.outlinks import Targets
from gossamer.core.page.page_dates.reading import Source, read_dates
from gossamer.core.page.structured.declared_documents import with_declared
from gossamer.core.urls import DEFAULT_RULES, normalise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.core.crawl.job import Rules
    from gossamer.core.page.document import Outlink
    from gossamer.core.page.html_tree import Node, Tree
    from gossamer.core.page.page_dates.reading import Dated
    from gossamer.core.page.read_response import StoredResponse
    from gossamer.core.urls import UrlRules

MAX_LINKS = 5000  # different ones
MAX_FEEDS = 4  # of one page
MAX_ANCHOR = 200
MAX_TITLE = 500
MAX_INNER_NODES = 1000  # of a link or a heading
MAX_DESCRIPTION = 1000
MAX_HEADINGS = 1000
MAX_IMAGES = 1000
MAX_SCRIPTS = 10  # with linked data
# Characters of elements that may be read one by one: nested ones repeat each other's text.
TEXT_BUDGET = 20_000_000

_READ = "base,meta,link,h1,h2,h3,h4,h5,h6,img,time,main,article,pre"
_LINKS = "a,area,iframe,frame"
_GROUPS = {"area": "a", "iframe": "a", "frame": "a"} | {f"h{n}": "h" for n in range(1, 7)}
# What stands on lines of its own, or between the words before and after it.
_BLOCKS = frozenset(
    str.split(
        "address article aside blockquote br button dd details div dl dt fieldset figcaption figure"
        " footer form h1 h2 h3 h4 h5 h6 header hr iframe img input li main nav ol option p picture"
        " pre section select summary svg table tbody td textarea tfoot th thead tr ul video"
    )
)
_SILENT = frozenset({"script", "style", "template", "noscript"})  # never shown
_FEEDS = ("application/rss+xml", "application/atom+xml", "application/feed+json")

_read_language = re.compile(r"\s*([A-Za-z]{2,3})(?:[-_]|\s*\Z|\s*,)").match


def read(response: StoredResponse, rules: Rules) -> ParsedPage:
    """The document and the links of a page."""
    config = rules.config
    return parse_page(
        response.body,
        response.url,
        content_type=response.content_type,
        extractor=config.extractor,
        link_scope=_link_scope(response.url, rules),
        rules=rules.urls,
        max_links=config.max_links,
        agent=config.user_agent,
        media=config.media,
    )


def _link_scope(url: str, rules: Rules) -> str:
    """What holds the links that count: the page's template says it, or else the job."""
    template = rules.template_for(url)
    if template is None or not (template.links or template.next):
        return rules.config.link_scope
    from gossamer.core.page.templates.applying import scope_of  # lxml, for such pages only

    return scope_of(template, rules.config.link_scope)


def parse_page(
    body: bytes,
    url: str,
    *,
    content_type: str = "",
    extractor: str = "auto",
    link_scope: str = "",
    rules: UrlRules = DEFAULT_RULES,
    max_links: int = MAX_LINKS,
    agent: str = AGENT,
    media: bool = False,
) -> ParsedPage:
    """The document in `body` and the links it holds. Never raises for anything a page contains.

    `extractor` chooses how the main text is read: auto (by the page's type), fast, or article.
    `link_scope` is an XPath: only links inside of what it selects count. Without `max_links` none
    are looked for. With `media` pictures, sound and video are documents too.
    """
    text, codec = decoded(body, content_type)
    html = part_spans(part_cells(tame(text)))
    tree = HTMLTree.parse(html)
    wanted = f"{_LINKS},{_READ}" if max_links else _READ
    page = _Page(html, tree, url, rules, _by_name(tree, wanted), codec=codec)
    page.read_metas(agent)
    # The links come first: reading the main text takes the tree apart.
    outlinks = page.outlinks(link_scope, max_links)
    feeds, base = page.feeds(), page.base(url)
    documents = with_declared(page.document(extractor), html, page.metas)
    if media and documents:
        first = documents[0]
        said = html, url, base, page.metas, first.title, first.language
        documents += media_documents(*said)
    return ParsedPage(
        documents,
        outlinks,
        feeds,
        noindex=page.noindex,
        noimageindex=page.noimageindex,
        nofollow=page.nofollow,
        unavailable_after=page.unavailable_after,
    )


def _by_name(tree: Tree, wanted: str) -> dict[str, list[Node]]:
    """The elements that say something to us, by what they are."""
    named: dict[str, list[Node]] = defaultdict(list)
    for node in select_all(tree.document, wanted):
        tag = node.tag
        named[_GROUPS.get(tag, tag)].append(node)
    return named


@dataclass(slots=True)
class _Page:
    """A parsed page while it is being read."""

    html: str
    tree: Tree
    url: str
    rules: UrlRules
    named: dict[str, list[Node]]
    metas: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    budget: int = TEXT_BUDGET
    nofollow: bool = False
    noindex: bool = False
    noimageindex: bool = False
    canonical: str = ""
    codec: str = UTF_8
    unavailable_after: float = 0.0

    def read_metas(self, agent: str) -> None:
        """What the page says of itself, and whether it may be indexed and followed."""
        for node in self.named["meta"]:
            content = node.getattr("content")
            if content:
                self.metas[_name_of_meta(node)].append(content)
        names = ("robots", product_token(agent))
        addressed = [(name, content) for name in names for content in self._all(name)]
        said = meta_directives(addressed, agent)
        self.noindex, self.nofollow = said.noindex, said.nofollow
        self.noimageindex = said.noimageindex
        self.unavailable_after = said.unavailable_after

    def outlinks(self, scope: str, limit: int) -> list[Outlink]:
        """One link per target and name; those of the head first, then in the order of the page."""
        own = normalise(self.url, None, self.rules) or self.url
        targets = Targets(self.base(own), self.rules, self.codec)
        self._read_head(targets)
        nodes = self.named["a"] if not scope else _nodes_in_scope(self.html, scope)
        targets.read(nodes, self._anchor_of, limit)
        return targets.outlinks(own, limit, nofollow=self.nofollow)

    def _read_head(self, targets: Targets) -> None:
        for node in self.named["link"]:
            if "canonical" in node.getattr("rel", "").lower().split():
                self.canonical = targets.add(node.getattr("href", ""), "canonical")
                break
        for content in self._all("refresh"):
            if target := refresh_target(content):
                targets.add(target, "refresh")

    def _alternates(self) -> dict[str, str]:
        """The page in other languages, as it names them."""
        named = [
            (language, node.getattr("href", ""))
            for node in self.named["link"]
            if (language := node.getattr("hreflang", ""))
            and "alternate" in node.getattr("rel", "").lower().split()
        ]
        return alternates(named, self.base(self.url), self.rules) if named else {}

    def feeds(self) -> list[str]:
        """The feeds that the page names as its own, unless it wants nothing followed."""
        found: dict[str, None] = {}
        if self.nofollow:
            return []
        own = normalise(self.url, None, self.rules) or self.url
        base = self.base(own)
        for node in self.named["link"]:
            kind = node.getattr("type", "").partition(";")[0].strip().lower()
            if kind not in _FEEDS or "alternate" not in node.getattr("rel", "").lower().split():
                continue
            url = normalise(node.getattr("href", ""), base, self.rules)
            if url is not None and url != own:
                found[url] = None
            if len(found) == MAX_FEEDS:
                break
        return list(found)

    def base(self, own: str) -> str:
        """What the addresses in the page are relative to; `own` is where it is."""
        for node in self.named["base"]:
            href = node.getattr("href")
            if href is not None:
                return normalise(href, own, self.rules) or own
        return own

    def document(self, extractor: str) -> Document:
        """What the page says."""
        headings = self._headings()
        dates = self._dates()
        code = self._code()  # before the tree is taken apart
        text = self._main_text(extractor)
        prose = without_code(text, code) if code else text
        return Document(
            url=self.url,
            title=self._title(headings),
            description=_line(self._first("description", "og:description"), MAX_DESCRIPTION),
            headings=headings,
            text=text,
            language=language_of(prose, self._declared_language()),
            canonical=self.canonical,
            published_at=dates.published.text,
            modified_at=dates.modified.text,
            date=dates.date.text,
            date_source=dates.date.source,
            images=self._images(),
            alternates=self._alternates(),
        )

    def _title(self, headings: list[tuple[int, str]]) -> str:
        title = _line(self.tree.title or "", MAX_TITLE) or _line(self._first("og:title"), MAX_TITLE)
        return title or next((text for _, text in headings), "")

    def _headings(self) -> list[tuple[int, str]]:
        headings = []
        for node in self.named["h"][:MAX_HEADINGS]:
            text = self._text_of(node, MAX_TITLE).rstrip("¶ ")
            if text.endswith("#") and _links_to_itself(node):  # and is not C#
                text = text[:-1].rstrip()
            if text:
                headings.append((int(node.tag[1]), text))
        return headings

    def _images(self) -> list[str]:
        texts: dict[str, None] = {}
        for node in self.named["img"]:
            texts[_text_for_image(node)] = None
            if len(texts) > MAX_IMAGES:
                break
        texts.pop("", None)
        return list(texts)

    def _main_text(self, extractor: str) -> str:
        og_type, generator = self._first("og:type").lower(), self._first("generator")
        signs = Signs(self.url, og_type, generator)
        return read_main_text(self.html, self.tree, extractor, signs, self._declared_mains())

    def _code(self) -> set[str]:
        """Return the lines of code, which are in no language that people speak."""
        return {line.strip() for block in self.named["pre"] for line in block.text.splitlines()}

    def _declared_mains(self) -> list[Node]:
        if self.named["main"]:
            return self.named["main"]
        if 'role="main"' in self.html:  # spares most other pages a walk over the tree
            return select_all(self.tree.document, 'body [role="main"]')
        articles = self.named["article"]
        return articles if len(articles) == 1 else []

    def _declared_language(self) -> str:
        root = self.tree.document.first_element_child
        said = (root.getattr("lang") or root.getattr("xml:lang")) if root else ""
        for language in (said, self._first("content-language", "language", "og:locale")):
            found = _read_language(language or "")
            if found:
                return found[1].lower()
        return ""

    def _dates(self) -> Dated:
        """When it was published and changed, as far as anything on it tells."""
        times = ((node.getattr("datetime", ""), node.text) for node in self.named["time"])
        language = self._declared_language()
        return read_dates(
            Source(self.html, self.url, self.metas, self._linked_data(), times, language)
        )

    def _linked_data(self) -> list[str]:
        if "ld+json" not in self.html:  # spares most pages a walk over the tree
            return []
        scripts = select_all(self.tree.document, 'script[type*="ld+json" i]')
        return [script.text for script in scripts[:MAX_SCRIPTS]]

    def _anchor_of(self, node: Node) -> str:
        """What a link is called: its text, or that of its image, or its title."""
        text = self._text_of(node, MAX_ANCHOR)
        if text:
            return text
        image = node.query_selector("img")
        said = image is not None and _text_for_image(image)
        return _line(said or node.getattr("alt") or node.getattr("title") or "", MAX_ANCHOR)

    def _text_of(self, node: Node, limit: int) -> str:
        if self.budget <= 0:
            return ""
        text = node.text if node.first_element_child is None else "".join(_texts_in(node))
        self.budget -= len(text)
        return _line(text, limit)

    def _first(self, *names: str) -> str:
        return next((self.metas[name][0] for name in names if name in self.metas), "")

    def _all(self, name: str) -> list[str]:
        return self.metas.get(name, [])


def _name_of_meta(node: Node) -> str:
    get = node.getattr
    name: str = get("name") or get("property") or get("http-equiv") or get("itemprop") or ""
    return name.strip().lower()


def _texts_in(node: Node) -> Iterator[str]:
    """The texts of an element as they are shown: "<b>Foo</b>bar" is one word, two lines are two."""
    depth, inner = 0, node.first_child
    for _ in range(MAX_INNER_NODES):
        if inner is None:
            return
        tag = inner.tag if inner.type != TEXT else ""
        if tag in _BLOCKS:
            yield " "
        elif not tag:
            yield inner.value
        if inner.first_child is not None and tag not in _SILENT:
            depth, inner = depth + 1, inner.first_child
            continue
        while inner.next is None and depth:
            depth, inner = depth - 1, inner.parent
            if inner.tag in _BLOCKS:
                yield " "
        inner = inner.next


def _links_to_itself(heading: Node) -> bool:
    """Whether a heading has a link that is nothing but a sign."""
    return any(link.text.strip() == "#" for link in select_all(heading, "a"))


def _text_for_image(node: Node) -> str:
    return _line(node.getattr("alt") or node.getattr("title") or "", MAX_ANCHOR)


def _line(text: str, limit: int) -> str:
    """A text on one line, at most `limit` long."""
    return " ".join(text[: 8 * limit].split())[:limit].rstrip()


def _nodes_in_scope(html: str, xpath: str) -> list[Node]:
    from gossamer.core.page.xpath import cut_out  # lxml, which only such jobs need

    tree = HTMLTree.parse(cut_out(html, xpath))
    return select_all(tree.document, "a,area,iframe,frame")
