"""Do functions that begin from one snapshot draw different random numbers?"""

from __future__ import annotations

import random
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from gossamer.entrypoints.lambdas.snapshots import HOW_BEGUN, seed_after_restore

if TYPE_CHECKING:
    from collections.abc import Callable


def test_copies_of_a_snapshot_draw_different_numbers(monkeypatch):
    hooks: list[Callable[[], Any]] = []
    runtime: Any = SimpleNamespace(register_after_restore=hooks.append)
    monkeypatch.setitem(sys.modules, "snapshot_restore_py", runtime)
    assert seed_after_restore({HOW_BEGUN: "snap-start"})
    taken, drawn = random.getstate(), set()

    for _ in range(5):
        random.setstate(taken)  # a copy begins
        for hook in hooks:
            hook()
        drawn.add(random.getrandbits(64))

    assert len(drawn) == 5


def test_without_snapshots_nothing_of_the_runtime_is_imported(monkeypatch):
    none: Any = None
    monkeypatch.setitem(sys.modules, "snapshot_restore_py", none)  # an import would raise

    assert not seed_after_restore({})
    assert not seed_after_restore({HOW_BEGUN: "on-demand"})
