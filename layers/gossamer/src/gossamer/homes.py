"""The composition root: open the home that the settings name, and build ports and search over it.

Adapters are imported by name and where they are used: a local run never imports boto3, a Lambda
function never imports sqlite3, and a crawl never imports numpy.
"""

from __future__ import annotations

import dataclasses
import time
from contextlib import closing, contextmanager
from importlib import import_module
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from gossamer.core.errors import ConfigurationError, Fault
from gossamer.core.page.content_decoding import Body

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from gossamer.adapters.http.fetcher import HttpFetcher
    from gossamer.bolts.manifest import IndexWriter
    from gossamer.core.bot_auth import Signer
    from gossamer.core.collection import CollectionSettings
    from gossamer.core.crawl.job import JobConfig
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.ports.admin.bulk import Cluster
    from gossamer.ports.admin.rebuilding import Rebuilding
    from gossamer.ports.admin.stack import Deployment, StackHome
    from gossamer.ports.home import Home
    from gossamer.ports.parser import ParserPool
    from gossamer.search.groups.group import Group
    from gossamer.search.searcher import Searcher
    from gossamer.settings import Settings

MAX_DECODED = 60_000_000
# Files and pipes of a process beside its connections: a crawl on two cores has 18, two more for
# each core, and as many as six threads that look up names.
OWN_FILES = 64
LEAST_KEY = 16  # characters of an admin key


def decode_body(raw: bytes, encoding: str) -> bytes:
    """A stored body as the page meant it."""
    try:
        body = Body(encoding, cap=MAX_DECODED, ratio=2000)
        body.feed(raw)
        return body.finish()[1]
    except Fault as fault:
        raise ValueError(fault.name) from fault


def open_home(settings: Settings, *, read_only: bool = False, create: bool = True) -> Home:
    """The home that the settings name. A stack is asked nothing before a store of it is used.

    A folder is made for a collection that is new, unless it is only read or `create` is false.
    """
    with _packages_of_aws():
        adapter = import_module(f"gossamer.adapters.{settings.home}.home")
    home: Home = adapter.from_settings(settings, decode_body, read_only=read_only, create=create)
    return home


