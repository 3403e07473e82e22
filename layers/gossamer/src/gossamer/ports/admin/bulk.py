"""Jobs on a cluster, for what does not fit into one process: start them, and see how they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SUCCESS = "SUCCESS"
# EMR ends jobs after 12 hours unless told otherwise; 100 million pages take about 21 on 16 cores.
MAX_JOB_HOURS = 24.0
ENDED = (SUCCESS, "FAILED", "CANCELLED")


class Run(msgspec.Struct, frozen=True):
    """How a job stands, and what it has used so far."""

    id: str
    state: str
    details: str = ""  # why it failed
    core_hours: float = 0.0
    gb_hours: float = 0.0

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state in ENDED


class Cluster(Protocol):
    """What runs the jobs of scripts/spark. Arguments `bucket:NAME` are folders that it keeps."""

    def check(self) -> None:
        """Raise ConfigurationError, with what to do, if no job could be started."""

    def has(self, name: str) -> bool:
        """Whether a folder holds anything."""

    def put(self, name: str, file: str) -> None:
        """Make a file the only one of a folder."""

    def lines(self, name: str) -> Iterator[bytes]:
        """Yield the lines of all text files of a folder, in order of their names."""

    def start(self, job: str, arguments: Sequence[str]) -> str:
        """Start a job; returns the id of its run."""

    def look(self, run: str) -> Run:
        """How a run stands."""
