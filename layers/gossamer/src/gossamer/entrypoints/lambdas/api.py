"""The API behind API Gateway."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

from gossamer.entrypoints.api.routes import make_app
from gossamer.entrypoints.lambdas.context import worker
from gossamer.settings import Settings

if TYPE_CHECKING:
    from gossamer.entrypoints.api.gateway_event import App, Event, Said


@lru_cache(maxsize=1)
def app() -> App:
    """The API over the home that the environment names."""
    from gossamer.entrypoints.api.services import backend_of

    return make_app(backend_of(Settings.from_environ(os.environ)))


def handler(event: Event, context: object) -> Said:
    """Answer one request; one event in the log, without what was asked."""
    telemetry = worker().telemetry
    with telemetry.invocation("api", context):
        telemetry.count("apigw")
        answer = app()(event, context)
        telemetry.count(f"Status{answer['statusCode'] // 100}xx")
    return answer
