"""Run and restart `gossamer serve`, and record when it was down on purpose."""

import http.client
import time
from dataclasses import dataclass
from pathlib import Path

from scripts.bench.failure import BenchFailure
from scripts.bench.machine.running import Running
from scripts.bench.worlds.nginx import LOOPBACK

START_LIMIT = 60.0  # seconds for the first answer


@dataclass(frozen=True, slots=True)
class Outage:
    """A deliberate restart; requests may fail meanwhile."""

    how: str
    began_at: float
    ended_at: float


class Service:
    """The search server under test."""

    def __init__(self, program: Path, data: Path, port: int) -> None:
        self._command: list[str | Path] = [program, "serve", "--data", data, "--port", str(port)]
        self.port = port
        self.outages: list[Outage] = []
        self.complaints = ""  # its stderr, without the line with its address
        self.failures = 0  # times it ended by itself or with an unexpected exit code
        self.running: Running | None = None

    def start(self) -> None:
        """Start it and wait until it responds."""
        self.running = Running(self._command)
        deadline = time.monotonic() + START_LIMIT
        while not self._answers():
            if not self.running.is_alive() or time.monotonic() > deadline:
                self.close()
                raise BenchFailure(f"gossamer serve does not respond: {self.complaints.strip()}")
            time.sleep(0.05)

    def restart(self, how: str) -> None:
        """Terminate or kill it, and start it again."""
        began_at = time.time()
        running = self.running
        if running is not None and how == "kill the server":
            running.kill()
        self.close()
        self.start()
        self.outages.append(Outage(how, began_at, time.time()))

    def close(self) -> None:
        """Terminate it, unless it was killed."""
        running, self.running = self.running, None
        if running is None:
            return
        self.failures += not running.is_alive() and running.signalled is None
        if running.signalled is None:
            running.terminate()
        code = running.end()
        self.failures += code not in (0, -int(running.signalled or 0))
        lines = running.said()[1].splitlines(keepends=True)
        self.complaints += "".join(line for line in lines if not line.startswith("Search at "))

    def _answers(self) -> bool:
        connection = http.client.HTTPConnection(LOOPBACK, self.port, timeout=5)
        try:
            connection.request("GET", "/health")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()
