"""Why nothing can be asked of a host, for people: the cause, not only its effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.crawl.url_state import explain

if TYPE_CHECKING:
    from gossamer.core.crawl.host_record import HostRecord

# Reasons of a URL that only say that its host could not be asked.
_EFFECTS = frozenset({"robots-unreachable", "host-set-aside"})


def trouble(host: HostRecord) -> str:
    """The reason why a host cannot be asked, or could not be for now; empty if it can."""
    return host.set_aside or (host.robots_fault if host.robots_unavailable else "")


def explain_with(reason: str, host: HostRecord) -> str:
    """A sentence about a URL's reason, with what is known of its host."""
    text, cause = explain(reason), trouble(host)
    return f"{text}: {explain(cause)}" if cause not in ("", reason) and reason in _EFFECTS else text
