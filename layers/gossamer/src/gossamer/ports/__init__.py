"""What the program needs, named for the need: one Protocol per module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from gossamer.core.crawl.politeness import GracePolicy
    from gossamer.ports.collection_settings import CollectionSettingsStore
    from gossamer.ports.content_owners import ContentStore
    from gossamer.ports.documents import DocumentStore
    from gossamer.ports.edges import EdgeStore
    from gossamer.ports.fetcher import Fetcher
    from gossamer.ports.frontier import Frontier
    from gossamer.ports.home import Home
    from gossamer.ports.host_languages import HostLanguages
    from gossamer.ports.hosts import HostStore
    from gossamer.ports.jobs import JobStore
    from gossamer.ports.pages import PageStore
    from gossamer.ports.parser import Parser
    from gossamer.ports.quotas import QuotaStore
    from gossamer.ports.reputation import ReputationStore
    from gossamer.ports.template_health import TemplateHealth
    from gossamer.ports.urls import UrlStore

T = TypeVar("T")


class _OfHome(Generic[T]):
    """A part of the home, opened at its first use and kept: a function loads what its bolt uses."""

    def __set_name__(self, owner: type[Ports], name: str) -> None:
        self._name = name

    def __get__(self, ports: Ports, owner: type[Ports]) -> T:
        part: T = getattr(ports.home, self._name)
        ports.__dict__[self._name] = part
        return part


class Ports:
    """Everything a bolt may talk to, and the two constants of its home."""

    urls: _OfHome[UrlStore] = _OfHome()
    hosts: _OfHome[HostStore] = _OfHome()
    frontier: _OfHome[Frontier] = _OfHome()
    pages: _OfHome[PageStore] = _OfHome()
    contents: _OfHome[ContentStore] = _OfHome()
    documents: _OfHome[DocumentStore] = _OfHome()
    edges: _OfHome[EdgeStore] = _OfHome()
    jobs: _OfHome[JobStore] = _OfHome()
    quotas: _OfHome[QuotaStore] = _OfHome()
    reputation: _OfHome[ReputationStore] = _OfHome()
    parser: _OfHome[Parser] = _OfHome()
    template_health: _OfHome[TemplateHealth] = _OfHome()
    host_languages: _OfHome[HostLanguages] = _OfHome()
    settings: _OfHome[CollectionSettingsStore] = _OfHome()
    grace: _OfHome[GracePolicy] = _OfHome()
    window: _OfHome[float] = _OfHome()  # how far ahead slots are booked, in seconds

    def __init__(self, home: Home, fetcher: Fetcher, parser: Parser | None = None) -> None:
        """Without a parser it is the home's own, which works in this process."""
        self.home = home
        self.fetcher = fetcher
        if parser is not None:
            self.__dict__["parser"] = parser
