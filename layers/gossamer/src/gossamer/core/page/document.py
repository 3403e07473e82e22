"""What was understood of a page: its documents and its links."""

from __future__ import annotations

import msgspec

from gossamer.core.page.values import Value, check_values


class Outlink(msgspec.Struct, frozen=True, array_like=True):
    """A normalised URL that a page leads to, and what the page calls it.

    `kind` says how: a, area, iframe, frame, refresh or canonical.
    """

    url: str
    anchor: str = ""
    nofollow: bool = False
    kind: str = "a"


class Document(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What can be found: a page, or one of the items on it. What it does not say is empty.

    `key` and `place` tell which document of its page it is (`core.page.parts`).
    """

    url: str  # of its page
    key: str = ""  # names an item of the page, wherever on the page it is
    place: int = 0  # on the page, of an item: the first is 1; 0 is the page as a whole
    title: str = ""
    description: str = ""
    headings: list[tuple[int, str]] = []  # h1 to h6, in order
    text: str = ""  # the main text
    language: str = ""  # ISO 639, without a region: "en"
    canonical: str = ""
    published_at: str = ""  # ISO 8601, as the page has it
    modified_at: str = ""
    date: str = ""  # ISO 8601: when it was published or else changed; "" if nothing says so
    date_source: str = ""  # as in page/dates: meta, json-ld, text, url, time …
    images: list[str] = []  # texts that stand for images
    kind: str = ""  # as pdf; "" is a page or an item
    link: str = ""  # of an item: its own page, which a result leads to
    template: str = ""  # the name of what read its values
    item: str = ""  # names the item on whatever page it stands: by its template's key, or its page
    alternates: dict[str, str] = {}  # the same page in other languages: URLs by hreflang
    unavailable_after: float = 0.0  # when it must be found no more; 0 is never
    values: dict[str, Value] = {}  # typed, by name; the collection declares which are columns

    def __post_init__(self) -> None:
        if self.values:
            check_values(self.values)


class TemplateReading(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a template found on a page: how often each field, and why that is too little."""

    template: str
    records: int = 0
    filled: dict[str, int] = {}  # records that have a value of this field
    untyped: dict[str, int] = {}  # records where something stands that is not of its type
    distinct: dict[str, int] = {}  # different values
    reason: str = ""  # template-empty, template-incomplete or template-failed


class ParsedPage(msgspec.Struct, frozen=True):
    """What a page says and where it leads."""

    documents: list[Document]  # none, one or many
    outlinks: list[Outlink]
    feeds: list[str] = []  # that the page names as its own
    dates: dict[str, float] = {}  # of a sitemap or feed: when what it names changed, as it says
    noindex: bool = False  # the page asks not to be found
    nofollow: bool = False  # the page asks that its links are not followed
    noimageindex: bool = False  # the page asks that its pictures are not found
    reason: str = ""  # why there is no document, if there is more to say than that
    unavailable_after: float = 0.0  # when the page asks to be found no more; 0 is never
    reading: TemplateReading | None = None  # if the page is one of a template

    def withheld(self, now: float) -> str:
        """The reason for which a page must not be found: noindex, or its own end; "" if it may."""
        if self.noindex:
            return "noindex"
        return "unavailable-after" if 0 < self.unavailable_after <= now else ""

    def ending(self) -> list[Document]:
        """The documents of a page, with the moment from which it must not be found."""
        end = self.unavailable_after
        if not end:
            return self.documents
        replace = msgspec.structs.replace
        return [replace(document, unavailable_after=end) for document in self.documents]
