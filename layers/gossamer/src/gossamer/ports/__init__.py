"""What the program needs, named for the need: one Protocol per module, two to five methods each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.core.crawl.politeness import GracePolicy
    from gossamer.ports.contents import ContentStore
    from gossamer.ports.documents import DocumentStore
    from gossamer.ports.edges import EdgeStore
    from gossamer.ports.fetcher import Fetcher
    from gossamer.ports.frontier import Frontier
    from gossamer.ports.hosts import HostStore
    from gossamer.ports.jobs import JobStore
    from gossamer.ports.pages import PageStore
    from gossamer.ports.parser import Parser
    from gossamer.ports.quotas import QuotaStore
    from gossamer.ports.reputation import ReputationStore
    from gossamer.ports.urls import UrlStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """Everything a bolt may talk to, and the two constants of its home."""

    urls: UrlStore
    hosts: HostStore
    frontier: Frontier
    pages: PageStore
    contents: ContentStore
    documents: DocumentStore
    edges: EdgeStore
    jobs: JobStore
    quotas: QuotaStore
    reputation: ReputationStore
    fetcher: Fetcher
    parser: Parser
    grace: GracePolicy
    window: float  # how far ahead slots are booked, in seconds
