"""When is the index compacted in the cloud, and by whom?

By one function at a time, under a lease. Small indexes are merged a while after the last batch, so
that queries read few items; growing ones whenever enough batches have gathered.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, Protocol

from gossamer.batch.compact import MAX_DELTAS, compact
from gossamer.core.index.manifest import times_of
from gossamer.topology import STREAMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.core.index.manifest import Manifest
    from gossamer.entrypoints.lambdas.sqs import Handler, Home
    from gossamer.ports.index import IndexStore

LEASE = 900.0  # as long as a function may run
# A batch is settled when the INDEX that published it has surely ended: a sixth of its visibility is
# the longest that it may run.
SETTLED_AFTER = STREAMS["index"].visibility / 6 + 30.0
QUIET_FOR = 600.0
# Eight generations of a size become one: at a million pages a page is rewritten three times, and a
# query reads about twenty parts. Merging sooner reads fewer and writes several times more.
FANOUT = 8


class Leases(Protocol):
    """Who may do what only one may do."""

    def lease(self, name: str, owner: str, until: float, now: float) -> int | None:
        """Become the one; None if somebody else is."""
        ...

    def end_lease(self, name: str, epoch: int) -> None:
        """Let the next one begin."""
        ...


def compact_handler(
    home: Callable[[], Home], store: Callable[[], IndexStore], leases: Callable[[], Leases]
) -> Handler:
    """A Lambda handler called by a schedule; {"at_once": true} merges whatever there is."""

    def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
        opened = home()
        with opened.telemetry.invocation("compact", context):
            done = _under_lease(opened, store(), leases(), at_once=bool(event.get("at_once")))
            opened.settle()
        return {"compacted": done}

    return handler


def _under_lease(home: Home, store: IndexStore, leases: Leases, *, at_once: bool) -> bool:
    owner, now = uuid.uuid4().hex, home.clock()
    epoch = leases.lease("compact", owner, now + LEASE, now)
    if epoch is None:
        return False
    try:
        if at_once:
            return compact(store, fanout=FANOUT)
        settled = now - SETTLED_AFTER
        if not is_due(store.manifest(), settled, now):
            return False
        return compact(store, settled=settled, fanout=FANOUT)
    finally:
        leases.end_lease("compact", epoch)


def is_due(manifest: Manifest, settled: float, now: float) -> bool:
    """Whether enough batches have settled, or any has waited long enough."""
    times = [at for at in times_of(manifest) if at < settled]
    return len(times) > MAX_DELTAS or (bool(times) and min(times) < now - QUIET_FOR)
