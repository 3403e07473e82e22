"""Memory of processes that index: dead objects are looked for seldom, and what is freed is kept.

Python looks through all young objects whenever there are 700 more. Documents are trees of some
thousand strings and lists: none of them is dead before its lot is written, and all die with their
last reference. Looking for cycles took a tenth of the time of indexing.

The C library gives large blocks back to the system at once, and asks for them anew: the system
fills each page with zeros again. For arrays that come and go with every lot that took 0.4 of 19
seconds.
"""

from __future__ import annotations

import ctypes
import gc
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

RARELY: Final = 100_000  # new objects: a few times for each lot
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # the numbers that mallopt(3) has for them
LARGE: Final = 32 << 20  # bytes; a larger block is always given back: mallopt allows no more
KEPT: Final = 1 << 30  # bytes; more than such a process has


def collect_rarely() -> None:
    """From now on, in a process that ends with its work; what it inherited is never looked at."""
    gc.freeze()
    gc.set_threshold(RARELY)


def keep_freed_memory() -> None:
    """Give nothing back before this process ends; where the C library is not GNU's, do nothing."""
    with suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_MMAP_THRESHOLD, LARGE)
        mallopt(_TRIM_THRESHOLD, KEPT)


@contextmanager
def rare_collections() -> Iterator[None]:
    """Within the `with` block."""
    before = gc.get_threshold()
    gc.set_threshold(RARELY, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
