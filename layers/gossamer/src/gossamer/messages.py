"""The messages that travel on the queues.

Frozen structs, decoded once at the edge. Functions are not deployed at one instant, and a queue
keeps messages across a deployment: readers tolerate unknown fields and read the version before
theirs. A message of a newer version waits in its queue for a function that reads it. Bodies carry
references to pages, never page bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

import msgspec

from gossamer.core.crawl.url_record import PageRef, Purpose
from gossamer.core.errors import NewerMessage, UndecodableMessage
from gossamer.core.urls import sitemap_id, url_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gossamer.core.ids import UrlId

Url = Annotated[str, msgspec.Meta(max_length=8192)]
Depth = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
Via = Literal["seed", "page", "redirect", "sitemap", "picture"]

VERSION = 1  # of all messages; a change that old readers would misread raises it
# By the version that a message has: what makes it one of the next version, in place. A change that
# raises VERSION adds the entry for the version before; older entries may go.
UPGRADES: dict[int, Callable[[dict[str, object]], None]] = {}
MAX_PACK = 50  # URLs in one CrawlRequest: one booking, one queue message
MAX_LINKS_PER_MESSAGE = 1000
# SQS takes 1 MiB, but bills every 64 KB, and a batch of ten must fit too.
MAX_MESSAGE_BYTES = 200_000


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """The part all messages share."""

    version: int = VERSION
    job: str


class Candidate(msgspec.Struct, frozen=True, array_like=True):
    """A URL that waits to be fetched, with what must not be forgotten on the way."""

    url: Url
    depth: Depth = 0
    hops: int = 0  # redirects that led to it
    tries: int = 0  # requests already made for it
    lost: int = 0  # how many fetchers died while fetching it
    after: float = 0.0  # of a URL that has ended and is asked for again: its slot of last time
    cookies: str = ""  # of the redirects that led to it (core/crawl/cookies.py)


class CrawlRequest(Message, frozen=True, kw_only=True, tag_field="kind", tag="CrawlRequest"):
    """Asks for slots for some URLs of one host."""

    host: str
    urls: list[Candidate]
    purpose: Purpose = "page"
    robots_for: str = ""  # the host whose robots.txt this is (it may lie on another host)


class FetchRequest(Message, frozen=True, kw_only=True, tag_field="kind", tag="FetchRequest"):
    """Asks for one request inside one booked slot."""

    host: str
    candidate: Candidate
    slot: float
    delay: float  # the delay in force when the slot was booked
    grace: float
    purpose: Purpose = "page"
    robots_for: str = ""
    era: int = 0  # of the host, when the slot was booked


class PageFetched(Message, frozen=True, kw_only=True, tag_field="kind", tag="PageFetched"):
    """A page was stored and can be parsed."""

    url: Url
    page: PageRef
    depth: Depth
    fetched_at: float
    purpose: Purpose = "page"
    links_only: bool = False  # a duplicate in another folder: its relative links lead elsewhere
    hops: int = 0  # how deep a sitemap lies below the first one
    hinted_at: float = 0.0  # when the page changed, as a sitemap or feed says
    # Of a page that is read again, by the templates of these settings: their version. It gets its
    # documents at `fetched_at`, and its links are not sent.
    settings: int | None = None


class Link(msgspec.Struct, frozen=True, array_like=True):
    """A link as the page has it: absolute, normalised, with its words."""

    url: Url
    anchor: str = ""
    nofollow: bool = False


class LinksFound(Message, frozen=True, kw_only=True, tag_field="kind", tag="LinksFound"):
    """Links lead from a source (a page, a redirect, a sitemap or feed, a person) to these URLs.

    A picture is as near as the page that shows it, and no link in the graph.
    """

    source: str
    depth: Depth  # of the source; what it links to lies one deeper
    via: Via
    links: list[Link]
    hops: int = 0
    part: int = 0  # a page with very many links comes in several messages
    parts: int = 1
    feeds: list[Url] = []  # that a page names as its own, or is: to be read like sitemaps
    dates: list[float] = []  # of a sitemap or feed: when each link changed; 0 = it does not say
    cookies: str = ""  # of a redirect: to be sent to where it leads


class DocumentParsed(Message, frozen=True, kw_only=True, tag_field="kind", tag="DocumentParsed"):
    """The documents of a page were kept and can be indexed; or the page is gone, and they leave."""

    url: Url
    fetched_at: float
    gone: bool = False


class MergeTask(Message, frozen=True, kw_only=True, tag_field="kind", tag="MergeTask"):
    """Asks for a part of a merge that the manifest of the index names, or for their joining."""

    merge: str
    part: int | None = None  # None: all parts are made and have to be joined


_Portioned = TypeVar("_Portioned", Link, Candidate)

AnyMessage = CrawlRequest | FetchRequest | PageFetched | LinksFound | DocumentParsed | MergeTask
Stream = Literal["frontier", "fetch", "parse", "links", "index", "merge"]


def portions(items: Sequence[_Portioned], most: int) -> Iterator[list[_Portioned]]:
    """Links or candidates in lots that fit a message, by number and by size."""
    lot: list[_Portioned] = []
    size = 0
    for item in items:
        # A URL is ASCII; of an anchor's characters each takes at most four bytes.
        taken = len(item.url) + 4 * len(getattr(item, "anchor", "")) + 32
        if lot and (len(lot) == most or size + taken > MAX_MESSAGE_BYTES):
            yield lot
            lot, size = [], 0
        lot.append(item)
        size += taken
    if lot:
        yield lot


def id_of(url: str, purpose: Purpose) -> UrlId:
    """What a URL that is asked for is known by in the URL store."""
    return sitemap_id(url) if purpose == "sitemap" else url_id(url)


class Emission(msgspec.Struct, frozen=True):
    """What a bolt wants sent: a message, to which stream, and how long to hold it back."""

    stream: Stream
    message: AnyMessage
    delay: float = 0.0
    timed: bool = False  # it has a moment to miss: to be handed out before what has none
    pack: str = ""  # the frontier's key of what this carries on: forgotten there once it is sent


_ENCODER = msgspec.json.Encoder()
_DECODER: msgspec.json.Decoder[AnyMessage] = msgspec.json.Decoder(AnyMessage)


def encode(message: AnyMessage) -> bytes:
    """The message as it lies in a queue."""
    return _ENCODER.encode(message)


def decode(body: bytes | str) -> AnyMessage:
    """The message that lies in a queue; raises UndecodableMessage for anything else."""
    try:
        message = _DECODER.decode(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        return _decode_older(body, f"not a message of ours: {error}")
    if message.version == VERSION:
        return message
    readable = ", ".join(map(str, sorted({*UPGRADES, VERSION})))
    return _decode_older(body, f"version {message.version} is not read here, only {readable}")


def _decode_older(body: bytes | str, otherwise: str) -> AnyMessage:
    """A message of an older version, upgraded; `otherwise` says what is wrong if it is none."""
    try:
        raw = msgspec.json.decode(body, type=dict[str, object])
        while (version := raw.get("version")) != VERSION:
            if isinstance(version, int) and version > VERSION:
                raise NewerMessage(otherwise)
            if not isinstance(version, int) or version not in UPGRADES:
                raise UndecodableMessage(otherwise)
            UPGRADES[version](raw)
            raw["version"] = version + 1
        return _DECODER.decode(msgspec.json.encode(raw))
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise UndecodableMessage(otherwise) from error
