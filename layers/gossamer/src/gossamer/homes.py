"""The composition root: open the home that the settings name, and build ports and search over it.

Adapters are imported where they are used: a local run never imports boto3, a Lambda function never
imports sqlite3, and a crawl never imports numpy.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

import msgspec

from gossamer.core.crawl.politeness import CLOUD_GRACE, EMBEDDED_GRACE
from gossamer.core.errors import Fault
from gossamer.core.page.content_decoding import Body
from gossamer.ports import Ports
from gossamer.topology import STREAMS

if TYPE_CHECKING:
    from gossamer.adapters.aws.home import AwsHome
    from gossamer.adapters.http.fetcher import HttpFetcher
    from gossamer.adapters.local.home import LocalHome
    from gossamer.core.crawl.job import JobConfig
    from gossamer.core.crawl.politeness import GracePolicy
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.ports.collection_settings import CollectionSettingsStore
    from gossamer.ports.documents import DocumentStore
    from gossamer.ports.fetcher import Fetcher
    from gossamer.ports.index import IndexStore
    from gossamer.ports.parser import Parser
    from gossamer.search.searcher import Searcher
    from gossamer.settings import Settings

# Slots are booked this far ahead. A local queue has no horizon, and a short window lets a budget go
# to the hosts that can answer soonest.
EMBEDDED_WINDOW = 10.0
# SQS holds a message back for 900 s at most; a minute is left for what is late.
CLOUD_WINDOW = 840.0
JOB_MEMORY = 1.0  # seconds until a function notices that a job was paused
MAX_DECODED = 60_000_000


def decode_body(raw: bytes, encoding: str) -> bytes:
    """A stored body as the page meant it."""
    try:
        body = Body(encoding, cap=MAX_DECODED, ratio=2000)
        body.feed(raw)
        return body.finish()[1]
    except Fault as fault:
        raise ValueError(fault.name) from fault


def open_local(settings: Settings, *, read_only: bool = False) -> LocalHome:
    """The embedded home that the settings name."""
    from gossamer.adapters.local.home import open_home

    return open_home(
        settings.database,
        settings.warc_folder,
        decode_body,
        read_only=read_only,
        visibility={stream: edge.visibility for stream, edge in STREAMS.items()},
    )


def http_fetcher(config: JobConfig) -> HttpFetcher:
    """The fetcher of a job."""
    from gossamer.adapters.http.fetcher import HttpFetcher

    return HttpFetcher(
        config.identity(),
        allow_private=config.allow_private,
        clock=time.time,
        max_connections=config.concurrency,
    )


def local_ports(home: LocalHome, fetcher: Fetcher, parser: Parser) -> Ports:
    """The ports of the embedded home."""
    return _ports(home, fetcher, parser, EMBEDDED_GRACE, EMBEDDED_WINDOW)


def open_aws(settings: Settings) -> AwsHome:
    """The cloud home that the settings name. No call is made before something is asked of it."""
    from gossamer.adapters.aws.home import open_aws_home

    return open_aws_home(
        settings.stack,
        settings.bucket,
        settings.collection,
        settings.queue_urls,
        decode=decode_body,
        memory=JOB_MEMORY,
    )


def aws_ports(home: AwsHome, fetcher: Fetcher) -> Ports:
    """The ports of the cloud home."""
    return _ports(home, fetcher, home.parser, CLOUD_GRACE, CLOUD_WINDOW)


def _ports(
    home: LocalHome | AwsHome, fetcher: Fetcher, parser: Parser, grace: GracePolicy, window: float
) -> Ports:
    return Ports(
        urls=home.urls,
        hosts=home.hosts,
        frontier=home.frontier,
        pages=home.pages,
        contents=home.contents,
        documents=home.documents,
        edges=home.edges,
        jobs=home.jobs,
        quotas=home.quotas,
        reputation=home.reputation,
        fetcher=fetcher,
        parser=parser,
        grace=grace,
        window=window,
    )


class Indexed(Protocol):
    """A home with an index, documents and settings: either of the two."""

    @property
    def index(self) -> IndexStore:
        """The index."""
        ...

    @property
    def documents(self) -> DocumentStore:
        """The documents."""
        ...

    @property
    def settings(self) -> CollectionSettingsStore:
        """The settings of the collection."""
        ...


def analyzer_of(home: Indexed) -> Analyzer:
    """The analyzer that the collection was indexed with; of a new one, that of its settings."""
    from gossamer.core.index.analyzer import Analyzer

    described = home.index.manifest().analyzer
    if described:
        return Analyzer.from_description(described)
    return Analyzer(**msgspec.structs.asdict(home.settings.get().analyzer))


def searcher(home: Indexed) -> Searcher:
    """Search over a collection."""
    from gossamer.search.searcher import Searcher

    analyzer, settings = analyzer_of(home), home.settings.get()
    return Searcher(home.index, home.documents, analyzer, settings, timer=time.perf_counter)
