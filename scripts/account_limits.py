"""Fit the concurrency of a stack into what its account allows.

Lambda runs 1,000 functions of an account at once, but only 10 in a new account. Readers of queues
that may take them all leave none to the API, which then answers 5xx.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gossamer.core.errors import GossamerError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.adapters.aws.clients import Clients

# Parameters that bound the readers of a queue, with their defaults in template.yaml.
READERS = {
    "ScheduleConcurrency": 5,
    "FetchConcurrency": 20,
    "ParseConcurrency": 10,
    "LinksConcurrency": 5,
    "IndexConcurrency": 2,
    "MergeConcurrency": 4,
}
RESERVED = "ApiReserved"
MIN_READERS = 2  # of a queue: Lambda takes no smaller MaximumConcurrency
KEPT_FREE = 10  # functions, for the API, SEARCH and what schedules call
MIN_UNRESERVED = 100  # functions of an account that Lambda lets no one reserve


class Fit(NamedTuple):
    """Parameters that fit into an account, and what to tell whoever deploys."""

    changed: dict[str, str]
    warnings: list[str]


def fit_to_account(
    clients: Clients, chosen: Mapping[str, str], known: Mapping[str, str], given: Mapping[str, str]
) -> Fit:
    """Lower what the account cannot run.

    `chosen` is what SAM is told, `known` what the stack has, `given` what a person named: that is
    not changed.
    """
    try:
        answer = clients.call("lambda", "GetAccountSettings", "the account")
    except GossamerError as error:
        return Fit({}, [f"The account's limit of concurrent functions is not known: {error}"])
    free = int(answer["AccountLimit"]["UnreservedConcurrentExecutions"])
    return fit(free + int(known.get(RESERVED, 0)), {**known, **chosen}, frozenset(given))


def fit(limit: int, parameters: Mapping[str, str], fixed: frozenset[str]) -> Fit:
    """Return the parameters to change so that a stack fits into `limit` concurrent functions."""
    readers = {name: int(parameters.get(name, default)) for name, default in READERS.items()}
    reserved = int(parameters.get(RESERVED, 0))
    allowed = reserved if RESERVED in fixed else min(reserved, max(0, limit - MIN_UNRESERVED))
    fitted = _lowered(readers, limit - allowed - KEPT_FREE, fixed)
    wanted, fitting = {**readers, RESERVED: reserved}, {**fitted, RESERVED: allowed}
    changed = {name: str(n) for name, n in fitting.items() if n != wanted[name]}
    total = sum(fitted.values()) + allowed + KEPT_FREE
    return Fit(changed, _warnings(limit, wanted, changed, total))


def _lowered(readers: Mapping[str, int], room: int, fixed: frozenset[str]) -> dict[str, int]:
    """Lower the readers in proportion until they fit, each to two at least."""
    fitted = dict(readers)
    while sum(fitted.values()) > room:
        able = [name for name, n in fitted.items() if n > MIN_READERS and name not in fixed]
        if not able:
            break
        fitted[max(able, key=lambda name: fitted[name] / readers[name])] -= 1
    return fitted


def _warnings(
    limit: int, wanted: Mapping[str, int], changed: Mapping[str, str], total: int
) -> list[str]:
    if not changed and total <= limit:
        return []
    lines = [f"This account runs {limit:,} functions at once, less than the stack may use."]
    if changed:
        lowered = ", ".join(f"{name} {wanted[name]} → {n}" for name, n in changed.items())
        lines.append(f"Lowered: {lowered}.")
    if total > limit:
        lines.append("Crawls can still take all of them, and the API answers 5xx meanwhile.")
    lines.append(
        "Request more in Service Quotas (AWS Lambda, Concurrent executions; 1,000 is usual), then"
        " run `python -m scripts.deploy STAGE --profile`."
    )
    return lines
