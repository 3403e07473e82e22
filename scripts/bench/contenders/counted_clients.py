"""Clients of AWS that know what calls took: moto simulates AWS in this process, at its expense."""

import time
from typing import Any

from gossamer.adapters.aws.clients import Clients


class CountedClients(Clients):
    """Clients that know how long they took, and how many bytes they moved."""

    def __init__(self, **how: Any) -> None:
        super().__init__(**how)
        self.cpu, self.moved = 0.0, 0

    @property
    def cpu_elsewhere(self) -> float:
        """The CPU seconds of this process that were not spent on calls: those of its own code."""
        return time.process_time() - self.cpu

    def raw(self, service: str, operation: str, **parameters: object) -> dict[str, Any]:
        """Call AWS."""
        began = time.thread_time()
        answer = super().raw(service, operation, **parameters)
        if service == "s3":
            body = parameters.get("Body", b"")
            self.moved += len(body) if isinstance(body, bytes) else 0
            self.moved += int(answer.get("ContentLength", 0))
        self.cpu += time.thread_time() - began
        return answer
