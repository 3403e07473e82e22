"""LocalStack's executor for functions without Docker: a process with AWS's runtime client."""

from __future__ import annotations

import os
import sys
import threading
from functools import cache
from pathlib import Path

import localstack.config as config
from localstack.services.lambda_.invocation.lambda_models import FunctionVersion, InvocationResult
from localstack.services.lambda_.invocation.runtime_executor import RuntimeExecutor

from localstack_host.environment import Call, Environment, Program
from localstack_host.runtime_api import LOOPBACK
from localstack_host.runtime_packages import link_packages

KEPT = ("PATH", "HOME", "LANG", "TMPDIR")  # of LocalStack's own environment
_linking = threading.Lock()


class ProcessRuntimeExecutor(RuntimeExecutor):
    """One execution environment. LocalStack creates one when no other is idle."""

    def __init__(self, id: str, function_version: FunctionVersion) -> None:
        super().__init__(id, function_version)
        self._environment: Environment | None = None

    def start(self, env_vars: dict[str, str]) -> None:
        """Start the process. If the function cannot be loaded, its first event fails."""
        name = self.function_version.id.function_name
        log_file = Path(config.dirs.logs) / "lambda" / name / f"{self.id}.log"
        self._environment = Environment(_program(self.function_version, env_vars), log_file)
        self._environment.start()

    def stop(self) -> None:
        """Take no more events."""
        if self._environment is not None:
            self._environment.stop()

    def invoke(self, payload: dict[str, str]) -> InvocationResult:
        """Run the function on one event."""
        if self._environment is None:
            raise RuntimeError("invoke() before start()")
        call = Call(
            payload["invoke-id"],
            payload["payload"].encode(),
            payload["invoked-function-arn"],
            payload.get("trace-id") or "",
        )
        answer = self._environment.invoke(call)
        version = self.function_version.id.qualifier
        body, is_error = answer.outcome.body, answer.outcome.is_error
        return InvocationResult(call.request_id, body, is_error, answer.log, version)

    def get_logs(self) -> str:
        """The output of this environment."""
        return self._environment.log() if self._environment else ""

    def get_address(self) -> str:
        """The environment's address, as LocalStack sees it."""
        return LOOPBACK

    def get_endpoint_from_executor(self) -> str:
        """LocalStack's address, as the environment sees it."""
        return LOOPBACK

    def get_runtime_endpoint(self) -> str:
        """The address for Docker's init, which does not run here."""
        return f"http://{LOOPBACK}:{config.GATEWAY_LISTEN[0].port}/_localstack_lambda/{self.id}"

    @classmethod
    def prepare_version(cls, function_version: FunctionVersion) -> None:
        """Unpack the code and its layers."""
        function_version.config.code.prepare_for_execution()
        for layer in function_version.config.layers:
            layer.code.prepare_for_execution()

    @classmethod
    def cleanup_version(cls, function_version: FunctionVersion) -> None:
        """Nothing: LocalStack removes the code with the function."""


def _program(version: FunctionVersion, env_vars: dict[str, str]) -> Program:
    settings = version.config
    code = Path(settings.code.get_unzipped_code_location())
    layers = [Path(layer.code.get_unzipped_code_location()) for layer in settings.layers]
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    environment |= {name: str(value) for name, value in env_vars.items()}
    environment["LAMBDA_TASK_ROOT"] = str(code)
    environment["AWS_EXECUTION_ENV"] = f"AWS_Lambda_{settings.runtime}"
    environment["PYTHONPATH"] = os.pathsep.join(map(str, import_path(code, layers)))
    # -S: the function must not see LocalStack's packages.
    command = [sys.executable, "-S", "-m", "awslambdaric", settings.handler]
    return Program(
        command, code, environment, settings.timeout, settings.memory_size, version.id.qualifier
    )


def import_path(code: Path, layers: list[Path]) -> list[Path]:
    """Code, then layers (later ones win), then the packages of the runtime."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    path = [code]
    for layer in reversed(layers):
        path += [layer / "python" / "lib" / version / "site-packages", layer / "python"]
    with _linking:
        return [*path, _provided()]


@cache
def _provided() -> Path:
    return link_packages(Path(config.dirs.tmp) / "lambda-runtime")
