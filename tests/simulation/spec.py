"""What is a world made of? Plain data, so that it can be printed, kept and made smaller."""

from __future__ import annotations

import msgspec


class Anchor(msgspec.Struct, frozen=True):
    """A link on a page."""

    url: str
    nofollow: bool = False
    word: str = ""  # what the page calls it, but for the version; see web.py


class ItemSpec(msgspec.Struct, frozen=True):
    """An item of a page."""

    word: str  # its own: no other item and no page has it
    key: str = ""  # without one it is known by its place
    rounds: tuple[int, ...] = (1, 2, 3)  # in which it is on the page


class PageSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What a URL answers."""

    url: str
    kind: str = "page"  # see web.py for what each kind does
    words: tuple[str, ...] = ()
    links: tuple[Anchor, ...] = ()
    target: str = ""  # of a redirect; of a copy, whose bytes it has
    times: int = 0  # how often it fails before it answers
    wait: int = 0  # seconds of Retry-After
    changes: bool = False  # it says something else in every round
    vanishes: bool = False  # it is gone from the second round on
    returns: bool = False  # it is back in the third
    hiccups: bool = False  # from the second round on, the first answer of a round is a mistake
    family: int = 0  # pages of one family have a long text in common
    trap: str = ""  # why it should not be requested
    items: tuple[ItemSpec, ...] = ()  # of a page of kind "items"
    whole: bool = False  # such a page is a document itself, too
    walled: bool = False  # it redirects to itself with a cookie, and answers only with that


class HostSpec(msgspec.Struct, frozen=True, kw_only=True):
    """How a host behaves."""

    name: str
    robots: str = "none"  # see web.py
    crawl_delay: float = 0.0
    times: int = 0  # how often robots.txt fails before it answers
    latency: float = 0.05
    etags: bool = False  # it tells versions apart, and does not send one again that is known
    sitemap: tuple[str, ...] = ()  # what its sitemap lists; without any it has none


class Faults(msgspec.Struct, frozen=True, kw_only=True):
    """How the machines and queues behave."""

    kills: int = 0  # processes that die somewhere
    throttles: int = 0  # calls to a store that fail for the moment
    duplicates: float = 0.0  # share of messages that come twice
    lateness: float = 0.0  # seconds that a message is late on average
    stalls: int = 0  # times that a stream delivers nothing for a while
    poison: int = 0  # messages that cannot be decoded
    index_kills: int = 0  # processes that die just before or after a change of the index
    compactions: int = 0  # compactions while other processes write
    merges: int = 0  # merges of any segments, without a lease
    searches: int = 0  # queries while the index changes
    late_indexings: int = 0  # times in a round that documents are indexed as they were before
    rankings: int = 0  # rankings while pages come and go
    pauses: int = 0  # times that a person pauses the job
    stop: bool = False  # a person stops the job at some moment
    interleave: float = 0.3  # share of calls that take time, so that others come between
    ahead: float = 0.0  # seconds by which the clock is wrong at first
    right_after: float = 0.0  # seconds after which it is set right
    staleness: float = 0.0  # seconds for which a queue's count may be old


class JobSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What the person asked for."""

    seeds: tuple[str, ...] = ()
    delay: float = 1.0
    max_delay: float = 30.0
    max_pages: int | None = None
    max_documents: int | None = None
    max_depth: int | None = None
    retries: int = 3
    retry_wait: float = 2.0
    sitemaps: bool = True
    rounds: int = 1
    again: str = "refresh"  # how a later round begins: by hand, or by "recrawl"


class World(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that decides what happens."""

    seed: int
    hosts: tuple[HostSpec, ...] = ()
    pages: tuple[PageSpec, ...] = ()
    job: JobSpec = JobSpec()
    faults: Faults = Faults()
    cloud_pace: bool = False  # grace and window as in the cloud
    beside: bool = False  # INDEX keeps what it is told in memory, as beside a crawl on one machine