@contextmanager
def _packages_of_aws() -> Iterator[None]:
    """Say what to install where the packages are missing that only the home in AWS needs."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("gossamer"):
            raise
        raise ConfigurationError(
            f"{error.name} is not installed, which a stack in AWS needs;"
            " `pip install 'gossamer[aws]'` brings it"
        ) from error


@contextmanager
def rebuilding(settings: Settings, *, force: bool) -> Iterator[Rebuilding]:
    """A new database for the collection that the settings name, which is ours alone.

    Raises ConfigurationError if the old one is whole, unless `force` is given.
    """
    from gossamer.adapters.local.rebuilding.workshop import LocalRebuilding

    with closing(LocalRebuilding(settings, decode_body, force=force)) as made:
        yield made


def open_stack(settings: Settings) -> StackHome:
    """The home in the stack that the settings name."""
    from gossamer.adapters.aws.home import from_settings

    return from_settings(settings, decode_body)


def find_stack(name: str, collection: str | None, given: Settings) -> tuple[Deployment, StackHome]:
    """A deployed stack by its name; by default with the collection that it was deployed for."""
    with _packages_of_aws():
        from gossamer.adapters.aws.clients import Clients
        from gossamer.adapters.aws.stack.deployment import find_stack

    found = find_stack(Clients(), name)
    settings = dataclasses.replace(
        given,
        home="aws",
        stack=name,
        bucket=found.bucket,
        collection=collection or found.collection or given.collection,
        queues=",".join(f"{queue}={url}" for queue, url in found.queues.items()),
        contact=found.contact,
        admin_secret=found.admin_secret,
        index_format=found.index_format,
    )
    return found, open_stack(settings)


def bulk_cluster(
    found: Deployment, collection: str, conf: Mapping[str, str], max_hours: float
) -> Cluster:
    """Return what runs bulk work of a stack, each job for so many hours at most."""
    from gossamer.adapters.aws.clients import Clients
    from gossamer.adapters.aws.stack.spark import SparkCluster

    return SparkCluster(Clients(), found, collection, conf, max_hours)


def signer(settings: Settings) -> Signer | None:
    """What signs requests, if anything does."""
    if not settings.signing_key:
        return None
    from gossamer.adapters.http.signing_key import read_signer

    return read_signer(_signing_key(settings), settings.signature_agent)


def _signing_key(settings: Settings) -> bytes:
    if settings.home == "aws":
        return open_stack(settings).read_secret(settings.signing_key).encode()
    try:
        return Path(settings.signing_key).read_bytes()
    except OSError as error:
        raise ConfigurationError(
            f"the signing key {settings.signing_key} cannot be read: {error.strerror}"
        ) from error


def admin_key(settings: Settings) -> str:
    """The key of who may change the collection over HTTP, from its file."""
    try:
        key = Path(settings.admin_secret).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"the admin key {settings.admin_secret} cannot be read: {error}"
        ) from error
    if len(key) < LEAST_KEY:
        raise ConfigurationError(
            f"the admin key in {settings.admin_secret} has {len(key)} characters, and needs"
            f" {LEAST_KEY}: `openssl rand -hex 24` makes one"
        )
    return key


def require_open_files(connections: int, what: str, spare: int = 0) -> int:
    """Let this process have so many connections; return how many of `spare` ones it may add.

    Raises ConfigurationError if the system does not allow it.
    """
    from gossamer.adapters.process_limits import allow_open_files

    needed = OWN_FILES + connections
    return min(allow_open_files(needed + spare, needed, what) - needed, spare)


def http_fetcher(config: JobConfig, signer: Signer | None = None) -> HttpFetcher:
    """The fetcher of a job. Connections for later are kept as far as files may be open."""
    from gossamer.adapters.http.fetcher import FetchLimits, HttpFetcher

    usual = FetchLimits()
    what = f"a crawl with a concurrency of {config.concurrency}"
    idle = require_open_files(config.concurrency, what, usual.idle_connections)
    return HttpFetcher(
        config.identity(),
        allow_private=config.allow_private,
        limits=dataclasses.replace(usual, idle_connections=idle),
        clock=time.time,
        max_connections=config.concurrency,
        signer=signer,
    )


def parser_pool(settings: Settings) -> ParserPool:
    """Parser processes. What they inherit must not include a store: make them before it."""
    from gossamer.adapters.local.processes import parser_pool

    return parser_pool.ParserPool(settings.warc_folder, decode_body, settings.workers or None)


def analyzer_of(home: Home) -> Analyzer:
    """The analyzer of a collection."""
    from gossamer.bolts.index import analyzer_of

    return analyzer_of(home)


def index_writer(
    home: Home, clock: Callable[[], float] = time.time, heads_from: int | None = None
) -> IndexWriter:
    """What changes the index of a collection; segments of `heads_from` documents get heads."""
    from gossamer.bolts.manifest import IndexWriter
    from gossamer.core.index.segments.opened import OpenSegments
    from gossamer.ports.segments import HEADS_FROM

    opened = OpenSegments(home.index.read)
    least = HEADS_FROM if heads_from is None else heads_from
    return IndexWriter(home.index, opened, clock, lambda: token_hex(6), least)


def searcher(
    home: Home, max_age: float = 0.0, ask: Callable[[Sequence[bytes]], list[bytes]] | None = None
) -> Searcher:
    """Search over a collection; it may be as it was `max_age` seconds ago.

    `ask` puts questions to other processes, if the index is too large for this one.
    """
    from gossamer.search.groups.groups import Groups
    from gossamer.search.searcher import Searcher

    analyzer, settings = analyzer_of(home), home.settings.get()
    timer, groups = time.perf_counter, Groups(ask) if ask else None
    synonyms = _synonyms(home, settings)
    return Searcher(
        home.index, home.documents, analyzer, settings, timer, max_age, groups, synonyms
    )


def search_group(home: Home) -> Group:
    """What answers for a group of a collection's segments."""
    from gossamer.search.groups.group import Group

    settings = home.settings.get()
    synonyms = _synonyms(home, settings)
    return Group(home.index, home.documents, analyzer_of(home), settings, synonyms)


def _synonyms(home: Home, settings: CollectionSettings) -> list[str]:
    """The rules of a collection, which were checked when they were stored."""
    from gossamer.core.search.synonyms.rules import stored_lines

    return stored_lines(home.settings.read_list(settings.synonyms))
