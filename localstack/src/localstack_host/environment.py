"""A Lambda execution environment as a process that serves one event at a time.

As in Lambda, a function that runs too long is killed, one that dies is replaced before the next
event, and its output is kept.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from localstack_host.runtime_api import Invocation, Outcome, RuntimeApi, failure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Lambda allows 10 s; importing uncompiled wheels on two busy cores takes longer.
INIT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Program:
    """The command of a function's process, its environment and its limits."""

    command: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    timeout: float
    memory_mb: int = 128
    version: str = "$LATEST"


@dataclass(frozen=True, slots=True)
class Call:
    """One event for the function."""

    request_id: str
    payload: bytes
    function_arn: str
    trace_id: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of an event, and its log."""

    outcome: Outcome
    log: str


class Process:
    """A function's process and its Runtime API."""

    def __init__(self, program: Program, log_file: Path) -> None:
        self.api = RuntimeApi()
        try:
            self._popen = self._open(program, log_file)
        except OSError:
            self.api.close()
            raise
        self._reaping = threading.Lock()
        self._watch = threading.Thread(target=self._wait, daemon=True)
        self._watch.start()

    def _open(self, program: Program, log_file: Path) -> subprocess.Popen[bytes]:
        with log_file.open("ab") as log:
            return subprocess.Popen(  # noqa: S603 the command is ours
                list(program.command),
                cwd=program.folder,
                env={**program.environment, "AWS_LAMBDA_RUNTIME_API": self.api.address},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # so that its children die with it
            )

    @property
    def pid(self) -> int:
        """Its process id and process group."""
        return self._popen.pid

    @property
    def is_alive(self) -> bool:
        """Whether it can take an event."""
        return self._watch.is_alive() and not self.api.has_ended

    def peak_memory_mb(self) -> int:
        """Peak memory; 0 if the process has ended or /proc is missing."""
        with contextlib.suppress(OSError, ValueError, IndexError):
            status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
            return int(status.partition("VmHWM:")[2].split()[0]) // 1024
        return 0

    def kill(self) -> None:
        """Kill it and its children."""
        with self._reaping:
            if self._popen.returncode is None:  # not reaped, so the pid is still its own
                self._signal_group()
        self._watch.join()

    def _wait(self) -> None:
        os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)  # dead, but not reaped
        with self._reaping:
            self._signal_group()
            code = self._popen.wait()
        self.api.end(failure("Runtime.ExitError", f"Runtime exited with error: {_describe(code)}"))
        self.api.close()

    def _signal_group(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)


class Environment:
    """Takes events one by one and replaces its process when it dies."""

    def __init__(self, program: Program, log_file: Path) -> None:
        self._program = program
        self._log_file = log_file
        self._log_read = 0  # bytes of the log that belong to earlier events
        self._process: Process | None = None
        self._working = threading.Lock()
        self._is_stopped = False

    @property
    def pid(self) -> int | None:
        """The process that would take the next event; None if there is none."""
        process = self._process
        return process.pid if process and process.is_alive else None

    def start(self) -> Process:
        """Start a process; the first event waits until it is ready."""
        _environments.add(self)
        self._log_file.parent.mkdir(parents=True, exist_ok=True)
        self._process = Process(self._program, self._log_file)
        return self._process

    def invoke(self, call: Call) -> Answer:
        """Run the function on one event, in a new process if the last one died."""
        with self._working:
            answer = self._invoke(call)
        if self._is_stopped:  # by stop() meanwhile, which leaves the kill to us
            self.kill()
        return answer

    def stop(self) -> None:
        """Take no more events. Like Lambda, let the current one finish."""
        self._is_stopped = True
        if self._working.acquire(blocking=False):
            try:
                self.kill()
            finally:
                self._working.release()

    def kill(self) -> None:
        """Kill the process now, even during an event."""
        self._is_stopped = True
        if self._process is not None:
            self._process.kill()
        _environments.discard(self)

    def log(self) -> str:
        """The output of all its processes."""
        with contextlib.suppress(FileNotFoundError):
            return self._log_file.read_text(encoding="utf-8", errors="replace")
        return ""

    def _invoke(self, call: Call) -> Answer:
        began = time.monotonic()
        process = self._ready_process()
        if isinstance(process, Outcome):
            outcome, memory = process, 0
        else:
            began = time.monotonic()
            outcome, memory = self._work(process, call), process.peak_memory_mb()
        return Answer(outcome, self._report(call, time.monotonic() - began, memory))

    def _ready_process(self) -> Process | Outcome:
        if self._is_stopped:
            return failure("Runtime.ExitError", "the execution environment was stopped")
        process = self._process
        if process is None or not process.is_alive:
            process = self.start()
        broken = process.api.wait_until_ready(INIT_SECONDS)
        if broken is None:
            return process
        process.kill()
        return broken

    def _work(self, process: Process, call: Call) -> Outcome:
        seconds = self._program.timeout
        invocation = Invocation(
            call.request_id, call.payload, call.function_arn, time.time() + seconds, call.trace_id
        )
        outcome = process.api.invoke(invocation)
        if outcome is not None:
            return outcome
        process.kill()
        late = f"{call.request_id} Task timed out after {seconds:.2f} seconds"
        with self._log_file.open("a", encoding="utf-8") as log:
            log.write(f"{late}\n")
        return failure("Sandbox.Timedout", f"RequestId: {late}")

    def _report(self, call: Call, seconds: float, memory: int) -> str:
        """The output since the last event, with the lines that Lambda adds."""
        with self._log_file.open("rb") as log:
            log.seek(self._log_read)
            written = log.read()
        self._log_read += len(written)
        text = written.decode("utf-8", "replace")
        if text and not text.endswith("\n"):
            text += "\n"
        spent = max(1, round(seconds * 1000))
        return (
            f"START RequestId: {call.request_id} Version: {self._program.version}\n{text}"
            f"END RequestId: {call.request_id}\n"
            f"REPORT RequestId: {call.request_id}\tDuration: {spent} ms"
            f"\tBilled Duration: {spent} ms\tMemory Size: {self._program.memory_mb} MB"
            f"\tMax Memory Used: {memory} MB\n"
        )


def kill_all() -> None:
    """Kill every process of every environment, when the emulator stops."""
    for environment in list(_environments):
        environment.kill()


def _describe(code: int) -> str:
    if code < 0:
        return f"signal: {signal.Signals(-code).name}"
    return f"exit status {code}"


_environments: set[Environment] = set()  # all that can have a process
