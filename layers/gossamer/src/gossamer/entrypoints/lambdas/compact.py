"""COMPACT in the cloud: merge segments of the index, one function at a time, under a lease.

Small indexes are merged a while after the last batch, so
that queries read few items; growing ones whenever enough batches have gathered.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from gossamer.batch.compact import MAX_DELTAS, compact
from gossamer.core.index.manifest import times_of
from gossamer.entrypoints.lambdas.lease import under_lease
from gossamer.topology import STREAMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.core.index.manifest import Manifest
    from gossamer.entrypoints.lambdas.sqs import Handler, Json, Worker
    from gossamer.ports.index import IndexStore

# A batch is settled when the INDEX that published it has surely ended: a sixth of its visibility is
# the longest that it may run.
SETTLED_AFTER = STREAMS["index"].visibility / 6 + 30.0
QUIET_FOR = 600.0
# Eight generations of a size become one: at a million pages a page is rewritten three times, and a
# query reads about twenty parts. Merging sooner reads fewer and writes several times more.
FANOUT = 8


def compact_handler(worker: Callable[[], Worker]) -> Handler:
    """A Lambda handler called by a schedule; {"at_once": true} merges whatever there is."""

    def handler(event: Json, context: object) -> Json:
        opened = worker()
        with opened.telemetry.invocation("compact", context):
            now, index = opened.clock(), opened.home.index
            merge = partial(_merge, index, now, at_once=bool(event.get("at_once")))
            done = under_lease(opened.home.jobs, "compact", now, merge)
            opened.home.commit()
        return {"compacted": bool(done)}

    return handler


def _merge(index: IndexStore, now: float, *, at_once: bool) -> bool:
    if at_once:
        return compact(index, fanout=FANOUT)
    settled = now - SETTLED_AFTER
    due = is_due(index.manifest(), settled, now)
    return due and compact(index, settled=settled, fanout=FANOUT)


def is_due(manifest: Manifest, settled: float, now: float) -> bool:
    """Whether enough batches have settled, or any has waited long enough."""
    times = [at for at in times_of(manifest) if at < settled]
    return len(times) > MAX_DELTAS or (bool(times) and min(times) < now - QUIET_FOR)
