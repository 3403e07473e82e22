"""Look for cycles of dead objects seldom, while much is read.

Python looks through all young objects whenever there are 700 more. Documents are trees of some
thousand strings and lists: none of them is dead before its lot is written, and all die with their
last reference. Looking for cycles took a tenth of the time of indexing.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

RARELY: Final = 100_000  # new objects: a few times for each lot


def collect_rarely() -> None:
    """From now on, in a process that ends with its work; what it inherited is never looked at."""
    gc.freeze()
    gc.set_threshold(RARELY)


@contextmanager
def rare_collections() -> Iterator[None]:
    """Within the `with` block."""
    before = gc.get_threshold()
    gc.set_threshold(RARELY, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
