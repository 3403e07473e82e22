"""A cloud home in moto, and faults on the way to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from botocore.awsrequest import AWSResponse

from tests.aws_backend import MotoBackend, moto_clients

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def cloud() -> Iterator[MotoBackend]:
    backend = MotoBackend({})
    yield backend
    backend.close()


@pytest.fixture
def home(cloud: MotoBackend) -> Any:
    return cloud.open()


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Waits without waiting; holds how long each was."""
    waits: list[float] = []
    now = [0.0]

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        now[0] += seconds

    monkeypatch.setattr("gossamer.adapters.aws.clients.time.sleep", sleep)
    monkeypatch.setattr("gossamer.adapters.aws.clients.time.monotonic", lambda: now[0])
    return waits


class Faults:
    """Answers in place of AWS, call by call; None lets a call through."""

    def __init__(self, answer: Callable[[str, dict[str, Any]], dict[str, Any] | None]) -> None:
        self.answer = answer
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, params: dict[str, Any], model: Any, **_: Any) -> Any:
        self.calls.append((model.name, params))
        body = self.answer(model.name, params)
        if body is None:
            return None
        status = body.get("ResponseMetadata", {}).get("HTTPStatusCode", 200)
        return AWSResponse("", status, {}, None), body


@pytest.fixture
def faults() -> Iterator[Callable[..., Faults]]:
    """Puts an answer of ours before that of moto: `faults("dynamodb", answer)`."""
    placed: list[tuple[Any, Faults]] = []

    def place(service: str, answer: Any) -> Faults:
        # The parameters as we gave them: "before-call" sees only what goes over the wire.
        fault = Faults(answer)
        client = moto_clients().client(service)
        given: dict[int, dict[str, Any]] = {}

        def remember(params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
            given[id(context)] = params

        def replace(model: Any, context: dict[str, Any], **_: Any) -> Any:
            return fault(given.pop(id(context), {}), model)

        client.meta.events.register("before-parameter-build", remember)
        client.meta.events.register_first("before-call", replace)
        placed.append((client, fault))
        handlers.append((client, remember, replace))
        return fault

    handlers: list[tuple[Any, Any, Any]] = []
    yield place
    for client, remember, replace in handlers:
        client.meta.events.unregister("before-parameter-build", remember)
        client.meta.events.unregister("before-call", replace)


def refuse(code: str, status: int = 400, message: str = "no") -> dict[str, Any]:
    """An error as AWS answers it."""
    return {
        "Error": {"Code": code, "Message": message},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
