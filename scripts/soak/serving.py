"""How is `gossamer serve` kept up, and when was it down on purpose?"""

import http.client
import time
from dataclasses import dataclass
from pathlib import Path

from scripts.bench.failure import BenchFailure
from scripts.bench.worlds.nginx import LOOPBACK
from scripts.soak.process import Running

START_LIMIT = 60.0  # seconds for the first answer


@dataclass(frozen=True, slots=True)
class Outage:
    """A time in which nobody may expect an answer."""

    how: str
    began_at: float
    ended_at: float


class Service:
    """A search server that is restarted now and then."""

    def __init__(self, program: Path, data: Path, port: int) -> None:
        self._command: list[str | Path] = [program, "serve", "--data", data, "--port", str(port)]
        self.port = port
        self.outages: list[Outage] = []
        self.complaints = ""  # what it wrote, apart from where it listens
        self.failures = 0  # times it ended by itself, or ended badly
        self.running: Running | None = None

    def start(self) -> None:
        """Return once it answers."""
        self.running = Running(self._command)
        deadline = time.monotonic() + START_LIMIT
        while not self._answers():
            if not self.running.is_alive() or time.monotonic() > deadline:
                self.close()
                raise BenchFailure(f"gossamer serve does not answer: {self.complaints.strip()}")
            time.sleep(0.05)

    def restart(self, how: str) -> None:
        """End it gently or by force, and start it again."""
        began_at = time.time()
        running = self.running
        if running is not None and how == "kill the server":
            running.kill()
        self.close()
        self.start()
        self.outages.append(Outage(how, began_at, time.time()))

    def close(self) -> None:
        """End it; gently, if it was not killed."""
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
