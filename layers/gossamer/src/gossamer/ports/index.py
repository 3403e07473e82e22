"""The index of a collection: its segments, and which of its documents are live."""

from __future__ import annotations

from typing import Protocol

from gossamer.ports.live_documents import LiveDocuments
from gossamer.ports.segments import SegmentStore


class IndexStore(SegmentStore, LiveDocuments, Protocol):
    """Both halves of an index in one store."""
