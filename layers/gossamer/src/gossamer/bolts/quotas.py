"""Take quotas of hosts and shapes for new URLs.

Most hosts never come to their first ceiling, so what a host has earned is read only when it does.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gossamer.core.crawl.host_quota import ceiling, first_ceiling
from gossamer.core.crawl.traps import is_calendar_like, pattern_of
from gossamer.core.crawl.url_state import LIMIT_REASONS, State
from gossamer.core.urls import host_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gossamer.core.crawl.job import Rules
    from gossamer.core.crawl.url_record import UrlRecord
    from gossamer.ports.quotas import QuotaStore
    from gossamer.ports.reputation import Reputation, ReputationStore

MAX_FEEDS_OF_HOST = 20  # a blog has one for the comments on every page


class Quota:
    """The quotas of a job. Reputations are read once: it lives as long as a message, or a round."""

    def __init__(self, rules: Rules, quotas: QuotaStore, reputation: ReputationStore) -> None:
        self._rules = rules
        self._quotas = quotas
        self._reputation = reputation
        self._known: dict[str, Reputation] = {}

    def reasons(self, urls: Sequence[str]) -> list[str]:
        """Why each of these URLs cannot be taken; nothing for those that were."""
        if not self._rules.config.traps.enabled:
            return [""] * len(urls)
        hosts = [host_of(url) for url in urls]
        by_host = _refused(hosts, self._take_of_hosts(hosts, urls), "host-quota")
        shapes = [
            pattern_of(url) if not why else "" for url, why in zip(urls, by_host, strict=True)
        ]
        by_shape = _refused(shapes, self._take_of_shapes(shapes, urls), "pattern-quota")
        unused = Counter(host for host, why in zip(hosts, by_shape, strict=True) if why)
        if unused:
            self._quotas.give_back(unused)
        return [first or second for first, second in zip(by_host, by_shape, strict=True)]

    def of_feeds(self, urls: Sequence[str]) -> list[str]:
        """The same for feeds, of which a host may give only a few."""
        keys = [f"{host_of(url)}/ feeds" for url in urls]
        taken = self._quotas.take({k: (n, MAX_FEEDS_OF_HOST) for k, n in Counter(keys).items()})
        return _refused(keys, taken, "pattern-quota")

    def reason_again(self, record: UrlRecord) -> str:
        """The same for one URL that is known and may wait again; what a limit cut has its unit."""
        is_seed = not record.via and record.depth == 0
        has_unit = record.state is not State.EXCLUDED or record.reason in LIMIT_REASONS
        if has_unit or is_seed:
            return ""
        if record.purpose == "sitemap":
            return self.of_feeds([record.url])[0] if record.reason == "pattern-quota" else ""
        return self.reasons([record.url])[0]

    def _take_of_hosts(self, hosts: Sequence[str], urls: Sequence[str]) -> dict[str, int]:
        wanted, limits = Counter(hosts), self._rules.config.traps
        some_url = dict(zip(hosts, urls, strict=True))
        named = {host for host, url in some_url.items() if self._rules.names(url)}
        first = {
            host: limits.per_host if host in named else first_ceiling(limits) for host in wanted
        }
        granted = self._quotas.take({host: (n, first[host]) for host, n in wanted.items()})
        short = {h: n - granted[h] for h, n in wanted.items() if granted[h] < n and h not in named}
        for host, more in self._take_earned(short).items():
            granted[host] += more
        return granted

    def _take_earned(self, wanted: Mapping[str, int]) -> dict[str, int]:
        if unknown := [host for host in wanted if host not in self._known]:
            self._known |= self._reputation.get(unknown)
        ceilings = {host: self._ceiling(self._known[host]) for host in wanted}
        return self._quotas.take({host: (n, ceilings[host]) for host, n in wanted.items()})

    def _ceiling(self, standing: Reputation) -> int:
        limits = self._rules.config.traps
        if standing.named:
            return limits.per_host
        return ceiling(limits, standing.pages, standing.worth)

    def _take_of_shapes(self, shapes: Sequence[str], urls: Sequence[str]) -> dict[str, int]:
        wanted = Counter(shape for shape in shapes if shape)
        ceilings = {
            shape: self._shape_ceiling(url) for shape, url in zip(shapes, urls, strict=True)
        }
        return self._quotas.take({shape: (n, ceilings[shape]) for shape, n in wanted.items()})

    def _shape_ceiling(self, url: str) -> int:
        limits = self._rules.config.traps
        if is_calendar_like(url):
            return limits.per_calendar
        return limits.per_query_pattern if "?" in url else limits.per_pattern


def _refused(keys: Sequence[str], left: dict[str, int], reason: str) -> list[str]:
    """The reason for each key of which nothing is left; a key of nothing is not counted."""
    reasons = []
    for key in keys:
        is_full = bool(key) and left[key] == 0
        reasons.append(reason if is_full else "")
        if key and not is_full:
            left[key] -= 1
    return reasons
