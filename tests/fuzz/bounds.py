"""How much CPU one answer may take, and how bytes are damaged."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

A = TypeVar("A")
E = TypeVar("E", bound=Exception)

# Seconds of CPU for an input of at most SIZE. The worst takes 0.7 on a busy machine; what takes
# time that grows with the square of the size would take minutes.
PATIENCE = 10.0
SIZE = 100_000


@contextmanager
def within(seconds: float = PATIENCE) -> Iterator[None]:
    """Whatever happens inside takes no more CPU than this."""
    began = time.process_time()
    yield
    took = time.process_time() - began
    assert took <= seconds, f"took {took:.2f} s of CPU"


def attempt(kind: type[E], call: Callable[[], A]) -> tuple[A | None, E | None]:
    """What a call gives, or the error of this kind that it raises; either in time."""
    with within():
        try:
            return call(), None
        except kind as error:
            return None, error


@st.composite
def damaged(draw: st.DrawFn, whole: bytes, most: int = 3) -> bytes:
    """Bytes with some bits flipped, some pieces lost, repeated or made up."""
    data = bytearray(whole)
    for _ in range(draw(st.integers(1, most))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        end = at + draw(st.integers(0, 40))
        match draw(st.sampled_from(("flip", "cut", "lose", "repeat", "insert", "replace"))):
            case "flip" if data:
                data[at] ^= 1 << draw(st.integers(0, 7))
            case "cut":
                del data[at:]
            case "lose":
                del data[at:end]
            case "repeat":
                data[at:at] = data[at:end]
            case "insert":
                data[at:at] = draw(st.binary(max_size=8))
            case "replace":
                data[at:end] = draw(st.binary(max_size=40))
    return bytes(data)
